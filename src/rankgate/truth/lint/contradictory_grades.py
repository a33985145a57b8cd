"""Grades that cannot both be right, and places that a case names twice."""

from __future__ import annotations

import sys
from bisect import bisect_right
from itertools import accumulate
from operator import itemgetter
from typing import TYPE_CHECKING

from rankgate.truth.lint.asked import filtered_by
from rankgate.truth.lint.finding import Severity
from rankgate.truth.lint.rule import Remark, Rule
from rankgate.truth.lint.subject import named
from rankgate.truth.lookup import Spot

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from rankgate.model.suite import Case, Target
    from rankgate.truth.lint.subject import Subject, Wanted


def check(subject: Subject) -> Iterator[Remark]:
    """Compare the grades of a place within a case and between cases of one query, and those of overlaps."""
    folded = {case.id: text for case, text in zip(subject.cases, subject.folded, strict=True)}
    asked: dict[Hashable, tuple[Case, Target]] = {}
    for case, judged in _by_case(subject):
        own: dict[Hashable, Target] = {}
        told: set[Hashable] = set()
        for wanted, target in judged:
            place = _place(wanted)
            first = own.setdefault(place, target)
            differ = first.grade != target.grade
            if first is target or (place, differ) in told or (not differ and first.group != target.group):
                continue
            told.add((place, differ))
            yield _within(case, wanted, first, target) if differ else _twice(case, wanted, first)
        yield from _overlaps(case, judged)
        for place, target in own.items():
            before, earlier = asked.setdefault((folded[case.id], filtered_by(case), place), (case, target))
            if before is not case and earlier.grade != target.grade:
                yield _between(case, target, before, earlier)


def _by_case(subject: Subject) -> Iterator[tuple[Case, list[tuple[Wanted, Target]]]]:
    judged: dict[str, list[tuple[Wanted, Target]]] = {}
    for wanted in subject.wanted:
        if wanted.target is not None:
            judged.setdefault(wanted.case.id, []).append((wanted, wanted.target))
    for targets in judged.values():
        yield targets[0][0].case, targets


def _place(wanted: Wanted) -> Hashable:
    """Places are the same where they are the same lines, however they are written."""
    spot = wanted.found
    return (spot.id, spot.path, spot.start, spot.end) if isinstance(spot, Spot) else wanted.location


def _within(case: Case, wanted: Wanted, first: Target, target: Target) -> Remark:
    as_well = "" if first.location == wanted.location else f" ('{first.location}' is the same place)"
    found = f"'{wanted.location}' with the grades {first.grade:g} and {target.grade:g}{as_well}"
    return Remark(found, "one grade for one place", "keep the right one", case)


def _twice(case: Case, wanted: Wanted, first: Target) -> Remark:
    as_well = "" if first.location == wanted.location else f" ('{first.location}' is the same place)"
    fix = "delete one, or correct it if another place was meant"
    found = f"'{wanted.location}' twice in one case{as_well}"
    return Remark(found, "every place once", fix, case, severity=Severity.WARNING)


def _between(case: Case, target: Target, before: Case, earlier: Target) -> Remark:
    found = f"'{target.location}' with the grade {target.grade:g}, and {earlier.grade:g} for the same query"
    return Remark(
        f"{found} in {named(before)}", "one grade for one query and place", "keep the right one", case
    )


def _overlaps(case: Case, judged: Sequence[tuple[Wanted, Target]]) -> Iterator[Remark]:
    """Find places judged not relevant that share lines with relevant ones: a hit there reaches both."""
    relevant: dict[str, list[_Span]] = {}
    irrelevant: list[tuple[str, _Span]] = []
    for wanted, target in judged:
        spot = wanted.found
        if isinstance(spot, Spot) and spot.path is not None:
            span = (spot.start or 1, spot.end or _LAST, target)
            if target.grade > 0:
                relevant.setdefault(spot.path, []).append(span)
            else:
                irrelevant.append((spot.path, span))
    reaching = {path: _Reaching(relevant[path]) for path, _ in irrelevant if path in relevant}
    for path, span in irrelevant:
        if path in reaching and (other := reaching[path].sharing_lines(span)) is not None:
            yield _shared(case, span[2], other)


_Span = tuple[int, int, "Target"]
_LAST = sys.maxsize


class _Reaching:
    """The spans of relevant targets in one file, each with the longest-reaching one that starts before it."""

    def __init__(self, spans: Sequence[_Span]) -> None:
        ordered = sorted(spans, key=itemgetter(0))
        self._starts = [span[0] for span in ordered]
        self._longest = list(accumulate(ordered, _longer))

    def sharing_lines(self, span: _Span) -> Target | None:
        """Give a target that shares lines with a span; the same lines with two grades are told elsewhere."""
        before = bisect_right(self._starts, span[1])
        other = self._longest[before - 1] if before else None
        return other[2] if other is not None and other[1] >= span[0] and other[:2] != span[:2] else None


def _longer(one: _Span, other: _Span) -> _Span:
    return one if one[1] >= other[1] else other


def _shared(case: Case, irrelevant: Target, relevant: Target) -> Remark:
    found = f"'{irrelevant.location}' with the grade {irrelevant.grade:g}, which shares lines "
    found += f"with '{relevant.location}' of grade {relevant.grade:g}"
    fix = "a hit on those lines reaches both: name the lines that are not relevant more closely"
    return Remark(found, "lines that are relevant or not", fix, case, severity=Severity.WARNING)


RULE = Rule(
    "contradictory-grades", Severity.ERROR, "grades that cannot both be right, or one place twice", check
)
