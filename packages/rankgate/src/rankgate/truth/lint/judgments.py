"""Judgments that contradict each other, come from one engine or are missing; known misses past their day.

A source is independent of what is measured if its first word is one of `INDEPENDENT`: ``person``, ``clicks``,
``import``, ``model:gpt-5 prompt 3``. Any other is taken for the name of an engine: ``engine``,
``engine:bm25``, ``app``.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections import Counter
from itertools import accumulate
from operator import itemgetter
from typing import TYPE_CHECKING

from rankgate.truth.lint.context import LintRemark, Severity, named, quoted, rule
from rankgate.truth.locations.lookup import Spot

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from rankgate.model import Case, Target
    from rankgate.truth.lint.context import CaseLocation, LintContext


@rule("contradictory-grades", Severity.ERROR, "grades that cannot both be right, or one location twice")
def contradictory_grades(context: LintContext) -> Iterator[LintRemark]:
    """Compare the grades of a location within a case and between cases of one query, and of overlaps."""
    folded = {case.id: text for case, text in zip(context.cases, context.folded, strict=True)}
    asked: dict[Hashable, tuple[Case, Target]] = {}
    for case, judged in _by_case(context):
        own: dict[Hashable, Target] = {}
        told: set[Hashable] = set()
        for wanted, target in judged:
            key = _key(wanted)
            first = own.setdefault(key, target)
            differ = first.grade != target.grade
            if first is target or (key, differ) in told or (not differ and first.group != target.group):
                continue
            told.add((key, differ))
            yield _again(case, wanted, first, target)
        yield from _overlaps(case, judged)
        for key, target in own.items():
            before, earlier = asked.setdefault((folded[case.id], case.facets, key), (case, target))
            if before is not case and earlier.grade != target.grade:
                grades = f"the grade {target.grade:g}, and {earlier.grade:g} for the same query"
                found = f"'{target.location}' with {grades} in {named(before)}"
                yield LintRemark(found, "one grade for one query and location", "keep the right one", case)


def _by_case(context: LintContext) -> Iterator[tuple[Case, list[tuple[CaseLocation, Target]]]]:
    judged: dict[str, list[tuple[CaseLocation, Target]]] = {}
    for wanted in context.case_locations:
        if wanted.target is not None:
            judged.setdefault(wanted.case.id, []).append((wanted, wanted.target))
    for targets in judged.values():
        yield targets[0][0].case, targets


def _key(wanted: CaseLocation) -> Hashable:
    """Return what is equal for locations that mean the same lines, however they are written."""
    spot = wanted.found
    return tuple(spot.fields().values()) if isinstance(spot, Spot) else wanted.location


def _again(case: Case, wanted: CaseLocation, first: Target, target: Target) -> LintRemark:
    """Report a location that a case has twice, with two grades or with one."""
    as_well = "" if first.location == wanted.location else f" ('{first.location}' is the same location)"
    if first.grade != target.grade:
        found = f"'{wanted.location}' with the grades {first.grade:g} and {target.grade:g}{as_well}"
        return LintRemark(found, "one grade for each location", "keep the right one", case)
    found = f"'{wanted.location}' twice in one case{as_well}"
    fix = "delete one, or correct it if another location was meant"
    return LintRemark(found, "every location once", fix, case, severity=Severity.WARNING)


def _overlaps(case: Case, judged: Sequence[tuple[CaseLocation, Target]]) -> Iterator[LintRemark]:
    """Find locations judged not relevant that share lines with relevant ones: a hit there reaches both."""
    relevant: dict[str, list[_Span]] = {}
    irrelevant: list[tuple[str, _Span]] = []
    for wanted, target in judged:
        spot = wanted.found
        # Passages that were quoted have characters, and share none where they share a line.
        if isinstance(spot, Spot) and spot.path is not None and spot.start_char is None:
            span = (spot.start or 1, spot.end or _LAST, target)
            if target.grade > 0:
                relevant.setdefault(spot.path, []).append(span)
            else:
                irrelevant.append((spot.path, span))
    reaching = {path: _Reaching(relevant[path]) for path, _ in irrelevant if path in relevant}
    for path, span in irrelevant:
        if path in reaching and (other := reaching[path].sharing_lines(span)) is not None:
            judged_not = span[2]
            found = f"'{judged_not.location}' with the grade {judged_not.grade:g}, which shares lines "
            found += f"with '{other.location}' of grade {other.grade:g}"
            fix = "a hit on those lines reaches both: name the lines that are not relevant more closely"
            yield LintRemark(found, "lines that are relevant or not", fix, case, severity=Severity.WARNING)


_Span = tuple[int, int, "Target"]
_LAST = sys.maxsize


class _Reaching:
    """The spans of relevant targets in one file, each with the longest-reaching one that starts before it."""

    def __init__(self, spans: Sequence[_Span]) -> None:
        ordered = sorted(spans, key=itemgetter(0))
        self._starts = [span[0] for span in ordered]
        self._longest = list(accumulate(ordered, _longer))

    def sharing_lines(self, span: _Span) -> Target | None:
        """Return a target that shares lines with a span; equal lines with two grades are told elsewhere."""
        before = bisect_right(self._starts, span[1])
        other = self._longest[before - 1] if before else None
        return other[2] if other is not None and other[1] >= span[0] and other[:2] != span[:2] else None


def _longer(one: _Span, other: _Span) -> _Span:
    return one if one[1] >= other[1] else other


INDEPENDENT = frozenset(
    [
        "annotator",
        "click",
        "clicks",
        "expert",
        "human",
        "import",
        "llm",
        "log",
        "logs",
        "model",
        "people",
        "person",
    ]
)
"""The first words of sources that are no engine."""

SHARE = 0.9
"""Which part of the targets may come from one engine."""

_FIRST_WORD = re.compile(r"[^\W_]+")


@rule("single-engine", Severity.WARNING, "nearly all targets come from one engine")
def single_engine(context: LintContext) -> Iterator[LintRemark]:
    """Count the relevant targets of each source."""
    relevant = [target for case in context.cases for target in case.targets if target.grade > 0]
    sources = Counter(target.source for target in relevant)
    if not sources:
        return
    source, number = sources.most_common(1)[0]
    if independent(source) or number < SHARE * len(relevant):
        return
    unreviewed = sum(not target.reviewed for target in relevant if target.source == source)
    found = (
        f"{number} of {len(relevant)} relevant targets from {source!r} alone, {unreviewed} of them unreviewed"
    )
    fix = "pool the answers of several systems, and let a person judge them"
    yield LintRemark(found, "truth that does not come from one engine: it cannot find that engine wrong", fix)


def independent(source: str) -> bool:
    """Check whether a source is something else than an engine.

    >>> independent("model:gpt-5 prompt 3"), independent("engine:bm25")
    (True, False)
    """
    first = _FIRST_WORD.search(source)
    return first is not None and first[0].casefold() in INDEPENDENT


@rule("no-targets", Severity.WARNING, "a case says nothing of what should be found")
def no_targets(context: LintContext) -> Iterator[LintRemark]:
    """Find cases with neither targets nor `expect`, `top`, `never` or an answer."""
    for case in context.cases:
        if not (case.targets or case.top or case.expects_nothing or case.answer):
            found = f"the query {quoted(case.query)} and nothing it should find"
            fix = "judge it, or write expect: empty if the right answer is no hit at all"
            yield LintRemark(found, "at, id, any_of, top or expect", fix, case)


@rule("xfail-expired", Severity.WARNING, "the day of a known miss has passed")
def xfail_expired(context: LintContext) -> Iterator[LintRemark]:
    """Compare the last day of every known miss with today."""
    for case in context.cases:
        if case.xfail is not None and not case.xfail.active(context.today):
            found = f"an xfail until {case.xfail.until}, which has passed: {case.xfail.reason}"
            yield LintRemark(found, "a day to come", "delete the xfail, or give it a new date", case)
