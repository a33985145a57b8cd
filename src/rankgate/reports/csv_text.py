"""A report as CSV: one value a line, with full doubles; an empty value is "not scored".

`estimated` counts the values behind it that rest on estimated labels: of one query, 0 or 1.
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankgate.reports.model import Cell, ScoreReport


def render(report: ScoreReport) -> str:
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
