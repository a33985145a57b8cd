"""A suite with other places, and everything else as it was."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.model.invariants import Invariant
    from rankgate.model.places import Location
    from rankgate.model.scenarios import Step
    from rankgate.model.suite import Case, Suite


def moved_suite(suite: Suite, moves: Mapping[Location, Location]) -> Suite:
    """Put other places in the stead of some, in every case, scenario and invariant."""
    return replace(
        suite,
        cases=tuple(_case(case, moves) for case in suite.cases),
        scenarios=tuple(
            replace(scenario, steps=tuple(_step(step, moves) for step in scenario.steps))
            for scenario in suite.scenarios
        ),
        invariants=tuple(_invariant(invariant, moves) for invariant in suite.invariants),
    )


def _case(case: Case, moves: Mapping[Location, Location]) -> Case:
    return replace(
        case,
        targets=tuple(
            replace(target, location=moves.get(target.location, target.location)) for target in case.targets
        ),
        top=tuple(replace(top, location=moves.get(top.location, top.location)) for top in case.top),
    )


def _step(step: Step, moves: Mapping[Location, Location]) -> Step:
    at = step.at and moves.get(step.at, step.at)
    return replace(step, at=at, finds=tuple(moves.get(place, place) for place in step.finds))


def _invariant(invariant: Invariant, moves: Mapping[Location, Location]) -> Invariant:
    above, below = invariant.above, invariant.below
    return replace(
        invariant, above=above and moves.get(above, above), below=below and moves.get(below, below)
    )
