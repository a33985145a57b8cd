"""The page of a sweep, put together from its table: distinct variants, and every query in each of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from rankgate.gates.wording import figure
from rankgate.model import Answer
from rankgate.reports.comparison.rankings import DEPTH
from rankgate.reports.page.model import PageMetric
from rankgate.reports.rankings import NO_LOCATION, hit_mark
from rankgate.reports.sweep_page.model import (
    ERRORED,
    MARKS,
    NOT_FOUND,
    NOTHING_EXPECTED,
    CostChart,
    CostPoint,
    SweepPage,
    SweptQuery,
    on_front,
)
from rankgate.reports.text.printable import printable
from rankgate.runs.store.hits import location_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.model import Case
    from rankgate.reports.sweep.report import SweepReport, SweepRow
    from rankgate.runs.store.tables import Run
    from rankgate.scoring.matches import Column, Ints
    from rankgate.scoring.metric import Metric
    from rankgate.scoring.placements import JudgedHits
    from rankgate.sweeps.table import SweepTable

_Place: TypeAlias = tuple[str | None, str | None, int | None, int | None]
_LOCATION = ("id", "path", "start", "end")
_ERRORS = {Answer.ERROR.value, Answer.TIMEOUT.value}


@dataclass(frozen=True, slots=True, eq=False)
class _Distinct:
    """A distinct variant, query by query."""

    name: str
    column: Column
    status: list[str]
    first: Ints
    placed: JudgedHits
    hits: dict[str, list[tuple[int, _Place]]]
    """The rank and the location of each hit, by query."""


@dataclass(slots=True)
class _Numbered:
    """Things that stand once, by their numbers."""

    known: dict[object, int] = field(default_factory=dict)

    def number(self, thing: object) -> int:
        return self.known.setdefault(thing, len(self.known))


def sweep_page(table: SweepTable, report: SweepReport) -> SweepPage:
    """Return the page of a sweep over one suite."""
    metric = table.base.metrics[0]
    column, distinct = _columns(table, report)
    scores, places = _Numbered(), _Numbered()
    cases = {case.id: case for case in table.suite.cases}
    queries = [
        _query(cases[name], at, distinct, scores, places)
        for at, name in enumerate(table.base.queries)
        if name in cases
    ]
    queries.sort(key=lambda query: (not query.expected, sum(rank > 0 for rank in query.first)))
    return SweepPage(
        report=report,
        metric=_metric(metric),
        columns=tuple(one.name for one in distinct),
        column=column,
        alone=tuple(sum(query.only == at for query in queries) for at in range(len(distinct))),
        base=next(column[at] for at, row in enumerate(report.rows) if row.baseline),
        scores=tuple((value, figure(value, metric.unit)) for value in _floats(scores)),
        places=tuple(
            printable(location_text(*place) or NO_LOCATION)
            for place in places.known
            if isinstance(place, tuple)
        ),
        asked=tuple(queries),
        costs=tuple(cost_charts(report, less=metric.less_is_better)),
    )


def _floats(scores: _Numbered) -> Iterator[float]:
    return (one for one in scores.known if isinstance(one, float))


def _metric(metric: Metric) -> PageMetric:
    lowest = None if metric.range is None else metric.range.lowest
    return PageMetric(printable(metric.label), metric.unit, metric.less_is_better, metric.scale, lowest)


def _columns(table: SweepTable, report: SweepReport) -> tuple[tuple[int, ...], list[_Distinct]]:
    """Return the distinct variant of each row, and those; one that is the same as another is none."""
    names = {printable(one.variant.name): one.variant.name for one in table.shown}
    numbers, column = _Numbered(), []
    distinct: list[_Distinct] = []
    for row in report.rows:
        name = names[row.name]
        same = table.same.get(name)
        number = numbers.number(name if same is None else same.other)
        if number == len(distinct):
            distinct.append(_distinct(table, name))
        column.append(number)
    return tuple(column), distinct


def _distinct(table: SweepTable, name: str) -> _Distinct:
    found = table.of(name)
    label, queries = table.primary, table.base.queries
    if found is None:
        first, placed, scores = table.own.first_before, table.own.hits_before, table.base
        run = table.baseline.run
    else:
        comparison, run = found.comparison, found.asked.run
        first, placed, scores = comparison.first_after, comparison.hits_after, comparison.after
    hits = _hits(run, queries)
    return _Distinct(printable(name), scores.columns[label], scores.status.to_list(), first, placed, hits)


def _hits(run: Run, queries: pl.Series) -> dict[str, list[tuple[int, _Place]]]:
    """Read where the first hits of every query are: a hundred runs have too many to make objects of each."""
    found: dict[str, list[tuple[int, _Place]]] = {}
    for shard in run.shards():
        rows = shard.scan_hits(("query", "rank", *_LOCATION)).filter(pl.col("rank") <= DEPTH).collect()
        wanted = rows.filter(pl.col("query").is_in(queries.implode())).sort("query", "rank")
        for query, rank, *place in wanted.iter_rows():
            found.setdefault(query, []).append((rank, tuple(place)))
    return found


def _query(
    case: Case, at: int, distinct: Sequence[_Distinct], scores: _Numbered, places: _Numbered
) -> SweptQuery:
    rankings = _Numbered()
    values, first, ranking = [], [], []
    expects = any(target.grade > 0 for target in case.targets)
    for one in distinct:
        defined = bool(one.column.defined[at])
        values.append(scores.number(float(one.column.values[at])) if defined else -1)
        rank = int(one.first[at]) or (NOT_FOUND if expects else NOTHING_EXPECTED)
        first.append(ERRORED if one.status[at] in _ERRORS else rank)
        ranking.append(rankings.number(_ranking(case, one, places)))
    finders = [number for number, rank in enumerate(first) if rank > 0]
    return SweptQuery(
        case=printable(case.id),
        query=printable(case.query),
        category=printable(case.category or ""),
        expected=tuple(printable(str(target.location)) for target in case.targets if target.grade > 0),
        values=tuple(values),
        first=tuple(first),
        ranking=tuple(ranking),
        rankings=tuple(one for one in rankings.known if isinstance(one, tuple)),
        only=finders[0] if len(finders) == 1 and len(distinct) > 1 else None,
    )


def _ranking(case: Case, one: _Distinct, places: _Numbered) -> tuple[int, ...]:
    """Name each hit by its location and its mark."""
    found = one.hits.get(case.id, ())
    return tuple(
        len(MARKS) * places.number(place) + MARKS.index(hit_mark(case, one.placed, rank))
        for rank, place in found
    )


def cost_charts(report: SweepReport, *, less: bool) -> Iterator[CostChart]:
    """Set quality against each cost that at least two variants have."""
    kinds = (("latency", "ms per query, median"), ("tokens", "tokens per query, mean"))
    for name, unit in kinds:
        known = [(at, cost, value) for at, row in enumerate(report.rows) for cost, value in _cost(row, name)]
        if len(known) < 2:
            continue
        front = on_front([(cost, -value if less else value) for _, cost, value in known])
        yield CostChart(
            name,
            unit,
            tuple(
                CostPoint(at, cost, f"{cost:.3g}" if name == "latency" else f"{cost:,.0f}", value, best)
                for (at, cost, value), best in zip(known, front, strict=True)
            ),
        )


def _cost(row: SweepRow, name: str) -> Iterator[tuple[float, float]]:
    cost: float | None = getattr(row.numbers, name)
    value = row.numbers.means[0]
    if cost is not None and value is not None:
        yield cost, value
