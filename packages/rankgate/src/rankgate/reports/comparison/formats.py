"""Comparisons for the terminal, as Markdown and as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from rankgate.reports.comparison.report import FIGURES
from rankgate.reports.text.github import code, plain, table
from rankgate.reports.text.marks import DOUBTFUL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from rankgate.reports.comparison.rankings import MovedQuery
    from rankgate.reports.comparison.report import ComparisonReport


def render(reports: Sequence[ComparisonReport], style: str) -> str:
    """Write comparisons in a style: terminal, markdown or json."""
    return {"terminal": _terminal, "markdown": _markdown, "json": _json}[style](reports)


def _terminal(reports: Sequence[ComparisonReport]) -> str:
    from rich.text import Text

    from rankgate.reports.comparison.terminal import comparison_group
    from rankgate.reports.text.console import laid_out

    parts: list[RenderableType] = []
    for at, report in enumerate(reports):
        parts += [Text("")] if at else []
        parts += [Text(f"{report.before} → {report.after}", style="bold"), comparison_group(report)]
    return laid_out(parts)


def _markdown(reports: Sequence[ComparisonReport]) -> str:
    parts = []
    for report in reports:
        parts.append(f"# {plain(report.before)} → {plain(report.after)}")
        parts += comparison_parts(report)
    return "\n\n".join(parts) + "\n"


def _json(reports: Sequence[ComparisonReport]) -> str:
    shown = {"schema": 1, "comparisons": [asdict(report) for report in reports]}
    return json.dumps(shown, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def comparison_parts(report: ComparisonReport) -> Iterator[str]:
    """Return the paragraphs of a comparison."""
    yield plain(". ".join(filter(None, (report.compared, report.agreement)))) + "."
    if report.rows:
        rows = [
            (row.mark, code(row.metric, cell=True), *map(plain, (*row.figures, row.finding)))
            for row in report.rows
        ]
        yield table(("", "metric", *FIGURES, "finding"), "ll" + "r" * len(FIGURES) + "l", rows)
    if report.comparable:
        yield f"{DOUBTFUL} {plain(report.comparable)}"
    if report.unjudged_rows:
        yield "\n".join(f"- {code(metric)}: {plain(words)}" for metric, words in report.unjudged_rows)
    if report.detectable_words:
        yield plain(report.detectable_words) + "."
    for moved in report.moved:
        yield from _moved(moved)
    if report.unmoved:
        yield plain(report.unmoved) + "."
    if report.unjudged_words:
        yield f"{report.unjudged_words}."
    if report.notes:
        yield "\n".join(f"- {plain(note)}" for note in report.notes)


def _moved(moved: MovedQuery) -> Iterator[str]:
    yield f"### {moved.mark} {code(moved.query)}"
    yield f"{code(moved.case)}: {plain(f'{moved.change}.')}"
    rows = []
    for hit in moved.hits:
        before, after = code(hit.before, cell=True), code(hit.after, cell=True)
        rows.append((str(hit.rank), before, hit.before_mark, hit.move, after, hit.after_mark))
    yield table(("", "before", "", "", "after", ""), "rllrll", rows)
