"""Agreement for the terminal: who judged, how far they agree, and where they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from rankgate.model.wording import many
from rankgate.reports.text.console import NUMBER, WORDS, grid, laid_out, points, ruled
from rankgate.reports.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType
    from rich.table import Table

    from rankgate.reports.judging.agreement import (
        AgreementReport,
        CutRow,
        DisagreementRow,
        GroupRow,
        PairRow,
    )

SHOWN = 10
"""How many disagreements are shown, where not all are asked for."""


def render_agreement(report: AgreementReport, width: int | None = None, *, every: bool = False) -> str:
    """Lay a report out for people; `every` shows all disagreements."""
    return laid_out(_parts(report, every=every), width)


def _parts(report: AgreementReport, *, every: bool) -> Iterator[RenderableType]:
    yield Text(f"{printable(report.suite)}: {many(len(report.judges), 'judge')}", style="bold")
    yield points(_judge(report, at) for at in range(len(report.judges)))
    if not report.all.passages:
        yield Text("")
        yield Text("No passage was graded by two judges: there is no agreement to measure.")
        return
    together = f"{many(report.all.passages, 'passage')} of {many(report.all.queries, 'query', 'queries')}"
    yield Text(f"{together} graded by two judges or more. Intervals are 95 %, over queries.")
    for title, rows in (("Two judges", report.pairs), ("Each beside all others", report.against_others)):
        if rows:
            yield Text("")
            yield Text(title, style="bold")
            yield _pairs(rows)
    yield Text("")
    yield Text("All judges", style="bold")
    yield _groups((report.all, *report.categories))
    yield Text("")
    yield from _disagreements(report.disagreements, every=every)
    yield from (Text(printable(note), style="dim") for note in report.notes)


def _judge(report: AgreementReport, at: int) -> str:
    row = report.judges[at]
    left = [f"{count} {word}" for count, word in ((row.unsure, "unsure"), (row.skipped, "skipped")) if count]
    return ", ".join([f"{printable(row.judge)} ({row.source}): {row.graded} graded", *left])


def _pairs(rows: Sequence[PairRow]) -> Table:
    heads = [
        ("judges", WORDS),
        ("n", NUMBER),
        ("same grade", NUMBER),
        ("kappa", WORDS),
        ("linear", WORDS),
        ("quadratic", WORDS),
        *((f"kappa at {cut.cut}", WORDS) for cut in rows[0].cuts),
    ]
    return ruled(
        heads,
        (
            (
                f"{printable(row.one)}, {printable(row.other)}",
                str(row.passages),
                "–" if row.same.value is None else f"{100 * row.same.value:.0f} %",
                row.kappa.text,
                row.linear.text,
                row.quadratic.text,
                *_at_cuts(row.cuts),
            )
            for row in rows
        ),
    )


def _groups(rows: Sequence[GroupRow]) -> Table:
    heads = [
        ("passages", WORDS),
        ("n", NUMBER),
        ("Fleiss' kappa", WORDS),
        ("alpha (ordinal)", WORDS),
        ("alpha (interval)", WORDS),
        ("alpha (nominal)", WORDS),
        *((f"kappa at {cut.cut}", WORDS) for cut in rows[0].cuts),
    ]
    return ruled(
        heads,
        (
            (
                printable(row.passages_of),
                str(row.passages),
                row.fleiss.text,
                row.ordinal.text,
                row.interval.text,
                row.nominal.text,
                *_at_cuts(row.cuts),
            )
            for row in rows
        ),
    )


def _at_cuts(cuts: Sequence[CutRow]) -> list[str]:
    return [cut.kappa.text for cut in cuts]


def _disagreements(rows: Sequence[DisagreementRow], *, every: bool) -> Iterator[RenderableType]:
    if not rows:
        yield Text("The judges agree on every passage.")
        return
    still_open = sum(row.settled is None for row in rows)
    title = f"Judges disagree on {many(len(rows), 'passage')}, {still_open} of them not settled"
    yield Text(title, style="bold")
    shown = rows if every else rows[:SHOWN]
    for row in shown:
        yield Text("")
        yield Text(f"{printable(row.query, 100)} · {printable(row.location)}")
        lines = [(f"  {printable(one.judge)}", f"{one.grade:g}", printable(one.comment)) for one in row.said]
        settled = [] if row.settled is None else [("  settled", f"{row.settled:g}", "")]
        yield grid((WORDS, NUMBER, WORDS), [*lines, *settled])
    if len(shown) < len(rows):
        yield Text("")
        yield Text(f"{len(rows) - len(shown)} more: --all shows them.", style="dim")
