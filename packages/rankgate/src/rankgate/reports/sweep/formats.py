"""The report of a sweep for the terminal, as Markdown and as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from rankgate.reports.text.github import plain, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from rankgate.reports.sweep.report import AxisEffect, SweepReport, SweepRow

STYLES = ("terminal", "markdown", "json")
"""The layouts."""
_EFFECTS = ("axis", "value", "against", "difference", "95 % interval", "pairs", "missing")


def render(reports: Sequence[SweepReport], style: str) -> str:
    """Write sweeps in a style: terminal, markdown or json."""
    return {"terminal": _terminal, "markdown": _markdown, "json": _json}[style](reports)


def _head(report: SweepReport) -> tuple[str, ...]:
    return ("", "variant", *report.metrics, "difference", "95 % interval", "p (Holm)", "better", "worse", "")


def _cells(row: SweepRow) -> tuple[str, ...]:
    name = f"{row.name} (baseline)" if row.baseline else row.name
    errors = f"{row.errors:,} errors" if row.errors else ""
    counts = ("", "") if row.baseline else (str(row.wins), str(row.losses))
    said = "; ".join(filter(None, (row.same_as, row.finding if not row.same_as else "", errors)))
    return (row.mark, name, *row.means, row.difference, row.interval, row.p, *counts, said)


def _effect(one: AxisEffect) -> tuple[str, ...]:
    return (
        one.axis,
        one.value,
        one.against,
        one.difference,
        one.interval,
        str(one.pairs),
        str(one.missing or ""),
    )


def _terminal(reports: Sequence[SweepReport]) -> str:
    from rich.text import Text

    from rankgate.reports.text.console import DIM, MARK, NUMBER, WORDS, laid_out, points, ruled

    parts: list[RenderableType] = []
    for report in reports:
        kinds = [MARK, WORDS, *([NUMBER] * (len(_head(report)) - 3)), WORDS | DIM]
        parts += [Text("")] if parts else []
        parts += [Text(report.title, style="bold"), Text(report.headline)]
        rows = [tuple(map(Text, _cells(row))) for row in report.rows]
        parts.append(ruled(list(zip(_head(report), kinds, strict=True)), rows))
        parts.append(Text(report.family, style="dim"))
        if report.effects:
            parts += [Text(""), Text("What each axis does, all else equal", style="bold")]
            kinds = [WORDS, WORDS, WORDS, NUMBER, NUMBER, NUMBER, NUMBER]
            effects = [tuple(map(Text, _effect(one))) for one in report.effects]
            parts.append(ruled(list(zip(_EFFECTS, kinds, strict=True)), effects))
        parts += [Text(line) for line in _held_out(report)]
        parts += [points(report.notes)] if report.notes else []
    return laid_out(parts)


def _held_out(report: SweepReport) -> Iterator[str]:
    found = report.held_out
    if found is None:
        return
    yield ""
    yield f"Held out: {found.winner} is {found.seen}, and {found.measured}; {found.shrinkage}."
    yield found.detectable
    if found.exploratory:
        yield f"This is look {found.uses} at the held-out queries: exploratory."


def _markdown(reports: Sequence[SweepReport]) -> str:
    parts = []
    for report in reports:
        head = _head(report)
        rows = [tuple(map(plain, _cells(row))) for row in report.rows]
        parts += [f"# {plain(report.title)}", plain(report.headline)]
        parts.append(table(head, "ll" + "r" * (len(head) - 3) + "l", rows))
        parts.append(plain(report.family))
        if report.effects:
            effects = [tuple(map(plain, _effect(one))) for one in report.effects]
            parts += ["## What each axis does, all else equal", table(_EFFECTS, "lllrrrr", effects)]
        parts += [plain(line) for line in _held_out(report) if line]
        parts += ["\n".join(f"- {plain(note)}" for note in report.notes)] if report.notes else []
    return "\n\n".join(parts) + "\n"


def _json(reports: Sequence[SweepReport]) -> str:
    shown = {"schema": 1, "sweeps": [asdict(report) for report in reports]}
    return json.dumps(shown, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
