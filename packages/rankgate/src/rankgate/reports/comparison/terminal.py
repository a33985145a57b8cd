"""A comparison of two runs for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from rankgate.reports.comparison.rows import FIGURES
from rankgate.reports.text.console import DIM, MARK, NUMBER, STYLES, WORDS, Fitting, grid, points, ruled
from rankgate.reports.text.marks import ERRORED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType
    from rich.table import Table

    from rankgate.reports.comparison.leaderboard import Leaderboard
    from rankgate.reports.comparison.rankings import MovedQuery
    from rankgate.reports.comparison.report import ComparisonReport
    from rankgate.reports.comparison.rows import ComparedRow

_FINDING = 16
"""How narrow findings may become beside the figures, before they stand below them."""


def comparison_group(report: ComparisonReport, *, details: bool = False) -> Group:
    """Lay a comparison out: errors, the sentence, metrics, then the queries that changed most.

    With `details`, what the suite can detect and new unjudged hits as well.
    """
    parts: list[RenderableType] = []
    if report.errors is not None:
        parts.append(Text(f"{ERRORED} {report.errors.words}", style="yellow"))
    if report.headline:
        parts.append(Text(report.headline, style="bold"))
    parts.append(Text(f"{report.compared}; {report.agreement}".removesuffix("; "), style="dim"))
    parts += _table(report, report.rows)
    if report.errors is not None and report.errors.rows:
        parts += [Text("Without the queries that ended in an error:"), *_table(report, report.errors.rows)]
    for moved in report.moved:
        parts += [Text(""), *_moved(moved, report.sides)]
    if report.unmoved:
        parts += [Text(""), Text(report.unmoved)]
    if details:
        parts += _details(report)
    return Group(*parts, *([points(report.notes)] if report.notes else []))


def leaderboard_table(board: Leaderboard) -> RenderableType:
    """Lay out several systems, the best first."""
    columns = [("", MARK), ("system", WORDS), *((name, NUMBER) for name in board.metrics)]
    columns += [("difference", NUMBER), ("95 % interval", NUMBER), ("errors", NUMBER), ("", WORDS | DIM)]
    rows = [
        (
            Text(row.mark),
            Text(row.name),
            *row.values,
            Text(row.difference, style=STYLES.get(row.mark, "")),
            row.interval,
            f"{row.errors:,}" if row.errors else "",
            Text(row.finding),
        )
        for row in board.rows
    ]
    return ruled(columns, rows)


def _details(report: ComparisonReport) -> Iterator[RenderableType]:
    yield Text("")
    if report.detectable_words:
        yield Text(report.detectable_words, style="dim")
    if report.unjudged_words:
        yield Text(report.unjudged_words)


def _table(report: ComparisonReport, rows: Sequence[ComparedRow]) -> list[RenderableType]:
    if not rows:
        return []
    spare = max(0, max(len(row.finding) for row in rows) - _FINDING)
    return [Fitting(_rows(report, rows), _narrow_rows(rows), spare)]


def _rows(report: ComparisonReport, shown: Sequence[ComparedRow]) -> Table:
    rows = []
    for row in shown:
        before, after, difference, *rest = row.figures
        coloured = Text(difference, style=STYLES.get(row.mark, ""))
        rows.append(
            (Text(row.mark), Text(row.metric), before, after, coloured, *rest, Text(row.finding)),
        )
    heads = (*report.sides, *FIGURES[2:])
    columns = (("", MARK), ("metric", WORDS), *((name, NUMBER) for name in heads), ("", WORDS | DIM))
    return ruled(columns, rows)


def _narrow_rows(shown: Sequence[ComparedRow]) -> Table:
    rows: list[tuple[RenderableType, RenderableType]] = []
    for row in shown:
        difference = Text(row.difference, style=STYLES.get(row.mark, ""))
        finding = Text(f"  {row.finding}".rstrip(), style="dim")
        figures = Text.assemble(f"{row.metric}  {row.before} → {row.after}  ", difference, finding)
        moves = f"{row.worse} worse, {row.better} better, {row.same} same"
        rows.append((Text(row.mark), figures))
        rows.append(("", Text(f"95 % interval {row.interval}, p {row.p}; {moves}", style="dim")))
    return grid((MARK, WORDS), rows)


def _moved(moved: MovedQuery, sides: tuple[str, str]) -> list[RenderableType]:
    side = ({**WORDS, "ratio": 1}, MARK)
    rows = [[Text(name, style="dim") for name in ("", sides[0], "", "", sides[1], "")]]
    for hit in moved.hits:
        cells = (str(hit.rank), hit.before, hit.before_mark, hit.move, hit.after, hit.after_mark)
        rows.append(list(map(Text, cells)))
    table = grid((NUMBER | DIM, *side, {"no_wrap": True} | DIM, *side), rows)
    change = Text(f"{moved.case}: {moved.change}", style="dim")
    return [Text(f"{moved.mark} {moved.query}"), *(Padding(part, (0, 0, 0, 3)) for part in (change, table))]
