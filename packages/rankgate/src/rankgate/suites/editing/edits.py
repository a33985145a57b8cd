"""What may be changed in a suite, as data; and the suite that comes of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.model.locations import Location
    from rankgate.model.probes import Invariant, Step
    from rankgate.model.suite import Case, Suite, Target


@dataclass(frozen=True, slots=True)
class Move:
    """Another place in the stead of one, wherever the suite names it."""

    old: Location
    """The place as it is written."""
    new: Location
    """What to write."""


@dataclass(frozen=True, slots=True)
class AddTargets:
    """More targets for a case, behind those that it has."""

    case: str
    """The case."""
    targets: tuple[Target, ...]
    """The targets."""


@dataclass(frozen=True, slots=True)
class DropTarget:
    """A target taken out of a case."""

    case: str
    """The case."""
    number: int
    """Which of its targets, from 0."""


@dataclass(frozen=True, slots=True)
class DropXFail:
    """A case that may no longer fail."""

    case: str
    """The case."""


@dataclass(frozen=True, slots=True)
class DropCase:
    """A case taken out of the suite."""

    case: str
    """The case."""


CaseEdit: TypeAlias = AddTargets | DropTarget | DropXFail | DropCase
"""What changes one case."""
Edit: TypeAlias = Move | CaseEdit
"""What changes a suite."""


def changed_suite(suite: Suite, edits: Sequence[Edit]) -> Suite:
    """Return the suite that edits make; numbers of targets are those of the suite that is given."""
    moves = {edit.old: edit.new for edit in edits if isinstance(edit, Move)}
    moved = moved_suite(suite, moves) if moves else suite
    by_case: dict[str, list[CaseEdit]] = {}
    for edit in edits:
        if not isinstance(edit, Move):
            by_case.setdefault(edit.case, []).append(edit)
    if not by_case:
        return moved
    cases = (_changed(case, by_case.get(case.id, [])) for case in moved.cases)
    return replace(moved, cases=tuple(case for case in cases if case is not None))


def _changed(case: Case, edits: Sequence[CaseEdit]) -> Case | None:
    if any(isinstance(edit, DropCase) for edit in edits):
        return None
    if not edits:
        return case
    dropped = {edit.number for edit in edits if isinstance(edit, DropTarget)}
    kept = [target for number, target in enumerate(case.targets) if number not in dropped]
    added = [target for edit in edits if isinstance(edit, AddTargets) for target in edit.targets]
    xfail = None if any(isinstance(edit, DropXFail) for edit in edits) else case.xfail
    return replace(case, targets=(*kept, *added), xfail=xfail)


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
