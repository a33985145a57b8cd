"""A report as trec_eval prints it: measure, query, value to four decimals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem

if TYPE_CHECKING:
    from rankgate.reports.model import Cell, ScoreReport


def render(report: ScoreReport) -> str:
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
