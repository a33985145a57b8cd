"""Comparisons for the terminal, as Markdown and as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from rankgate.reports.comparison import ComparisonReport


def render(reports: Sequence[ComparisonReport], style: str) -> str:
    """Write comparisons in a style: terminal, markdown or json."""
    return {"terminal": _terminal, "markdown": _markdown, "json": _json}[style](reports)


def _terminal(reports: Sequence[ComparisonReport]) -> str:
    from rich.text import Text

    from rankgate.reports.comparison_terminal import comparison_group
    from rankgate.reports.layout import laid_out

    parts: list[RenderableType] = []
    for at, report in enumerate(reports):
        parts += [Text("")] if at else []
        parts += [Text(f"{report.before} → {report.after}", style="bold"), comparison_group(report)]
    return laid_out(parts)


def _markdown(reports: Sequence[ComparisonReport]) -> str:
    from rankgate.reports.comparison_markdown import comparison_parts
    from rankgate.reports.markdown_text import plain

    parts = []
    for report in reports:
        parts.append(f"# {plain(report.before)} → {plain(report.after)}")
        parts += comparison_parts(report)
    return "\n\n".join(parts) + "\n"


def _json(reports: Sequence[ComparisonReport]) -> str:
    shown = {"schema": 1, "comparisons": [asdict(report) for report in reports]}
    return json.dumps(shown, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
