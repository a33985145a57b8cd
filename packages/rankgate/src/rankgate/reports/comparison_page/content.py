"""The page of a comparison, put together from runs that were compared, or from kept evaluations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from rankgate.gates.wording import figure
from rankgate.model.wording import many
from rankgate.reports.comparison.errored import ENDS
from rankgate.reports.comparison.leaderboard import leaderboard
from rankgate.reports.comparison.rankings import DEPTH, BothRankings
from rankgate.reports.comparison.report import Claims, ComparisonReport
from rankgate.reports.comparison_page.model import (
    ComparedSystem,
    ComparisonPage,
    QueryInSystems,
    SystemAnswer,
    by_difference,
    compared_slices,
)
from rankgate.reports.page.comparison import compare_pages, first_rank
from rankgate.reports.page.model import PageHit, PageMetric
from rankgate.reports.text.marks import NOTHING
from rankgate.reports.text.printable import printable
from rankgate.scoring.paired.compare import holm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.model import Case, Suite
    from rankgate.reports.page.model import PageQuery, ReportPage
    from rankgate.runs.store.tables import Run
    from rankgate.scoring.comparison import Comparison
    from rankgate.scoring.scores import Scores

MOST_QUERIES = 20_000
"""How many queries a page has: those that differ most."""


class ComparedRuns(NamedTuple):
    """Two runs that were compared."""

    report: ComparisonReport
    """What is said of them."""
    comparison: Comparison
    """Their scores."""
    runs: tuple[Run, Run]
    """Their answers."""


def page_of_runs(suite: Suite, compared: Sequence[ComparedRuns]) -> ComparisonPage:
    """Return the page of runs that were compared with one."""
    scores = compared[0].comparison.after
    metrics = tuple(
        PageMetric(printable(metric.label), metric.unit, metric.less_is_better)
        for metric in scores.metrics
        if metric.statistic == "mean" and metric.paired
    )
    labels = [one.label for one in scores.metrics if one.statistic == "mean" and one.paired]
    cases = {case.id: case for case in suite.cases}
    answers: dict[str, list[SystemAnswer | None]] = {
        query: [None] * (len(compared) + 1) for query in scores.queries if query in cases
    }
    units = [metric.unit for metric in metrics]
    for number, one in enumerate(compared, 1):
        rankings = BothRankings.of(one.runs, one.comparison)
        shared = one.comparison.shared.tolist()
        sides = _Side(one.comparison, 0, labels, units), _Side(one.comparison, 1, labels, units)
        for at, query in enumerate(scores.queries):
            if not shared[at] or query not in cases:
                continue
            before, after = rankings.marked(cases[query])
            answers[query][0] = answers[query][0] or sides[0].answer(at, before)
            answers[query][number] = sides[1].answer(at, after)
    weights = dict(zip(scores.queries, scores.weights.tolist(), strict=True))
    queries = [_query(cases[name], these, weights[name]) for name, these in answers.items() if any(these)]
    names = [compared[0].report.before, *(one.report.after for one in compared)]
    systems = tuple(map(ComparedSystem, names))
    return _page(suite.name, systems, metrics, [one.report for one in compared], queries)


class _Side:
    """One of two runs, query by query."""

    def __init__(
        self, comparison: Comparison, side: int, labels: Sequence[str], units: Sequence[str]
    ) -> None:
        scores: Scores = (comparison.before, comparison.after)[side]
        self._columns = [scores.columns[label] for label in labels]
        self._units = units
        self._first = (comparison.first_before, comparison.first_after)[side]
        self._status = scores.status.to_list()

    def answer(self, at: int, hits: Sequence[tuple[str, str]]) -> SystemAnswer:
        """Return what it answered to the query with a number."""
        values = [float(one.values[at]) if one.defined[at] else None for one in self._columns]
        shown = (
            NOTHING if value is None else figure(value, unit)
            for value, unit in zip(values, self._units, strict=True)
        )
        found = tuple(PageHit(printable(location), mark) for location, mark in hits[:DEPTH])  # type: ignore[arg-type]
        errored = self._status[at] in ENDS
        return SystemAnswer(tuple(values), tuple(shown), int(self._first[at]), found, errored)


def _query(case: Case, answers: Sequence[SystemAnswer | None], weight: float) -> QueryInSystems:
    expected = tuple(printable(str(target.location)) for target in case.targets if target.grade > 0)
    named = printable(case.id), printable(case.query), printable(case.category or "")
    return QueryInSystems(*named, tuple(answers), expected, weight)


def page_of_pages(
    pages: Sequence[ReportPage], names: Sequence[str], addresses: Sequence[str] = ()
) -> ComparisonPage:
    """Return the page of kept evaluations of one suite, each compared with the first."""
    base, others = pages[0], pages[1:]
    pairs = [(names[0], name) for name in names[1:]]
    compared = [compare_pages(base, page, pair) for page, pair in zip(others, pairs, strict=True)]
    if len(compared) > 1:
        adjusted = holm([_p(_report(page)) for page in compared])
        alone = holm([_p(_report(page), answered=True) for page in compared])
        claims = [Claims(len(others), p, q) for p, q in zip(adjusted, alone, strict=True)]
        compared = [
            compare_pages(base, page, pair, claim)
            for page, pair, claim in zip(others, pairs, claims, strict=True)
        ]
    metrics = tuple(metric for metric in compared[0].metrics if metric.unit != "ms")
    kept = {query.case: query for query in base.queries}
    answers: dict[str, list[SystemAnswer | None]] = {}
    asked: dict[str, PageQuery] = {}
    for number, page in enumerate(compared, 1):
        columns = [_column(metric, page.metrics) for metric in metrics]
        own = [_column(metric, base.metrics) for metric in metrics]
        for query in page.queries:
            if query.before is None:
                continue
            these = answers.setdefault(query.case, [None] * len(pages))
            these[0] = these[0] or _kept_answer(kept[query.case], own)
            these[number] = _kept_answer(query, columns)
            asked.setdefault(query.case, query)
    queries = [_kept_query(asked[case], these) for case, these in answers.items()]
    links = [*addresses, *[""] * len(pages)]
    systems = tuple(ComparedSystem(name, link) for name, link in zip(names, links, strict=False))
    return _page(base.report.title, systems, metrics, [_report(page) for page in compared], queries)


def _report(page: ReportPage) -> ComparisonReport:
    return page.report.comparison or ComparisonReport("", "", "")


def _p(report: ComparisonReport, *, answered: bool = False) -> float:
    rows = report.errors.rows if answered and report.errors is not None else report.rows
    return rows[0].numbers.p if rows else 1.0


def _column(metric: PageMetric, known: Sequence[PageMetric]) -> int | None:
    named = (metric.name, metric.unit)
    return next((at for at, one in enumerate(known) if (one.name, one.unit) == named), None)


def _kept_answer(query: PageQuery, columns: Sequence[int | None]) -> SystemAnswer:
    values = tuple(None if at is None else query.values[at] for at in columns)
    shown = tuple(NOTHING if at is None else query.shown[at] for at in columns)
    hits = tuple(PageHit(hit.location, hit.mark, hit.grade) for hit in query.hits[:DEPTH])
    return SystemAnswer(values, shown, first_rank(query), hits, query.ended in ENDS)


def _kept_query(query: PageQuery, answers: Sequence[SystemAnswer | None]) -> QueryInSystems:
    expected = tuple(target.location for target in query.targets if not target.grade.startswith("-"))
    return QueryInSystems(query.case, query.query, query.category, tuple(answers), expected, query.weight)


def _page(
    suite: str,
    systems: tuple[ComparedSystem, ...],
    metrics: tuple[PageMetric, ...],
    reports: Sequence[ComparisonReport],
    queries: Sequence[QueryInSystems],
) -> ComparisonPage:
    at = next((at for at, metric in enumerate(metrics) if metric.unit != "ms"), 0)
    ordered = by_difference(queries, at) if metrics else tuple(queries)
    slices = (
        compared_slices(queries, other, metrics[at], at) if metrics else ()
        for other in range(1, len(systems))
    )
    page = ComparisonPage(
        printable(suite),
        tuple(replace(system, name=printable(system.name)) for system in systems),
        metrics,
        tuple(reports),
        ordered[:MOST_QUERIES],
        leaderboard(reports, less=bool(metrics) and metrics[at].less),
        tuple(slices),
        tuple(report.could_turn for report in reports),
    )
    left = len(ordered) - len(page.asked)
    said = f"{many(left, 'query', 'queries')} that differ less left out, to keep the page small"
    return replace(page, notes=(said,)) if left else page
