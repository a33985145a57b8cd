"""Trim: what a suite says twice. Fix: a proposal that contradicts what a person said."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.review.change import Category, Change, ReviewRemark
from rankgate.suites.editing.edits import DropCase, DropTarget
from rankgate.truth.locations.lookup import Spot

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from rankgate.model.suite import Case
    from rankgate.review.subject import ReviewSubject


def same_target_twice(subject: ReviewSubject) -> Iterator[Change | ReviewRemark]:
    """Find targets of a case that are one place: the same lines, however they are written."""
    for case in subject.suite.cases:
        first: dict[Hashable, int] = {}
        for number, target in enumerate(case.targets):
            place = _place(subject, case, number)
            before = first.setdefault(place, number)
            if before == number:
                continue
            if target.reviewed and not case.targets[before].reviewed:
                # What a person said stays, wherever it stands.
                first[place] = number
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
            places = tuple(target.location for target in case.targets)
            yield Change(Category.TRIM, case.id, what, why, DropCase(case.id), places)


def _double(case: Case, kept: int, number: int) -> Iterator[Change | ReviewRemark]:
    target, other = case.targets[number], case.targets[kept]
    as_well = "" if target.location == other.location else f", which is the same place as '{other.location}'"
    what = f"take out the target '{target.location}'{as_well}"
    if target.grade == other.grade:
        if target.group == other.group:
            why = "it stands twice in the case"
            yield Change(Category.TRIM, case.id, what, why, DropTarget(case.id, number), (target.location,))
        return
    grades = f"grade {target.grade:g}, and {other.grade:g} for the same place"
    if other.reviewed and not target.reviewed:
        why = f"{grades}, which a person has reviewed; this one nobody has"
        yield Change(Category.FIX, case.id, what, why, DropTarget(case.id, number), (target.location,))
    else:
        said = f"'{target.location}' has {grades}{as_well}"
        yield ReviewRemark(case.id, f"{said}. Nothing is proposed: only a person can say which is right")


def _place(subject: ReviewSubject, case: Case, number: int) -> Hashable:
    location = case.targets[number].location
    spot = subject.reader.find(location)
    return (spot.id, spot.path, spot.start, spot.end) if isinstance(spot, Spot) else location


def _asked_and_expected(case: Case) -> Hashable:
    targets = frozenset((target.location, target.grade, target.group) for target in case.targets)
    filters = frozenset(case.filters.items())
    rest = replace(
        case, id="", query=" ".join(case.query.split()), targets=(), filters={}, notes="", xfail=None
    )
    named = tuple(
        getattr(rest, name)
        for name in (
            "query",
            "weight",
            "group",
            "category",
            "tags",
            "top",
            "exhaustive",
            "expect_empty",
            "answer",
        )
    )
    return (named, targets, filters)
