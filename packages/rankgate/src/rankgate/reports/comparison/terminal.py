"""A comparison of two runs for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from rankgate.reports.comparison.report import FIGURES
from rankgate.reports.text.console import DIM, MARK, NUMBER, STYLES, WORDS, Fitting, grid, points, ruled
from rankgate.reports.text.marks import DOUBTFUL

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from rankgate.reports.comparison.rankings import MovedQuery
    from rankgate.reports.comparison.report import ComparisonReport

_FINDING = 16
"""How narrow findings may become beside the figures, before they stand below them."""


def comparison_group(report: ComparisonReport) -> Group:
    """Lay a comparison out: metrics first, then the queries that moved most, both rankings side by side."""
    parts: list[RenderableType] = [Text(f"{report.compared}; {report.agreement}".removesuffix("; "))]
    if report.rows:
        spare = max(0, max(len(row.finding) for row in report.rows) - _FINDING)
        parts.append(Fitting(_rows(report), _narrow_rows(report), spare))
    if report.comparable:
        parts.append(Text(f"{DOUBTFUL} {report.comparable}"))
    parts += [Text(f"{metric}: {words}", style="dim") for metric, words in report.unjudged_rows]
    if report.detectable_words:
        parts.append(Text(report.detectable_words, style="dim"))
    for moved in report.moved:
        parts += [Text(""), *_moved(moved)]
    if report.unmoved:
        parts.append(Text(report.unmoved))
    if report.unjudged_words:
        parts += [Text(""), Text(report.unjudged_words)]
    return Group(*parts, *([points(report.notes)] if report.notes else []))


def _rows(report: ComparisonReport) -> Table:
    rows = []
    for row in report.rows:
        before, after, difference, *rest = row.figures
        coloured = Text(difference, style=STYLES.get(row.mark, ""))
        rows.append(
            (Text(row.mark), Text(row.metric), before, after, coloured, *rest, Text(row.finding)),
        )
    columns = (("", MARK), ("metric", WORDS), *((name, NUMBER) for name in FIGURES), ("", WORDS | DIM))
    return ruled(columns, rows)


def _narrow_rows(report: ComparisonReport) -> Table:
    rows: list[tuple[RenderableType, RenderableType]] = []
    for row in report.rows:
        difference = Text(row.difference, style=STYLES.get(row.mark, ""))
        finding = Text(f"  {row.finding}".rstrip(), style="dim")
        figures = Text.assemble(f"{row.metric}  {row.before} → {row.after}  ", difference, finding)
        moves = f"{row.worse} worse, {row.better} better, {row.same} same"
        rows.append((Text(row.mark), figures))
        rows.append(("", Text(f"95 % interval {row.interval}, p {row.p}; {moves}", style="dim")))
    return grid((MARK, WORDS), rows)


def _moved(moved: MovedQuery) -> list[RenderableType]:
    side = ({**WORDS, "ratio": 1}, MARK)
    rows = [[Text(name, style="dim") for name in ("", "before", "", "", "after", "")]]
    for hit in moved.hits:
        cells = (str(hit.rank), hit.before, hit.before_mark, hit.move, hit.after, hit.after_mark)
        rows.append(list(map(Text, cells)))
    table = grid((NUMBER | DIM, *side, {"no_wrap": True} | DIM, *side), rows)
    change = Text(f"{moved.case}: {moved.change}", style="dim")
    return [Text(f"{moved.mark} {moved.query}"), *(Padding(part, (0, 0, 0, 3)) for part in (change, table))]
