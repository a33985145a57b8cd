"""Scores in every style: as CSV and JSON with full doubles, as trec_eval prints them, or as tables."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict
from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem
from rankgate.reports.text.printable import printable_json

if TYPE_CHECKING:
    from rankgate.reports.score.report import Cell, ScoreReport

STYLES = ("csv", "json", "table", "trec")
"""What `render` knows."""


def render(report: ScoreReport, style: str) -> str:
    """Write a report in one style."""
    if style == "table":  # imported here, because the terminal's is heavy
        from rankgate.reports.score import terminal

        return terminal.render(report)
    return {"csv": csv_text, "json": json_text, "trec": trec_text}[style](report)


def csv_text(report: ScoreReport) -> str:
    """Write a report as CSV; the query ``all`` stands for the mean."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["run", "query", "metric", "value", "estimated"])
    for query in report.queries:
        for run, cell in zip(report.runs, query.cells, strict=True):
            writer.writerow([run, query.query, query.metric, _exact(cell), cell.estimated])
    for row in report.rows:
        for run, cell in zip(report.runs, row.cells, strict=True):
            writer.writerow([run, "all", row.metric, _exact(cell), cell.estimated])
    return text.getvalue()


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


def trec_text(report: ScoreReport) -> str:
    """Write a report in trec_eval's layout; several runs follow one another, each after its runid.

    Raises:
        InputError: where a value rests on estimated labels, which this layout cannot mark.
    """
    if estimated := sum(cell.estimated > 0 for row in report.rows for cell in row.cells):
        expected = "values that need no mark"
        problem = Problem("trec", f"{estimated} values with estimated labels", expected, "write csv or json")
        raise InputError(problem)
    lines: list[str] = []
    for at, run in enumerate(report.runs):
        lines += [_line(row.metric, row.query, _four(row.cells[at])) for row in report.queries]
        lines.append(_line("runid", "all", run))
        lines += [_line(row.metric, "all", _four(row.cells[at])) for row in report.rows]
    return "".join(line + "\n" for line in lines)


def _line(measure: str, query: str, value: str) -> str:
    return f"{measure:<22}\t{query}\t{value}"


def _four(cell: Cell) -> str:
    return "" if cell.value is None else f"{cell.value:.4f}"
