"""Comparisons for the terminal, as Markdown and as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from rankgate.reports.comparison.leaderboard import leaderboard
from rankgate.reports.comparison.rows import FIGURES
from rankgate.reports.text.github import code, plain, table
from rankgate.reports.text.marks import ERRORED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from rankgate.reports.comparison.rankings import MovedQuery
    from rankgate.reports.comparison.report import ComparisonReport
    from rankgate.reports.comparison.rows import ComparedRow


def render(reports: Sequence[ComparisonReport], style: str, *, details: bool = False) -> str:
    """Write comparisons in a style: terminal, markdown or json; `details` is for the terminal."""
    if style == "terminal":
        return _terminal(reports, details=details)
    return {"markdown": _markdown, "json": _json}[style](reports)


def _terminal(reports: Sequence[ComparisonReport], *, details: bool) -> str:
    from rich.text import Text

    from rankgate.reports.comparison.terminal import comparison_group, leaderboard_table
    from rankgate.reports.text.console import laid_out

    parts: list[RenderableType] = []
    if len(reports) > 1 and (board := leaderboard(reports)).rows:
        parts += [leaderboard_table(board), Text("")]
    for at, report in enumerate(reports):
        parts += [Text("")] if at else []
        title = Text(f"{report.before} → {report.after}", style="bold")
        parts += [title, comparison_group(report, details=details)]
    if not details:
        parts.append(Text("More: --details, and every query with --format html -o compare.html", style="dim"))
    return laid_out(parts)


def _markdown(reports: Sequence[ComparisonReport]) -> str:
    parts = []
    if len(reports) > 1 and (board := leaderboard(reports)).rows:
        head = ("", "system", *board.metrics, "difference", "95 % interval", "errors", "")
        rows = [
            (
                row.mark,
                plain(row.name),
                *row.values,
                row.difference,
                row.interval,
                str(row.errors),
                row.finding,
            )
            for row in board.rows
        ]
        parts.append(table(head, "ll" + "r" * (len(board.metrics) + 3) + "l", rows))
    for report in reports:
        parts.append(f"# {plain(report.before)} → {plain(report.after)}")
        parts += comparison_parts(report)
    return "\n\n".join(parts) + "\n"


def _json(reports: Sequence[ComparisonReport]) -> str:
    shown = {"schema": 1, "comparisons": [asdict(report) for report in reports]}
    return json.dumps(shown, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def comparison_parts(report: ComparisonReport) -> Iterator[str]:
    """Return the paragraphs of a comparison."""
    if report.errors is not None:
        yield f"{ERRORED} {plain(report.errors.words)}."
    if report.headline:
        yield f"**{plain(report.headline)}.**"
    yield plain(". ".join(filter(None, (report.compared, report.agreement)))) + "."
    if report.rows:
        yield _rows(report, report.rows)
    if report.errors is not None and report.errors.rows:
        yield "Without the queries that ended in an error:"
        yield _rows(report, report.errors.rows)
    if report.detectable_words:
        yield plain(report.detectable_words) + "."
    for moved in report.moved:
        yield from _moved(moved, report.sides)
    if report.unmoved:
        yield plain(report.unmoved) + "."
    if report.unjudged_words:
        yield f"{report.unjudged_words}."
    if report.notes:
        yield "\n".join(f"- {plain(note)}" for note in report.notes)


def _rows(report: ComparisonReport, shown: Sequence[ComparedRow]) -> str:
    rows = [
        (row.mark, code(row.metric, cell=True), *map(plain, (*row.figures, row.finding))) for row in shown
    ]
    head = ("", "metric", *map(plain, report.sides), *FIGURES[2:], "finding")
    return table(head, "ll" + "r" * len(FIGURES) + "l", rows)


def _moved(moved: MovedQuery, sides: tuple[str, str]) -> Iterator[str]:
    yield f"### {moved.mark} {code(moved.query)}"
    yield f"{code(moved.case)}: {plain(f'{moved.change}.')}"
    rows = []
    for hit in moved.hits:
        before, after = code(hit.before, cell=True), code(hit.after, cell=True)
        rows.append((str(hit.rank), before, hit.before_mark, hit.move, after, hit.after_mark))
    yield table(("", plain(sides[0]), "", "", plain(sides[1]), ""), "rllrll", rows)
