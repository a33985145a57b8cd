"""Scores in every style: as CSV and JSON with full doubles, as trec_eval prints them, or as tables."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError
from rankgate.reports.text.printable import printable, printable_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType
    from rich.text import Text

    from rankgate.reports.score.report import Cell, ScoredSlice, ScoreReport

STYLES = ("csv", "json", "table", "trec")
"""What `render` knows."""
_PIPE_WIDTH = 160


def render(report: ScoreReport, style: str) -> str:
    """Write a report in one style."""
    return {"csv": csv_text, "json": json_text, "table": table_text, "trec": trec_text}[style](report)


def csv_text(report: ScoreReport) -> str:
    """Write a report as CSV; the query ``all`` stands for the mean, ``all slice=x`` for that of a slice."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["run", "query", "metric", "value", "estimated"])
    for query in report.queries:
        for run, cell in zip(report.runs, query.cells, strict=True):
            writer.writerow([run, query.query, query.metric, _exact(cell), cell.estimated])
    for part in report.slices:
        for run, cell in zip(report.runs, part.cells, strict=True):
            writer.writerow([run, _slice(report, part), part.metric, _exact(cell), cell.estimated])
    for row in report.rows:
        for run, cell in zip(report.runs, row.cells, strict=True):
            writer.writerow([run, "all", row.metric, _exact(cell), cell.estimated])
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
    """Lay a report out as tables for the terminal."""
    from rich.text import Text  # here, because it is heavy

    from rankgate.reports.text.console import DIM, WORDS, Column, laid_out, ruled

    label: Column = {"no_wrap": True}
    number: Column = {"justify": "right"}
    runs = [(Text(run), number | WORDS) for run in report.runs]
    means = (
        (
            Text(row.metric),
            *(
                Text(cell.text, style="bold green" if at in row.best else "")
                for at, cell in enumerate(row.cells)
            ),
            "/".join(map(str, sorted({count.scored for count in row.counts}))),
        )
        for row in report.rows
    )
    parts: list[RenderableType] = [Text(line, style="dim", no_wrap=True) for line in report.header]
    parts += ["", ruled((("metric", label), *runs, ("scored", number | DIM)), means)]
    if report.slices:
        parts += [
            "",
            ruled(
                ((str(report.by), WORDS), ("metric", label), *runs, ("scored", number | DIM)),
                _slice_table(report),
            ),
        ]
    if report.queries:
        queries: list[tuple[Text, ...]] = []
        before = None
        for row in report.queries:
            cells = (
                Text(cell.text) if status == "ok" else Text(f"{cell.text} {status}", style="red")
                for cell, status in zip(row.cells, row.statuses, strict=True)
            )
            name = Text("" if row.query == before else row.query)
            queries.append((name, Text(row.metric, style="dim"), *cells))
            before = row.query
        parts += ["", ruled((("query", WORDS), ("metric", label), *runs), queries)]
    if report.notes:
        parts += ["", *(Text(f"note: {note}", style="yellow", no_wrap=True) for note in report.notes)]
    return laid_out(parts, pipe_width=_PIPE_WIDTH)


def _slice_table(report: ScoreReport) -> Iterator[tuple[Text | str, ...]]:
    """Lay the slices out, each with its name once."""
    from rich.text import Text

    before = None
    for row in report.slices:
        name = Text("" if row.name == before else printable(row.name))
        scored = "/".join(map(str, sorted({*row.scored})))
        yield name, Text(row.metric, style="dim"), *(Text(cell.text) for cell in row.cells), scored
        before = row.name
