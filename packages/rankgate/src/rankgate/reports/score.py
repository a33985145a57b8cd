"""The report of `rankgate score`: values and their texts, written as CSV, JSON, tables, or as trec_eval does.

Values stay full doubles for machines; the texts for people are made here and nowhere else.
"""

from __future__ import annotations

import csv
import io
import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError
from rankgate.model.wording import NOTHING, figure, many
from rankgate.reports.text.printable import printable, printable_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import polars as pl

    from rankgate.model import Counts
    from rankgate.scoring.scores import Scores
    from rankgate.truth.judgments.table import Judgments

STYLES = ("csv", "json", "table", "trec")
"""The formats."""
ESTIMATED = "≈"
"""Written before a value that counts estimated labels or tokens."""


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
    cells = (
        _cell(one[metric.label], metric.unit, int(one.approximate(metric.label).sum())) for one in scores
    )
    return ScoreRow(metric.label, tuple(cells), tuple(one.counts(metric.label) for one in scores))


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


def token_notes(scores: Scores) -> list[str]:
    """Return a note if metrics count tokens that are estimated."""
    counting = [metric.label for metric in scores.metrics if scores.rests_on_tokens(metric.label)]
    if not counting:
        return []
    how = "tokens are estimated from the size of the texts, not counted by a tokenizer"
    return [f"{ESTIMATED} {', '.join(counting)}: {how}"]


def _cell(value: float | None, unit: str, estimated: int) -> Cell:
    text = NOTHING if value is None else figure(value, unit)
    return Cell(value, ESTIMATED + text if estimated else text, estimated)


# --- formats -----------------------------------------------------------------------------------------------


def render(report: ScoreReport, style: str) -> str:
    """Write a report in one style."""
    return {"csv": csv_text, "json": json_text, "table": table_text, "trec": trec_text}[style](report)


def csv_text(report: ScoreReport) -> str:
    """Write a report as CSV; the query ``all`` stands for the mean, ``all slice=x`` for that of a slice."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["run", "query", "metric", "value", "estimated"])
    named: list[tuple[str, QueryRow | ScoredSlice | ScoreRow]] = [
        *((row.query, row) for row in report.queries),
        *((_slice(report, row), row) for row in report.slices),
        *(("all", row) for row in report.rows),
    ]
    for name, row in named:
        for run, cell in zip(report.runs, row.cells, strict=True):
            writer.writerow([run, name, row.metric, _exact(cell), cell.estimated])
    return text.getvalue()


def _slice(report: ScoreReport, part: ScoredSlice) -> str:
    return f"all {report.by}={printable(part.name)}"


def _exact(cell: Cell) -> str:
    return "" if cell.value is None else repr(cell.value)


def json_text(report: ScoreReport) -> str:
    """Write a report as one JSON object."""
    runs = [
        {
            "name": name,
            "metrics": {
                row.metric: {"value": row.cells[at].value, **asdict(row.counts[at])} for row in report.rows
            },
            **({"slices": _slices(report, at)} if report.slices else {}),
            **({"queries": _queries(report, at)} if report.queries else {}),
        }
        for at, name in enumerate(report.runs)
    ]
    about = {"judgments": report.judgments, "trec": report.trec, "runs": runs, "notes": list(report.notes)}
    return printable_json(about)


def _queries(report: ScoreReport, at: int) -> dict[str, dict[str, object]]:
    queries: dict[str, dict[str, object]] = {}
    for row in report.queries:
        query = queries.setdefault(row.name, {"status": row.statuses[at]})
        query[row.metric] = row.cells[at].value
        if row.cells[at].estimated:
            query["estimated"] = True
    return queries


def _slices(report: ScoreReport, at: int) -> dict[str, object]:
    slices: dict[str, dict[str, object]] = {}
    for row in report.slices:
        slices.setdefault(row.name, {})[row.metric] = {"value": row.cells[at].value, "scored": row.scored[at]}
    return {str(report.by): slices}


def trec_text(report: ScoreReport) -> str:
    """Write a report in trec_eval's layout; several runs follow one another, each after its runid.

    Raises:
        InputError: where a value rests on estimated labels or tokens, which this layout cannot mark.
    """
    if estimated := sum(cell.estimated > 0 for row in report.rows for cell in row.cells):
        expected = "values that need no mark"
        problem = Code.ESTIMATED_LABELS(
            "trec", f"{estimated} values with estimated labels or tokens", expected, "write csv or json"
        )
        raise InputError(problem)
    lines: list[str] = []
    for at, run in enumerate(report.runs):
        lines += [_line(row.metric, row.query, _four(row.cells[at])) for row in report.queries]
        lines += [_line(row.metric, _slice(report, row), _four(row.cells[at])) for row in report.slices]
        lines.append(_line("runid", "all", run))
        lines += [_line(row.metric, "all", _four(row.cells[at])) for row in report.rows]
    return "".join(line + "\n" for line in lines)


def _line(measure: str, query: str, value: str) -> str:
    return f"{measure:<22}\t{query}\t{value}"


def _four(cell: Cell) -> str:
    return "" if cell.value is None else f"{cell.value:.4f}"


def table_text(report: ScoreReport) -> str:
    """Return a report as tables for a terminal."""
    from rankgate.reports.sections import Table
    from rankgate.reports.terminal import table_lines, written

    numbers = range(1, 2 + len(report.runs))
    means = (
        (
            row.metric,
            *(cell.text for cell in row.cells),
            "/".join(map(str, sorted({count.scored for count in row.counts}))),
        )
        for row in report.rows
    )
    tables = [Table(("metric", *report.runs, "scored"), tuple(means), tuple(numbers))]
    shifted = tuple(number + 1 for number in numbers)
    if report.slices:
        slices = _once(
            (
                row.name,
                row.metric,
                *(cell.text for cell in row.cells),
                "/".join(map(str, sorted({*row.scored}))),
            )
            for row in report.slices
        )
        tables.append(Table((str(report.by), "metric", *report.runs, "scored"), slices, shifted))
    if report.queries:
        queries = _once((row.query, row.metric, *_marked(row)) for row in report.queries)
        tables.append(Table(("query", "metric", *report.runs), queries, shifted[:-1]))
    lines = [*map(printable, report.header)]
    for table in tables:
        lines += ["", *table_lines(table, entries=None, width=None)]
    lines += ["", *(f"note: {printable(note)}" for note in report.notes)] if report.notes else []
    return written(lines, sys.stdout)


def _marked(row: QueryRow) -> Iterator[str]:
    """Return the values of a query, with its status if that is not ok."""
    for cell, status in zip(row.cells, row.statuses, strict=True):
        yield cell.text if status == "ok" else f"{cell.text} {status}"


def _once(rows: Iterable[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Return rows with the name of each group of rows in the first one only."""
    found: list[tuple[str, ...]] = []
    before = None
    for name, *cells in rows:
        found.append(("" if name == before else name, *cells))
        before = name
    return tuple(found)
