"""The scores of runs as tables for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from rankgate.reports.text.console import DIM, WORDS, Column, laid_out, ruled

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from rankgate.reports.score.report import ScoreReport

_PIPE_WIDTH = 160
_LABEL: Column = {"no_wrap": True}
_FIGURE: Column = {"justify": "right"}


def render(report: ScoreReport) -> str:
    """Lay a report out as tables."""
    parts: list[RenderableType] = [Text(line, style="dim", no_wrap=True) for line in report.header]
    parts += ["", _summary(report)]
    if report.queries:
        parts += ["", _queries(report)]
    if report.notes:
        parts += ["", *(Text(f"note: {note}", style="yellow", no_wrap=True) for note in report.notes)]
    return laid_out(parts, pipe_width=_PIPE_WIDTH)


def _summary(report: ScoreReport) -> Table:
    runs = [(Text(run), _FIGURE | WORDS) for run in report.runs]
    rows = (
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
    return ruled((("metric", _LABEL), *runs, ("scored", _FIGURE | DIM)), rows)


def _queries(report: ScoreReport) -> Table:
    rows: list[tuple[RenderableType, ...]] = []
    before = None
    for row in report.queries:
        cells = (
            Text(cell.text + ("" if status == "ok" else f" {status}"), style="" if status == "ok" else "red")
            for cell, status in zip(row.cells, row.statuses, strict=True)
        )
        rows.append((Text(row.query if row.query != before else ""), Text(row.metric, style="dim"), *cells))
        before = row.query
    runs = [(Text(run), _FIGURE | WORDS) for run in report.runs]
    return ruled((("query", WORDS), ("metric", _LABEL), *runs), rows)
