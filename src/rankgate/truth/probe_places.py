"""Every place that the scenarios and the invariants of a suite name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.model.invariants import Invariant
    from rankgate.model.places import Location
    from rankgate.model.scenarios import Scenario
    from rankgate.model.suite import Suite


@dataclass(frozen=True, slots=True)
class ProbePlace:
    """One place, and what names it."""

    owner: str
    """What names it, in words."""
    where: str
    """The file, line and column that it was written at; empty where they are not known."""
    location: Location
    """The place as it is written."""


def probe_places(suite: Suite) -> Iterator[ProbePlace]:
    """Go through the places in the order of the suite."""
    for scenario in suite.scenarios:
        for number, step in enumerate(scenario.steps):
            for location in (*step.finds, *(() if step.at is None else (step.at,))):
                yield ProbePlace(step_owner(scenario, number), step.where, location)
    for invariant in suite.invariants:
        for place in (invariant.above, invariant.below):
            if place is not None:
                yield ProbePlace(invariant_owner(invariant), invariant.where, place)


def step_owner(scenario: Scenario, number: int) -> str:
    """Name a step, counted from 0, as people count."""
    return f"scenario {scenario.name}, step {number + 1}"


def invariant_owner(invariant: Invariant) -> str:
    """Name an invariant."""
    return f"invariant {invariant.name}"
