"""What earlier evaluations were, for a page: each metric over time, and the rank of each query in every run.

A point says what its fingerprint is made of and no longer the same: suite, corpus or system. Ranks are those
that were found then, by the judgments of then.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from rankgate.gates.language import Measure
from rankgate.model import Answer
from rankgate.model.wording import many
from rankgate.reports.page.model import (
    MetricGate,
    PageMetric,
    PageTrend,
    QueryPast,
    TrendPoint,
)
from rankgate.reports.text.marks import GOOD
from rankgate.reports.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankgate.gates.scored import GateVerdict
    from rankgate.reports.page.model import PageQuery, PageTarget, ReportPage
    from rankgate.reports.text.marks import Mark

RankCell: TypeAlias = int | None
"""A rank from 1; `NOT_FOUND`, `ERRORED` or `NOTHING_EXPECTED`; None where the query was not asked."""

PARTS = ("suite", "corpus", "system")
"""What the fingerprint of an evaluation is made of."""
NOT_FOUND, ERRORED, NOTHING_EXPECTED = 0, -1, -2
MOST_POINTS = 200
"""How many evaluations a page shows: the latest."""
MOST_MOVED = 100
"""How many queries are listed with their past."""
_ENDS = (Answer.ERROR.value, Answer.TIMEOUT.value)


class PastRun(NamedTuple):
    """One evaluation, as a history remembers it."""

    number: int
    """Which one it was, from 1."""
    name: str
    """What people call it: a commit, or ``#3``."""
    time: str
    """When it was made."""
    mark: Mark
    """How it ended."""
    status: str
    """The same in a line."""
    metrics: tuple[PageMetric, ...]
    """What was measured."""
    values: tuple[float | None, ...]
    """A value a metric."""
    shown: tuple[str, ...]
    """The same for people."""
    gates: tuple[MetricGate, ...] = ()
    """The gates over all queries."""
    made_of: Mapping[str, str] = {}
    """The fingerprint of each of `PARTS`; one that nobody knows is not there."""


def metric_gates(verdicts: Iterable[GateVerdict]) -> tuple[MetricGate, ...]:
    """Return the gates that hold a metric over all queries to a value."""
    return tuple(
        MetricGate(printable(rule.label or ""), rule.bar, printable(verdict.gate))
        for verdict in verdicts
        if (rule := verdict.rule).measure is Measure.METRIC and not (rule.only or rule.worst)
    )


def trend_of(metrics: Sequence[PageMetric], runs: Sequence[PastRun]) -> PageTrend:
    """Lay out evaluations over time, the oldest first, by the metrics of today."""
    shown = list(runs)[-MOST_POINTS:]
    points, before = [], dict[str, str]()
    for at, run in enumerate(shown):
        known = {(metric.name, metric.unit): number for number, metric in enumerate(run.metrics)}
        columns = [known.get((metric.name, metric.unit)) for metric in metrics]
        changed = [part for part in PARTS if at and _differs(before.get(part), run.made_of.get(part))]
        # What an evaluation does not tell is that of the last one that did.
        before |= run.made_of
        points.append(
            TrendPoint(
                number=run.number,
                name=run.name,
                time=run.time,
                mark=run.mark,
                status=run.status,
                values=tuple(None if column is None else run.values[column] for column in columns),
                shown=tuple("" if column is None else run.shown[column] for column in columns),
                gates=run.gates,
                changed=tuple(changed),
            )
        )
    left = len(runs) - len(shown)
    note = f"{many(left, 'earlier evaluation')} not shown" if left else ""
    return PageTrend(tuple(metrics), tuple(points), note=note)


def _differs(before: str | None, now: str | None) -> bool:
    return before is not None and now is not None and before != now


def rank_cell(query: PageQuery) -> RankCell:
    """Return where the first relevant hit of a query stands, or what came instead."""
    if query.ended in _ENDS:
        return ERRORED
    relevant = [target for target in query.targets if _relevant(target)]
    if not relevant:
        return NOTHING_EXPECTED
    return min((one.rank for one in relevant if one.rank is not None and one.mark == GOOD), default=NOT_FOUND)


def _relevant(target: PageTarget) -> bool:
    return not target.grade.startswith("-") and target.grade.strip("0.") != ""


def with_past(
    page: ReportPage, runs: Sequence[PastRun], numbers: Sequence[int], ranks: Mapping[str, Sequence[RankCell]]
) -> ReportPage:
    """Return a page with its past.

    Args:
        page: The page of the latest evaluation.
        runs: Every evaluation, the oldest first, with this one.
        numbers: The evaluations that ranks are known of, the oldest first, with this one.
        ranks: For each case, a cell for each of them.
    """
    trend = trend_of(page.metrics, runs)
    if len(numbers) < 2:
        return replace(page, trend=trend)
    queries = tuple(replace(query, ranks=tuple(ranks.get(query.case, ()))) for query in page.queries)
    moved = sorted((query for query in queries if _changes(query.ranks)), key=_order)
    named = {run.number: run for run in runs}
    trend = replace(
        trend,
        runs=tuple(f"#{number}" if number not in named else named[number].name for number in numbers),
        moved=tuple(QueryPast(query.case, query.query, query.ranks) for query in moved[:MOST_MOVED]),
        moved_count=len(moved),
    )
    return replace(page, trend=trend, queries=queries)


def _changes(cells: Sequence[RankCell]) -> int:
    known = [cell for cell in cells if cell is not None]
    return sum(one != other for one, other in itertools.pairwise(known))


def _order(query: PageQuery) -> tuple[float, int, str]:
    """Sort by how far a query stands below its best, then by how often it changed."""
    known = [_worth(cell) for cell in query.ranks if cell is not None]
    return known[-1] - max(known), -_changes(query.ranks), query.case


def _worth(cell: int) -> float:
    return 1 / cell if cell > 0 else 0.0 if cell != NOTHING_EXPECTED else 1.0
