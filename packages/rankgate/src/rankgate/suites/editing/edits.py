"""What may be changed in a suite, as data; and the suite that comes of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from rankgate.model.suite import GateText, GoneTarget, Target, by_location

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.model.locations import Location
    from rankgate.model.probes import Step
    from rankgate.model.suite import Case, CorpusSource, Suite, Top


@dataclass(frozen=True, slots=True)
class Move:
    """Another location in place of one, wherever the suite names it."""

    old: Location
    """The location as it is written."""
    new: Location
    """What to write."""


@dataclass(frozen=True, slots=True)
class Pin:
    """Another state of the corpus that the suite names: a folder, commit, release or hash."""

    corpus: CorpusSource
    """What to write, of the same kind."""


@dataclass(frozen=True, slots=True)
class AddCase:
    """A case behind the last one."""

    keys: Mapping[str, Any]
    """The case, with the keys that a suite has: query, at or id, reviewed, source, …"""


@dataclass(frozen=True, slots=True)
class AddGate:
    """A gate behind those that the suite has."""

    text: str


@dataclass(frozen=True, slots=True)
class _OfCase:
    case: str


@dataclass(frozen=True, slots=True)
class AddTargets(_OfCase):
    """More targets for a case, behind those that it has."""

    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class Regrade(_OfCase):
    """Another grade for a target, and who gave it."""

    number: int
    """Which of its targets, from 0."""
    grade: float
    source: str
    """Who says so."""


@dataclass(frozen=True, slots=True)
class DropTarget(_OfCase):
    """A target taken out of a case."""

    number: int
    """Which of its targets, from 0."""


@dataclass(frozen=True, slots=True)
class DropXFail(_OfCase):
    """A case that may no longer fail."""


@dataclass(frozen=True, slots=True)
class MarkGone(_OfCase):
    """A location of a case marked gone, as a target and as a check of the first hits."""

    location: Location
    reason: str
    """Why it is gone."""


@dataclass(frozen=True, slots=True)
class DropCase(_OfCase):
    """A case taken out of the suite."""


CaseEdit: TypeAlias = AddTargets | Regrade | DropTarget | DropXFail | MarkGone | DropCase
"""What changes one case."""
Edit: TypeAlias = Move | CaseEdit
"""What a review of a suite may propose."""
FileEdit: TypeAlias = Edit | Pin | AddCase | AddGate
"""What changes a suite's file."""


def changed_suite(suite: Suite, edits: Sequence[FileEdit]) -> Suite:
    """Return the suite that edits make, without the cases that they add, which are known when they are read.

    Numbers of targets are those of the suite that is given.
    """
    moves = {edit.old: edit.new for edit in edits if isinstance(edit, Move)}
    moved = _moved(suite, moves) if moves else suite
    for edit in edits:
        if isinstance(edit, Pin):
            moved = replace(moved, corpus=edit.corpus)
        elif isinstance(edit, AddGate):
            moved = replace(moved, gates=(*moved.gates, GateText(edit.text)))
    by_case = edits_by_case(edits)
    if not by_case:
        return moved
    cases = (_changed(case, by_case.get(case.id, [])) for case in moved.cases)
    return replace(moved, cases=tuple(case for case in cases if case is not None))


def without_added(suite: Suite, edits: Sequence[FileEdit]) -> Suite:
    """Return a suite without the cases that edits added, which are its last."""
    added = sum(isinstance(edit, AddCase) for edit in edits)
    return replace(suite, cases=suite.cases[: len(suite.cases) - added]) if added else suite


def edits_by_case(edits: Sequence[FileEdit]) -> dict[str, list[CaseEdit]]:
    """Part the edits that change one case each by the case."""
    found: dict[str, list[CaseEdit]] = {}
    for edit in edits:
        if isinstance(edit, CaseEdit):
            found.setdefault(edit.case, []).append(edit)
    return found


def _changed(case: Case, edits: Sequence[CaseEdit]) -> Case | None:
    if any(isinstance(edit, DropCase) for edit in edits):
        return None
    if not edits:
        return case
    dropped = {edit.number for edit in edits if isinstance(edit, DropTarget)}
    graded = {edit.number: edit for edit in edits if isinstance(edit, Regrade)}
    kept = [
        _regraded(target, graded.get(number))
        for number, target in enumerate(case.targets)
        if number not in dropped
    ]
    added = [target for edit in edits if isinstance(edit, AddTargets) for target in edit.targets]
    xfail = None if any(isinstance(edit, DropXFail) for edit in edits) else case.xfail
    marked = {edit.location: edit.reason for edit in edits if isinstance(edit, MarkGone)}
    named: tuple[Target | Top, ...] = (*kept, *case.top)
    gone = [
        GoneTarget(replace(each, group=None) if isinstance(each, Target) else each, marked[each.location])
        for each in named
        if each.location in marked
    ]
    return replace(
        case,
        targets=tuple(target for target in (*kept, *added) if target.location not in marked),
        top=tuple(top for top in case.top if top.location not in marked),
        xfail=xfail,
        gone=by_location((*case.gone, *gone)),
    )


def _regraded(target: Target, edit: Regrade | None) -> Target:
    """Return a target with another grade, which whoever gave it has reviewed."""
    return target if edit is None else replace(target, grade=edit.grade, source=edit.source, reviewed=True)


def _moved(suite: Suite, moves: Mapping[Location, Location]) -> Suite:
    """Put other locations in place of some, in every case, scenario and invariant."""

    def new(location: Any) -> Any:
        return moves.get(location, location)

    def moved(case: Case) -> Case:
        targets = tuple(replace(target, location=new(target.location)) for target in case.targets)
        return replace(
            case, targets=targets, top=tuple(replace(top, location=new(top.location)) for top in case.top)
        )

    def stepped(step: Step) -> Step:
        return replace(step, at=new(step.at), finds=tuple(map(new, step.finds)))

    return replace(
        suite,
        cases=tuple(map(moved, suite.cases)),
        scenarios=tuple(
            replace(scenario, steps=tuple(map(stepped, scenario.steps))) for scenario in suite.scenarios
        ),
        invariants=tuple(
            replace(each, above=tuple(map(new, each.above)), below=tuple(map(new, each.below)))
            for each in suite.invariants
        ),
    )
