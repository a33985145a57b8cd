"""The whole plan: every change that is proposed, and what is only shown, in the order of the suite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.project.review.answers import created, no_longer_missed, no_longer_proposed, not_empty
from rankgate.project.review.duplicates import same_case_twice, same_target_twice
from rankgate.project.review.locations import misplaced
from rankgate.project.review.subject import Change, ReviewRemark
from rankgate.suites.editing.edits import AddTargets, DropCase, DropTarget, Move

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.project.review.subject import Category, ReviewSubject
    from rankgate.suites.editing.edits import Edit

_LOOKS = (
    created,
    misplaced,
    no_longer_missed,
    not_empty,
    same_target_twice,
    same_case_twice,
    no_longer_proposed,
)


@dataclass(frozen=True, slots=True)
class Plan:
    """What could be changed in a suite."""

    changes: tuple[Change, ...] = ()
    """What is proposed; no two change the same thing."""
    remarks: tuple[ReviewRemark, ...] = ()
    """What is only shown."""

    def of(self, *categories: Category) -> tuple[Change, ...]:
        """Return the changes of some categories."""
        return tuple(change for change in self.changes if change.category in categories)

    def only(self, cases: Sequence[str]) -> Plan:
        """Keep what was found in some cases; in all of them where none is named."""
        if not cases:
            return self
        return Plan(
            tuple(change for change in self.changes if change.case in cases),
            tuple(remark for remark in self.remarks if remark.case in cases),
        )


def plan(subject: ReviewSubject) -> Plan:
    """Look at everything, and propose each change once."""
    order = {case.id: number for number, case in enumerate(subject.suite.cases)}
    found = [each for look in _LOOKS for each in look(subject)]
    found.sort(key=lambda each: order.get(each.case, len(order)))
    changes = _compatible([each for each in found if isinstance(each, Change)])
    return Plan(tuple(changes), tuple(each for each in found if isinstance(each, ReviewRemark)))


def _compatible(changes: Sequence[Change]) -> list[Change]:
    """Leave out what another change makes needless, or must come before."""
    gone = {change.edit.case for change in changes if isinstance(change.edit, DropCase)}
    growing = {change.edit.case for change in changes if isinstance(change.edit, AddTargets)}
    seen: set[Edit] = set()
    kept = []
    for change in changes:
        edit = change.edit
        # A case that goes takes its other changes with it; one that gets targets loses none at once.
        needless = not isinstance(edit, (Move, DropCase)) and edit.case in gone
        waits = isinstance(edit, DropTarget) and edit.case in growing
        if edit not in seen and not needless and not waits:
            kept.append(change)
        seen.add(edit)
    return kept
