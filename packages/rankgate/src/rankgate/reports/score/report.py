"""What a report says: every number and every string, worked out once.

Values stay full doubles for machines; the strings for people are made here and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.model.wording import figure, many
from rankgate.reports.text.marks import ESTIMATED, NOTHING, token_notes
from rankgate.reports.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from rankgate.model import Counts
    from rankgate.scoring.scores import Scores
    from rankgate.truth.judgments.table import Judgments


@dataclass(frozen=True, slots=True)
class Cell:
    """One value, for machines and for people."""

    value: float | None
    text: str
    estimated: int = 0
    """How many of the values behind it rest on estimated labels or tokens."""


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One metric across runs."""

    metric: str
    cells: tuple[Cell, ...]
    counts: tuple[Counts, ...]
    best: frozenset[int]
    """Which runs have the best value; empty with a single run, or where all agree."""


@dataclass(frozen=True, slots=True)
class QueryRow:
    """One metric of one query across runs."""

    name: str
    """The query's id, as the judgments have it."""
    query: str
    """The same, safe to show."""
    metric: str
    statuses: tuple[str, ...]
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class ScoredSlice:
    """One metric of the queries of one slice, across runs."""

    name: str
    """The slice, as the hits have it."""
    metric: str
    cells: tuple[Cell, ...]
    scored: tuple[int, ...]
    """How many queries stand behind each value."""


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """The scores of one or more runs."""

    judgments: str
    """Where the judgments came from."""
    trec: bool
    """True where order and counting are trec_eval's."""
    header: tuple[str, ...]
    """What was scored, and how it was ordered and counted."""
    runs: tuple[str, ...]
    """The runs, in the order given."""
    rows: tuple[ScoreRow, ...]
    """A row a metric."""
    queries: tuple[QueryRow, ...]
    """A row for each query and metric, where they were asked for."""
    by: str | None
    """What slices are made by; None where there are none."""
    slices: tuple[ScoredSlice, ...]
    """A row for each slice and metric."""
    notes: tuple[str, ...]
    """What a reader must know about these figures: missing, errored, undefined, dropped."""


def score_report(
    where: str,
    judgments: Judgments,
    scores: Sequence[Scores],
    *,
    per_query: bool,
    slices: Sequence[pl.Series] = (),
) -> ScoreReport:
    """Work out the report of some runs that were scored against the same judgments.

    Args:
        where: Where the judgments came from.
        judgments: What should be found.
        scores: The scores of each run.
        per_query: True where every query is listed.
        slices: For each run, the slice of each query; the name of the series says what they are made by.
    """
    size = f"{many(len(judgments.cases), 'query', 'queries')}, {many(judgments.height, 'judgment')}"
    header = (f"{printable(where)}: {size}", _rules(scores))
    return ScoreReport(
        judgments=printable(where),
        trec=scores[0].trec,
        header=header,
        runs=_names(scores),
        rows=tuple(_row(scores, number) for number in range(len(scores[0].metrics))),
        queries=_query_rows(scores) if per_query else (),
        by=printable(slices[0].name) if slices else None,
        slices=_slice_rows(scores, slices) if slices else (),
        notes=tuple(
            note for one, name in zip(scores, _names(scores), strict=True) for note in _notes(one, name)
        ),
    )


def _rules(scores: Sequence[Scores]) -> str:
    """Return by which rules hits were ordered and queries counted."""
    orders, trec = {one.order for one in scores}, scores[0].trec
    if trec and orders == {"trec"}:
        return "order and counting: trec_eval (score as float32, ties by id descending, undefined = 0)"
    order = (
        "as returned" if orders == {"returned"} else "trec_eval's" if orders == {"trec"} else "each run's own"
    )
    undefined = "counted as 0, as trec_eval does" if trec else "left out and counted"
    return f"order: {order}; queries that a metric does not apply to are {undefined}"


def _names(scores: Sequence[Scores]) -> tuple[str, ...]:
    """Name the runs apart: two of one name are numbered."""
    names = [printable(one.run) for one in scores]
    return tuple(
        name if names.count(name) == 1 else f"{name} #{number}" for number, name in enumerate(names, 1)
    )


def _row(scores: Sequence[Scores], number: int) -> ScoreRow:
    metric = scores[0].metrics[number]
    values = [one[metric.label] for one in scores]
    known = [value for value in values if value is not None]
    better = min if metric.less_is_better else max
    top = better(known) if len(set(known)) > 1 else None
    counts = tuple(one.counts(metric.label) for one in scores)
    return ScoreRow(
        metric=metric.label,
        cells=tuple(
            _cell(value, metric.unit, int(one.approximate(metric.label).sum()))
            for value, one in zip(values, scores, strict=True)
        ),
        counts=counts,
        best=frozenset(at for at, value in enumerate(values) if top is not None and value == top),
    )


def _query_rows(scores: Sequence[Scores]) -> tuple[QueryRow, ...]:
    values = {
        metric.label: [list(one.per_query(metric.label).values()) for one in scores]
        for metric in scores[0].metrics
    }
    marks = {metric.label: [one.approximate(metric.label) for one in scores] for metric in scores[0].metrics}
    statuses = [one.status.to_list() for one in scores]
    return tuple(
        QueryRow(
            name=query,
            query=printable(query),
            metric=metric.label,
            statuses=tuple(status[at] for status in statuses),
            cells=tuple(
                _cell(column[at], metric.unit, int(marked[at]))
                for column, marked in zip(values[metric.label], marks[metric.label], strict=True)
            ),
        )
        for at, query in enumerate(scores[0].queries.to_list())
        for metric in scores[0].metrics
    )


def _slice_rows(scores: Sequence[Scores], slices: Sequence[pl.Series]) -> tuple[ScoredSlice, ...]:
    rows = []
    for metric in scores[0].metrics:
        means = [one.by_slice(metric.label, these) for one, these in zip(scores, slices, strict=True)]
        for name in sorted({name for some in means for name in some}):
            found = [some.get(name, (None, 0, 0)) for some in means]
            cells = tuple(_cell(value, metric.unit, marked) for value, _, marked in found)
            rows.append(ScoredSlice(name, metric.label, cells, tuple(scored for _, scored, _ in found)))
    return tuple(sorted(rows, key=lambda row: row.name))


def _notes(scores: Scores, name: str) -> list[str]:
    counts = [scores.counts(metric.label) for metric in scores.metrics]
    notes = [f"{name}: {printable(note)}" for note in scores.notes]
    if counts and counts[0].errored:
        notes.append(f"{name}: {many(counts[0].errored, 'query', 'queries')} failed, counted as 0")
    if counts and counts[0].missing:
        notes.append(
            f"{name}: {many(counts[0].missing, 'judged query', 'judged queries')} missing, counted as 0"
        )
    if scores.times > 1:
        notes.append(f"{name}: asked {scores.times} times, a query's value is its mean")
    if scores.unjudged:
        notes.append(f"{name}: {many(scores.unjudged, 'query', 'queries')} without judgments left out")
    undefined: dict[int, list[str]] = {}
    for metric, count in zip(scores.metrics, counts, strict=True):
        if count.undefined:
            undefined.setdefault(count.undefined, []).append(metric.label)
    for number, labels in undefined.items():
        notes.append(f"{name}: {', '.join(labels)} not applicable to {many(number, 'query', 'queries')}")
    if int(scores.estimated.sum()):
        estimated = many(int(scores.estimated.sum()), "query", "queries")
        notes.append(f"{name}: {estimated} with estimated labels, marked {ESTIMATED}")
    notes += [f"{name}: {note}" for note in token_notes(scores)]
    if counts and counts[0].unreviewed:
        notes.append(f"{name}: {many(counts[0].unreviewed, 'query', 'queries')} with unreviewed targets")
    return notes


def _cell(value: float | None, unit: str, estimated: int) -> Cell:
    text = NOTHING if value is None else figure(value, unit)
    return Cell(value, ESTIMATED + text if estimated else text, estimated)
