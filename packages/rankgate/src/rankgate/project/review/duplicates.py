"""Trim: what a suite says twice. Fix: a proposal that contradicts what a person said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.project.review.subject import Category, Change, ReviewRemark
from rankgate.suites.editing.edits import DropCase, DropTarget

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from rankgate.model.suite import Case
    from rankgate.project.review.subject import ReviewSubject


def same_target_twice(subject: ReviewSubject) -> Iterator[Change | ReviewRemark]:
    """Find targets of a case that are one location: the same lines, however they are written."""
    for case in subject.suite.cases:
        first: dict[Hashable, int] = {}
        for number, target in enumerate(case.targets):
            spot = subject.spot_key(target.location) or target.location
            before = first.setdefault(spot, number)
            if before == number:
                continue
            if target.reviewed and not case.targets[before].reviewed:
                # What a person said stays, wherever it stands.
                first[spot] = number
                yield from _double(case, number, before)
            else:
                yield from _double(case, before, number)


def same_case_twice(subject: ReviewSubject) -> Iterator[Change]:
    """Find cases that ask the same and expect the same; what they are called makes no difference."""
    first: dict[Hashable, Case] = {}
    for case in subject.suite.cases:
        earlier = first.setdefault(_asked_and_expected(case), case)
        if earlier is not case:
            what = f"take the case out: {case.query!r} again"
            why = f"it asks and expects what {earlier.id} does, and would count twice in every mean"
            sources = tuple(target.location for target in case.targets)
            yield Change(Category.TRIM, case.id, what, why, DropCase(case.id), sources)


def _double(case: Case, kept: int, number: int) -> Iterator[Change | ReviewRemark]:
    target, other = case.targets[number], case.targets[kept]
    as_well = (
        "" if target.location == other.location else f", which is the same location as '{other.location}'"
    )
    what = f"take out the target '{target.location}'{as_well}"
    if target.grade == other.grade:
        if target.group == other.group:
            why = "it stands twice in the case"
            yield Change(Category.TRIM, case.id, what, why, DropTarget(case.id, number), (target.location,))
        return
    grades = f"grade {target.grade:g}, and {other.grade:g} for the same location"
    if other.reviewed and not target.reviewed:
        why = f"{grades}, which a person has reviewed; this one nobody has"
        yield Change(Category.FIX, case.id, what, why, DropTarget(case.id, number), (target.location,))
    else:
        said = f"'{target.location}' has {grades}{as_well}"
        yield ReviewRemark.unproposed(case.id, said, "only a person can say which is right")


def _asked_and_expected(case: Case) -> Hashable:
    return (
        " ".join(case.query.split()),
        *(case.weight, case.group, case.category, case.tags, case.top),
        *(case.exhaustive, case.expect_empty, case.answer),
        frozenset((target.location, target.grade, target.group) for target in case.targets),
        frozenset(case.filters.items()),
    )
