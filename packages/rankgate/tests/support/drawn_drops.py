"""Drops as nDCG has them, drawn from populations whose mean drop is known, and how often they pass."""

from __future__ import annotations

import importlib.util
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from rankgate.scoring.paired.bounds import LEVEL, chance
from rankgate.scoring.paired.paired import Paired
from support.paired_sets import STATED

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.random import Generator

    from rankgate.scoring.matches import Bools, Floats, Ints

KEPT = STATED[STATED > 0]
"""What a query can lose, from nDCG@10 as on SciFact."""
HEAVY = 10.0
HEAVY_SHARE = 0.1
LARGE = 6
REPEATS = 5
KINDS = ("queries", "groups", "weights", "repeats")
CELLS = ((48, 0.05), (48, 0.1), (150, 0.02), (150, 0.05), (300, 0.02), (300, 0.05))
"""Numbers of queries, or of groups, with margins."""


@dataclass(frozen=True, slots=True)
class Mixture:
    """What happens to queries that are not lost."""

    name: str
    mean: float
    """Their mean drop."""
    draw: Callable[[Generator, int], Floats]


def _small(rng: Generator, size: int) -> Floats:
    return np.where(rng.random(size) < 0.4, np.clip(rng.normal(0, 0.08, size), -1, 1), 0.0)


def _gains(rng: Generator, size: int) -> Floats:
    return np.where(rng.random(size) < 0.3, -rng.uniform(0.0, 0.06, size), 0.0)


def _broad(rng: Generator, size: int) -> Floats:
    return np.where(rng.random(size) < 0.5, np.clip(rng.normal(0, 0.3, size), -1, 1), 0.0)


MIXTURES = (
    Mixture("ties and losses", 0.0, lambda _, size: np.zeros(size)),
    Mixture("ties, small moves and losses", 0.0, _small),
    Mixture("small gains and rare losses", -0.009, _gains),
    Mixture("broad moves and losses", 0.0, _broad),
)


@dataclass(frozen=True, slots=True)
class DrawnDrops:
    """One suite."""

    drops: Floats
    weights: Floats | None = None
    groups: Ints | None = None

    @property
    def paired(self) -> Paired:
        return Paired.of(self.drops, self.weights, None if self.groups is None else self.groups.tolist())

    @property
    def top_weight(self) -> float:
        return 1.0 if self.weights is None else HEAVY


def drawn(kind: str, mixture: Mixture, queries: int, drop: float, rng: Generator) -> DrawnDrops:
    """Draw a suite from a population with a mean drop.

    A large group is lost together, each member as far as it can be. Of weighted queries only the heavy ones
    are lost. A query whose answers vary is lost in about half of its repeats, and its drop is their mean.
    """
    if kind == "groups":
        labels = np.repeat(np.arange(queries), np.where(rng.random(queries) < 0.5, LARGE, 1))
        gone = (rng.random(queries) < loss_rate(mixture, drop))[labels]
        return DrawnDrops(_lost(mixture, gone, rng), groups=labels)
    if kind == "weights":
        heavy = rng.random(queries) < HEAVY_SHARE
        share = HEAVY * HEAVY_SHARE / (HEAVY * HEAVY_SHARE + 1 - HEAVY_SHARE)
        rate = loss_rate(mixture, (drop - (1 - share) * mixture.mean) / share)
        gone = heavy & (rng.random(queries) < rate)
        return DrawnDrops(_lost(mixture, gone, rng), np.where(heavy, HEAVY, 1.0))
    if kind == "repeats":
        varies = rng.random(queries) < 2 * loss_rate(mixture, drop)
        answers = [_lost(mixture, varies & (rng.random(queries) < 0.5), rng) for _ in range(REPEATS)]
        return DrawnDrops(np.mean(answers, axis=0))
    return DrawnDrops(_lost(mixture, rng.random(queries) < loss_rate(mixture, drop), rng))


def loss_rate(mixture: Mixture, drop: float) -> float:
    """Give the share of lost queries that makes the mean drop what it is to be."""
    return (drop - mixture.mean) / (float(KEPT.mean()) - mixture.mean)


def _lost(mixture: Mixture, gone: Bools, rng: Generator) -> Floats:
    return np.where(gone, rng.choice(KEPT, len(gone)), mixture.draw(rng, len(gone)))


class PValue(Protocol):
    """What gives a p-value: rankgate's `chance`, or that of the reference."""

    def __call__(
        self,
        values: Floats,
        margin: float,
        top: float,
        *,
        weights: Floats | None = None,
        top_weight: float | None = None,
    ) -> float: ...


@dataclass(frozen=True, slots=True)
class PassRate:
    """How many of the suites that were drawn pass."""

    own: float
    reference: float | None = None
    """The same by the reference, on the same suites; None where it is not there."""


def pass_rate(
    kind: str,
    mixture: Mixture,
    cell: tuple[int, float],
    drop: float,
    sets: int,
    *,
    reference: PValue | None = None,
    seed: int = 7,
) -> PassRate:
    """Draw suites of some true drop, and count those that pass."""
    rng = np.random.default_rng(seed)
    queries, margin = cell
    passed = [0, 0]
    for _ in range(sets):
        found = drawn(kind, mixture, queries, drop, rng)
        paired = found.paired
        for at, p_value in enumerate((chance, reference)):
            if p_value is not None:
                p = p_value(
                    paired.group_means,
                    margin,
                    1.0,
                    weights=paired.group_weights,
                    top_weight=found.top_weight,
                )
                passed[at] += p < LEVEL
    return PassRate(passed[0] / sets, passed[1] / sets if reference is not None else None)


def most_wrong(sets: int) -> float:
    """Give the share of wrong passes that so many suites stay under: 5 % and three standard errors."""
    return LEVEL + 3 * math.sqrt(LEVEL * (1 - LEVEL) / sets)


def reference_chance(shared_data: Path) -> PValue | None:
    """Load the p-value of the checked implementation that lies beside the shared data, where it does."""
    path = shared_data.parent / "design" / "statistics_reference.py"
    spec = importlib.util.spec_from_file_location("statistics_reference", path) if path.is_file() else None
    if spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: PValue = module.chance
    return found
