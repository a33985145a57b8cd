"""Recommendations: at most five facts of a test, each with its queries and one action."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from posixpath import commonpath

from rankgate.headline import names_text
from rankgate.report import CaseResult, CaseState, Change, Recommendation, ShownTarget, SliceResult
from rankgate.wording import many

MOST = 5
_WEAK = 0.1
"""How far below the other cases a slice must be to be named."""
_FEW = 3
"""The smallest slice that is named."""


def recommendations(
    cases: Sequence[CaseResult], slices: Sequence[SliceResult], metric: str, explain: Callable[[str], str]
) -> tuple[Recommendation, ...]:
    """Return at most five recommendations: what the search lost, the weakest slice, and facts by queries.

    In a comparison, only slices that fell are named: the others explain no change.

    Args:
        cases: The results of all cases.
        slices: The results of all slices.
        metric: The primary metric.
        explain: Returns the command that explains the case with a name.
    """
    tested = [case for case in cases if case.state is not CaseState.ERROR and case.known is None]
    lost = [*_lost_documents(tested, explain)]
    known = {name for one in lost for name in one.queries}
    # In a large suite, the report has only the first result of most cases.
    complete = [case for case in tested if len(case.hits) > 1 or case.returned <= 1]
    by_results = [
        *_other_lines(complete),
        *_not_found([case for case in complete if case.name not in known], explain),
    ]
    if len(complete) < len(tested):
        by_results = [replace(one, fact=f"At least {one.fact}") for one in by_results]
    found = [*by_results, *_duplicates(tested), *_unjudged(tested)]
    found.sort(key=lambda one: -len(one.queries))
    weakest = _weakest(tested, [one for one in slices if _fell(one, metric)], metric)
    return (*lost, *weakest, *found)[:MOST]


def _fell(part: SliceResult, metric: str) -> bool:
    """Check whether a slice is worse than in the baseline; without a baseline, every slice counts."""
    before = part.before.get(metric)
    return before is None or (part.values.get(metric) or 0.0) < before


def _document(target: ShownTarget) -> str:
    return target.location.partition("#")[0].partition(":")[0]


def _lost_documents(cases: Sequence[CaseResult], explain: Callable[[str], str]) -> Iterator[Recommendation]:
    """Name the documents that the baseline found for several queries, and that no query finds now."""
    before: dict[str, list[str]] = {}
    now = set()
    for case in sorted(cases, key=lambda case: case.change is not Change.REGRESSED):
        for target in case.targets:
            if target.grade > 0 and target.before is not None:
                before.setdefault(_document(target), []).append(case.name)
            if target.rank is not None:
                now.add(_document(target))
    gone = [path for path in before if path not in now]
    names = tuple(dict.fromkeys(name for path in gone for name in before[path]))
    if len(names) > 1:
        folder = _folder(gone)
        whole = folder and not any(path.startswith(folder) for path in now)
        found = f"{len(gone)} documents below {folder}" if whole else names_text(gone)
        yield Recommendation(
            fact=f"The baseline found {found} for {len(names):,} queries. No query finds "
            f"{'it' if len(gone) == 1 else 'them'} now.",
            action=f"Check that {'it is' if len(gone) == 1 else 'they are'} indexed: {explain(names[0])}",
            queries=names,
        )


def _folder(paths: Sequence[str]) -> str:
    """Return the folder of several documents, with a slash; empty if they have none in common."""
    return commonpath(paths) + "/" if len(paths) > 1 and commonpath(paths) else ""


def _weakest(
    cases: Sequence[CaseResult], slices: Sequence[SliceResult], metric: str
) -> Iterator[Recommendation]:
    """Name the weakest slice, if it is far below the mean of all other queries."""
    worst: tuple[float, SliceResult, float] | None = None
    for one in slices:
        value = one.values.get(metric)
        others = [
            (case.values[metric] or 0.0, case.weight)
            for case in cases
            if not _is_in(case, one) and case.values.get(metric) is not None
        ]
        if value is None or one.count < _FEW or not others:
            continue
        mean = sum(each * weight for each, weight in others) / sum(weight for _, weight in others)
        if mean - value > _WEAK and (worst is None or mean - value > worst[0]):
            worst = (mean - value, one, mean)
    if worst is not None:
        _, one, mean = worst
        yield Recommendation(
            fact=f"The {one.key} {one.name} has {metric} {one.values[metric]:.3f}, the others {mean:.3f}.",
            action=f"Look at its {many(one.count, 'query', 'queries')}.",
        )


def _is_in(case: CaseResult, part: SliceResult) -> bool:
    if part.key == "category":
        return case.category == part.name
    if part.key == "tag":
        return part.name in case.tags
    return part.name in case.filters.get(part.key, ())


def _other_lines(cases: Sequence[CaseResult]) -> Iterator[Recommendation]:
    """Name the queries that found the right document and other lines."""
    names = []
    for case in cases:
        paths = {_document(target) for target in case.targets if target.grade > 0}
        if case.rank is None and any(hit.location.partition(":")[0] in paths for hit in case.hits):
            names.append(case.name)
    if names:
        yield Recommendation(
            fact=f"{many(len(names), 'query finds', 'queries find')} the right document and other lines.",
            action="Compare the sections that the index has with the lines that the suite expects.",
            queries=tuple(names),
        )


def _not_found(cases: Sequence[CaseResult], explain: Callable[[str], str]) -> Iterator[Recommendation]:
    """Name the queries of which no result is in an expected document."""
    names = []
    for case in cases:
        wanted = {
            _document(target) for target in case.targets if target.grade > 0 and target.source != "estimated"
        }
        found = any(hit.location.partition(":")[0] in wanted for hit in case.hits)
        if wanted and case.rank is None and not found:
            names.append(case.name)
    if names:
        yield Recommendation(
            fact=f"{many(len(names), 'query does', 'queries do')} not find any expected document.",
            action=f"Check that it is indexed: {explain(names[0])}",
            queries=tuple(names),
        )


def _duplicates(cases: Sequence[CaseResult]) -> Iterator[Recommendation]:
    """Name the queries whose results return a document again."""
    names = [case.name for case in cases if sum(hit.duplicate for hit in case.hits) > 1]
    if names:
        yield Recommendation(
            fact=f"Results of {many(len(names), 'query', 'queries')} repeat targets that are already found.",
            action="Group results by document or section.",
            queries=tuple(names),
        )


def _unjudged(cases: Sequence[CaseResult]) -> Iterator[Recommendation]:
    """Name the queries with unjudged results in the top k of a pooled suite."""
    names = [case.name for case in cases if case.unjudged]
    if names:
        number = sum(case.unjudged or 0 for case in cases)
        yield Recommendation(
            fact=f"{many(number, 'result')} in the top k of {many(len(names), 'query', 'queries')} "
            f"{'is' if number == 1 else 'are'} not judged.",
            action="Judge them: rankgate judge",
            queries=tuple(names),
        )
