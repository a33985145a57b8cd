"""A sweep in a terminal: a table where it fits, a few lines a variant where it does not.

A name that is cut in two, or a figure that is cut off, may look like that of another variant: neither is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from rankgate.reports.sweep.cells import (
    asked_words,
    cells,
    heads,
    held_out_lines,
    name_words,
    row_words,
)
from rankgate.reports.text.console import DIM, NUMBER, WORDS, Fitting, grid, laid_out, points, ruled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import RenderableType
    from rich.table import Table

    from rankgate.reports.sweep.report import SweepReport, SweepRow
    from rankgate.reports.text.console import Column


def terminal(reports: Sequence[SweepReport]) -> str:
    """Write sweeps for a terminal."""
    parts: list[RenderableType] = []
    for report in reports:
        parts += [Text("")] if parts else []
        parts += _parts(report)
    return laid_out(parts)


def _parts(report: SweepReport) -> Iterator[RenderableType]:
    yield Text(report.title, style="bold")
    yield Text(report.headline)
    yield _variants(report)
    yield Text(report.family, style="dim")
    if report.provenance:
        yield Text(asked_words(report), style="dim")
    if lines := list(held_out_lines(report)):
        yield Text("")
        yield from map(Text, lines)
    if report.notes:
        yield points(report.notes)


def _variants(report: SweepReport) -> RenderableType:
    """Lay out all columns beside each other, else the measures in a table below, else lines."""
    head, rows = heads(report), [cells(row) for row in report.rows]
    whole, spare = _table(head, rows)
    if not report.measures:
        return Fitting(whole, _narrow(report), spare)
    at, end = len(head) - 1 - len(report.measures), len(head) - 1
    first, spare_first = _table((*head[:at], head[-1]), [(*row[:at], row[-1]) for row in rows])
    second, spare_second = _table(
        ("variant", *head[at:end], ""), [(row[0], *row[at:end], "") for row in rows]
    )
    both = Fitting(first, _narrow(report), spare_first, [(second, spare_second)])
    return Fitting(whole, both, spare)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[Table, int]:
    """Return a table of name, figures and words, and by how much it may become narrower."""
    names, words = [row[0] for row in rows], [row[-1] for row in rows]
    name, said = _unbroken(names), _unbroken(words)
    kinds = [name, *([NUMBER] * (len(head) - 2)), said | DIM]
    spare = _spare(names, name["min_width"]) + _spare(words, said["min_width"])
    table = ruled(list(zip(head, kinds, strict=True)), [tuple(map(Text, row)) for row in rows])
    table.padding = (0, 1, 0, 0)
    return table, spare


def _unbroken(texts: Iterable[str]) -> Column:
    """Return a column whose texts wrap between words and never inside of one."""
    return {**WORDS, "min_width": max((len(word) for text in texts for word in text.split()), default=1)}


def _spare(texts: Sequence[str], fewest: int) -> int:
    return max(0, max(map(len, texts), default=0) - fewest)


def _narrow(report: SweepReport) -> Table:
    rows: list[tuple[Text]] = []
    for row in report.rows:
        rows.append((Text(name_words(row), style="bold"),))
        rows += [(Text(f"  {line}", style="dim"),) for line in _lines(report, row)]
    return grid((WORDS,), rows)


def _lines(report: SweepReport, row: SweepRow) -> Iterator[str]:
    yield _named(report.metrics, row.means)
    if row.difference:
        counts = f"{row.wins} improved, {row.losses} regressed, {row.ties} unchanged"
        yield f"{row.difference} ({row.interval}), p {row.p} (Holm); {counts}"
    if row.measures:
        yield _named(report.measures, row.measures)
    if said := row_words(row):
        yield said


def _named(titles: Sequence[str], values: Sequence[str]) -> str:
    return ", ".join(f"{title} {value}" for title, value in zip(titles, values, strict=True))
