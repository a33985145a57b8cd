"""What a history is made of: an action, and the step it comes to in one state.

An action is a kind and a seed. What exactly it does is drawn when it is done, from the state that it meets,
so that a history stays one when an action is taken out of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from verdicts.state import State, Suite, System

if TYPE_CHECKING:
    from pathlib import Path

    from verdicts.oracle.judge import Expected


@dataclass(frozen=True)
class Action:
    """One thing that happens."""

    kind: str
    seed: int


@dataclass(frozen=True)
class Step:
    """What an action comes to in one state."""

    words: str
    state: State
    """After it."""
    call: tuple[str, ...] = ()
    """The command of rankgate, where it is one."""
    expected: Expected | None = None
    """How the command must end."""
    stop: int | None = None
    """After how many answers the command is interrupted."""
    killed: bool = False
    """Whether it is killed then, and cannot do anything about it."""
    spoil: Callable[[Path], None] | None = None
    """What is done to the project's folder by hand."""


Draw = Callable[[State, Random], Step | None]
"""Draws a step; None where the state has nothing that it could be done to."""


def a_suite(state: State, rng: Random) -> Suite:
    """Draw a suite, the first one mostly."""
    return state.suites[0] if rng.random() < 0.8 else rng.choice(state.suites)


def a_system(state: State, rng: Random) -> System:
    """Draw a system, the first one mostly, so that actions meet."""
    return state.systems[0] if rng.random() < 0.85 else rng.choice(state.systems)


def a_live_system(state: State, rng: Random) -> System | None:
    """Draw a system that can be asked."""
    live = [one for one in state.systems if one.kind != "run"]
    if not live:
        return None
    return live[0] if rng.random() < 0.85 else rng.choice(live)
