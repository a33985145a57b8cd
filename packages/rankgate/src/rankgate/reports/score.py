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
from rankgate.model import Counts
from rankgate.reports.text.printable import printable, printable_json
from rankgate.wording import NOTHING, figure, many

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import polars as pl

    from rankgate.scoring.metric import Metric
    from rankgate.scoring.scores import Scores
    from rankgate.truth.judgments.table import Judgments

ESTIMATED = "≈"
"""Written before a value that counts estimated labels or tokens."""


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One metric across runs: over all queries, over a slice, or of one query."""

    name: str
    """The slice or the query; empty for all queries."""
    metric: str
    unit: str
    values: tuple[float | None, ...]
    estimated: tuple[int, ...]
    """The number of values behind each that rest on estimated labels or tokens."""
    counts: tuple[Counts, ...] = ()
    """The numbers of queries behind each value; empty for one query."""
    statuses: tuple[str, ...] = ()
    """How each run answered the query; empty for several."""

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the values for people."""
        return tuple(
            NOTHING if value is None else f"{ESTIMATED if estimated else ''}{figure(value, self.unit)}"
            for value, estimated in zip(self.values, self.estimated, strict=True)
        )

    @property
    def scored(self) -> str:
        """Return the numbers of queries behind the values."""
        return "/".join(map(str, sorted({count.scored for count in self.counts})))


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
    queries: tuple[ScoreRow, ...]
    """A row for each query and metric, where they were asked for."""
    by: str | None
    """What slices are made by; None where there are none."""
    slices: tuple[ScoreRow, ...]
    """A row for each slice and metric."""
    notes: tuple[str, ...]
    """What a reader must know about these figures: missing, errored, undefined, dropped."""

    @property
    def named(self) -> Iterator[tuple[str, ScoreRow]]:
        """Go through all rows, each with its name in CSV and in trec_eval's layout."""
        yield from ((printable(row.name), row) for row in self.queries)
        yield from ((f"all {self.by}={printable(row.name)}", row) for row in self.slices)
        yield from (("all", row) for row in self.rows)


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
        rows=tuple(_row(scores, metric) for metric in scores[0].metrics),
        queries=tuple(_query_rows(scores)) if per_query else (),
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


def _row(scores: Sequence[Scores], metric: Metric) -> ScoreRow:
    label = metric.label
    return ScoreRow(
        "",
        label,
        metric.unit,
        tuple(one[label] for one in scores),
        tuple(int(one.approximate(label).sum()) for one in scores),
        tuple(one.counts(label) for one in scores),
    )


def _query_rows(scores: Sequence[Scores]) -> Iterator[ScoreRow]:
    metrics = scores[0].metrics
    values = {
        metric.label: [list(one.per_query(metric.label).values()) for one in scores] for metric in metrics
    }
    marks = {metric.label: [one.approximate(metric.label) for one in scores] for metric in metrics}
    statuses = [one.status.to_list() for one in scores]
    for at, query in enumerate(scores[0].queries.to_list()):
        for metric in metrics:
            yield ScoreRow(
                query,
                metric.label,
                metric.unit,
                tuple(column[at] for column in values[metric.label]),
                tuple(int(marked[at]) for marked in marks[metric.label]),
                statuses=tuple(status[at] for status in statuses),
            )


def _slice_rows(scores: Sequence[Scores], slices: Sequence[pl.Series]) -> tuple[ScoreRow, ...]:
    rows = []
    for metric in scores[0].metrics:
        means = [one.by_slice(metric.label, these) for one, these in zip(scores, slices, strict=True)]
        for name in sorted({name for some in means for name in some}):
            values, scored, marked = zip(*(some.get(name, (None, 0, 0)) for some in means), strict=True)
            counts = tuple(map(Counts, scored))
            rows.append(ScoreRow(name, metric.label, metric.unit, values, marked, counts))
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


# --- formats -----------------------------------------------------------------------------------------------


def render(report: ScoreReport, style: str) -> str:
    """Write a report in one style."""
    return {"csv": csv_text, "json": json_text, "table": table_text, "trec": trec_text}[style](report)


def csv_text(report: ScoreReport) -> str:
    """Write a report as CSV; the query ``all`` stands for the mean, ``all slice=x`` for that of a slice."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["run", "query", "metric", "value", "estimated"])
    for name, row in report.named:
        for run, value, estimated in zip(report.runs, row.values, row.estimated, strict=True):
            writer.writerow([run, name, row.metric, "" if value is None else repr(value), estimated])
    return text.getvalue()


def json_text(report: ScoreReport) -> str:
    """Write a report as one JSON object."""
    runs = []
    for at, name in enumerate(report.runs):
        slices: dict[str, dict[str, object]] = {}
        for row in report.slices:
            found = {"value": row.values[at], "scored": row.counts[at].scored}
            slices.setdefault(row.name, {})[row.metric] = found
        queries: dict[str, dict[str, object]] = {}
        for row in report.queries:
            query = queries.setdefault(row.name, {"status": row.statuses[at]})
            query[row.metric] = row.values[at]
            if row.estimated[at]:
                query["estimated"] = True
        metrics = {row.metric: {"value": row.values[at], **asdict(row.counts[at])} for row in report.rows}
        more = {
            **({"slices": {str(report.by): slices}} if slices else {}),
            **({"queries": queries} if queries else {}),
        }
        runs.append({"name": name, "metrics": metrics, **more})
    about = {"judgments": report.judgments, "trec": report.trec, "runs": runs, "notes": list(report.notes)}
    return printable_json(about)


def trec_text(report: ScoreReport) -> str:
    """Write a report in trec_eval's layout; several runs follow one another, each after its runid.

    Raises:
        InputError: where a value rests on estimated labels or tokens, which this layout cannot mark.
    """
    if estimated := sum(number > 0 for row in report.rows for number in row.estimated):
        expected = "values that need no mark"
        problem = Code.ESTIMATED_LABELS(
            "trec", f"{estimated} values with estimated labels or tokens", expected, "write csv or json"
        )
        raise InputError(problem)
    lines: list[str] = []
    for at, run in enumerate(report.runs):
        own = [
            f"{row.metric:<22}\t{name}\t{'' if (value := row.values[at]) is None else f'{value:.4f}'}"
            for name, row in report.named
        ]
        means = len(own) - len(report.rows)
        lines += [*own[:means], f"{'runid':<22}\tall\t{run}", *own[means:]]
    return "".join(line + "\n" for line in lines)


def table_text(report: ScoreReport) -> str:
    """Return a report as tables for a terminal."""
    from rankgate.reports.sections import Table
    from rankgate.reports.terminal import table_lines, written

    numbers = tuple(range(1, 3 + len(report.runs)))
    means = tuple((row.metric, *row.texts, row.scored) for row in report.rows)
    tables = [Table(("metric", *report.runs, "scored"), means, numbers[:-1])]
    if report.slices:
        slices = _once((row.name, row.metric, *row.texts, row.scored) for row in report.slices)
        tables.append(Table((str(report.by), "metric", *report.runs, "scored"), slices, numbers[1:]))
    if report.queries:
        queries = _once(
            (
                printable(row.name),
                row.metric,
                # A status is shown beside the value if it is not ok.
                *(
                    text if status == "ok" else f"{text} {status}"
                    for text, status in zip(row.texts, row.statuses, strict=True)
                ),
            )
            for row in report.queries
        )
        tables.append(Table(("query", "metric", *report.runs), queries, numbers[1:-1]))
    lines = [*map(printable, report.header)]
    for table in tables:
        lines += ["", *table_lines(table, entries=None, width=None)]
    lines += ["", *(f"note: {printable(note)}" for note in report.notes)] if report.notes else []
    return written(lines, sys.stdout)


def _once(rows: Iterable[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Return rows with the name of each group of rows in the first one only."""
    found: list[tuple[str, ...]] = []
    before = None
    for name, *cells in rows:
        found.append(("" if name == before else name, *cells))
        before = name
    return tuple(found)
