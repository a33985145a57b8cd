"""A comparison of two runs for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from rankgate.reports.layout import STYLES, Fitting, grid, points, ruled

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from rankgate.reports.comparison import ComparisonReport
    from rankgate.reports.moved_queries import MovedQuery

_FINDING = 16
"""How narrow findings may become beside the figures, before they stand below them."""


def comparison_group(report: ComparisonReport) -> Group:
    """Lay a comparison out: metrics first, then the queries that moved most, both rankings side by side."""
    parts: list[RenderableType] = [Text(f"{report.compared}; {report.agreement}".removesuffix("; "))]
    if report.rows:
        spare = max(0, max(len(row.finding) for row in report.rows) - _FINDING)
        parts.append(Fitting(_rows(report), _narrow_rows(report), spare))
    if report.detectable_words:
        parts.append(Text(report.detectable_words, style="dim"))
    for moved in report.moved:
        parts += [Text(""), *_moved(moved)]
    if report.unmoved:
        parts.append(Text(report.unmoved))
    if report.unjudged:
        parts += [Text(""), Text(report.unjudged_words)]
    return Group(*parts, *([points(report.notes)] if report.notes else []))


def _rows(report: ComparisonReport) -> Table:
    table = ruled()
    table.add_column("", no_wrap=True, width=2)
    table.add_column("metric", overflow="fold")
    for name in ("before", "after", "difference", "95 % interval", "p", "worse", "better", "same"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", overflow="fold", style="dim")
    for row in report.rows:
        figures = (row.before, row.after, Text(row.difference, style=STYLES.get(row.mark, "")), row.interval)
        moves = map(str, (row.worse, row.better, row.same))
        table.add_row(Text(row.mark), Text(row.metric), *figures, row.p, *moves, Text(row.finding))
    return table


def _narrow_rows(report: ComparisonReport) -> Table:
    table = grid()
    table.add_column(no_wrap=True, width=2)
    table.add_column(overflow="fold")
    for row in report.rows:
        difference = Text(row.difference, style=STYLES.get(row.mark, ""))
        finding = Text(f"  {row.finding}".rstrip(), style="dim")
        figures = Text.assemble(f"{row.metric}  {row.before} → {row.after}  ", difference, finding)
        moves = f"{row.worse} worse, {row.better} better, {row.same} same"
        table.add_row(Text(row.mark), figures)
        table.add_row("", Text(f"95 % interval {row.interval}, p {row.p}; {moves}", style="dim"))
    return table


def _moved(moved: MovedQuery) -> list[RenderableType]:
    head = f"{moved.mark} {moved.query}"
    said = f"{moved.case}: {moved.before} → {moved.after} ({moved.difference}), {moved.first}"
    table = grid()
    table.add_column(justify="right", no_wrap=True, style="dim")
    table.add_column(overflow="fold", ratio=1)
    table.add_column(no_wrap=True, width=2)
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold", ratio=1)
    table.add_column(no_wrap=True, width=2)
    table.add_row("", Text("before", style="dim"), "", "", Text("after", style="dim"), "")
    for hit in moved.hits:
        table.add_row(
            str(hit.rank),
            Text(hit.before),
            Text(hit.before_mark),
            Text(hit.move),
            Text(hit.after),
            Text(hit.after_mark),
        )
    return [Text(head), Padding(Text(said, style="dim"), (0, 0, 0, 3)), Padding(table, (0, 0, 0, 3))]
