"""The report of a sweep for the terminal, as Markdown and as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from rankgate.reports.sweep.cells import (
    asked_words,
    cells,
    heads,
    held_out_lines,
)
from rankgate.reports.text.github import plain, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.reports.sweep.report import SweepReport

STYLES = ("terminal", "markdown", "json")
"""The layouts."""
_FEW, _MOST = 3, 50


def render(reports: Sequence[SweepReport], style: str) -> str:
    """Write sweeps in a style: terminal, markdown or json."""
    if style == "terminal":
        from rankgate.reports.sweep.terminal import terminal

        return terminal(reports)
    return {"markdown": _markdown, "json": _json}[style](reports)


def _markdown(reports: Sequence[SweepReport]) -> str:
    parts = []
    for report in reports:
        head = heads(report)
        rows = [tuple(map(plain, cells(row))) for row in report.rows]
        parts += [f"# {plain(report.title)}", plain(report.headline)]
        parts.append(table(head, "l" + "r" * (len(head) - 2) + "l", rows))
        parts.append(plain(report.family))
        parts += [plain(asked_words(report))] if report.provenance else []
        parts += [plain(line) for line in held_out_lines(report)]
        parts += _queries(report)
        parts += ["\n".join(f"- {plain(note)}" for note in report.notes)] if report.notes else []
    return "\n\n".join(parts) + "\n"


def _queries(report: SweepReport) -> Iterator[str]:
    """Write what one variant alone finds, and what none does."""
    if report.alone:
        rows = [(plain(one.variant), str(len(one.queries)), _some(one.queries)) for one in report.alone]
        yield "## What each variant alone finds"
        yield table(("variant", "queries", "which"), "lrl", rows)
    if report.unanswered:
        yield f"## Queries that no variant answers: {len(report.unanswered)}"
        yield "\n".join(f"- {plain(query)}" for query in report.unanswered[:_MOST])
        left = len(report.unanswered) - _MOST
        if left > 0:
            yield f"and {left} more"


def _some(queries: Sequence[str]) -> str:
    more = f", and {len(queries) - _FEW} more" if len(queries) > _FEW else ""
    return plain("; ".join(queries[:_FEW]) + more)


def _json(reports: Sequence[SweepReport]) -> str:
    shown = {"schema": 1, "sweeps": [asdict(report) for report in reports]}
    return json.dumps(shown, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
