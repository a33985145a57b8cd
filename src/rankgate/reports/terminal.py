"""A report for the terminal."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from rankgate.reports.model import ScoreReport

_PIPE_WIDTH = 160


def render(report: ScoreReport) -> str:
    """Lay a report out as tables."""
    tty = sys.stdout.isatty()
    width = None if tty or "COLUMNS" in os.environ else _PIPE_WIDTH
    console = Console(file=io.StringIO(), force_terminal=tty, width=width, highlight=False)
    for line in report.header:
        console.print(Text(line, style="dim"), soft_wrap=True)
    console.print()
    console.print(_summary(report))
    if report.queries:
        console.print()
        console.print(_queries(report))
    if report.notes:
        console.print()
    for note in report.notes:
        console.print(Text(f"note: {note}", style="yellow"), soft_wrap=True)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def _summary(report: ScoreReport) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("metric", no_wrap=True)
    for run in report.runs:
        table.add_column(Text(run), justify="right", overflow="fold")
    table.add_column("scored", justify="right", style="dim")
    for row in report.rows:
        cells = [
            Text(cell.text, style="bold green" if at in row.best else "") for at, cell in enumerate(row.cells)
        ]
        scored = sorted({count.scored for count in row.counts})
        table.add_row(Text(row.metric), *cells, "/".join(map(str, scored)))
    return table


def _queries(report: ScoreReport) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("query", overflow="fold")
    table.add_column("metric", no_wrap=True)
    for run in report.runs:
        table.add_column(Text(run), justify="right", overflow="fold")
    before = None
    for row in report.queries:
        cells = [
            Text(cell.text + ("" if status == "ok" else f" {status}"), style="" if status == "ok" else "red")
            for cell, status in zip(row.cells, row.statuses, strict=True)
        ]
        table.add_row(Text(row.query if row.query != before else ""), Text(row.metric, style="dim"), *cells)
        before = row.query
    return table
