"""The page of a comparison, put together from runs that were compared, or from kept evaluations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from rankgate.gates.wording import figure
from rankgate.model.wording import many
from rankgate.reports.comparison.errored import ENDS
from rankgate.reports.comparison.leaderboard import leaderboard
from rankgate.reports.comparison.rankings import DEPTH, BothRankings
from rankgate.reports.comparison.report import ComparisonReport
from rankgate.reports.comparison_page.model import (
    ComparedSystem,
    ComparisonPage,
    QueryInSystems,
    SystemAnswer,
    by_difference,
    compared_slices,
)
from rankgate.reports.page.model import PageHit, PageMetric
from rankgate.reports.text.marks import NOTHING
from rankgate.reports.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.model import Case, Suite
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
    )
    left = len(ordered) - len(page.asked)
    said = f"{many(left, 'query', 'queries')} that differ less left out, to keep the page small"
    return replace(page, notes=(said,)) if left else page
