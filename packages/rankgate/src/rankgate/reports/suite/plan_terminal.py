"""A plan for the terminal: what is assumed, how many queries a drop takes, and what the gates can claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from rankgate.gates.planning.claims import ALL
from rankgate.gates.wording import figure, rounded_up
from rankgate.model.wording import many
from rankgate.reports.suite.plan import NOTHING
from rankgate.reports.text.console import DIM, NUMBER, WORDS, grid, laid_out, points, ruled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType
    from rich.table import Table

    from rankgate.reports.suite.plan import PlanReport

_BAR = 40


def render(reports: Sequence[PlanReport], width: int | None = None) -> str:
    """Lay plans out for people."""
    parts: list[RenderableType] = []
    for at, report in enumerate(reports):
        parts += [Text("")] if at else []
        parts += _parts(report)
    return laid_out(parts, width)


def _parts(report: PlanReport) -> Iterator[RenderableType]:
    count = many(report.size, *(("group", None) if report.unit == "groups" else ("query", "queries")))
    yield Text(f"{report.suite}: what {count} can show", style="bold")
    yield Text(f"{report.basis[0].upper()}{report.basis[1:]}.")
    yield Text("")
    often = f"in {100 * report.power:.0f} of 100 comparisons"
    yield Text(f"To see a drop of {report.metric} {often}", style="bold")
    yield _drops(report)
    yield Text("Seen: `rankgate compare` finds a drop, p at most 0.05.", style="dim")
    if report.detectable is not None:
        alike = f"If all fell alike: {figure(report.detectable)}, which it calls detectable (in 80 of 100)."
        yield Text(alike, style="dim")
    if report.plot:
        yield Text("")
        title = f"How often a drop of {report.plotted:g} is seen, by the number of {report.unit}"
        yield Text(title, style="bold")
        yield _plot(report)
    yield Text("")
    yield Text("What the gates can say", style="bold")
    yield _claims(report)
    if any(row.powers for row in report.claims):
        yield Text("")
        yield Text("How often noninferior passes and fails, by the true drop", style="bold")
        yield _powers(report)
        yield Text("Neither: inconclusive, exit code 4.", style="dim")
    yield Text("")
    yield Text(f"What noninferior({report.metric}) and a comparison can show, by slice", style="bold")
    yield _slices(report)
    if report.alarm_words:
        yield Text("")
        yield points([report.alarm_words])


def _drops(report: PlanReport) -> Table:
    rows = []
    for row in report.drops:
        needed = NOTHING if row.needed is None else f"{row.needed:,}"
        then = row.power_then.text if row.power_then and report.stored else ""
        rows.append((f"{row.drop:g}", Text(row.words), needed, row.here.text if row.here else NOTHING, then))
    columns = (
        ("drop", NUMBER),
        ("that is", {"no_wrap": True}),
        (f"{report.unit} needed", NUMBER),
        (f"seen with {report.size:,}", NUMBER),
        ("" if not report.stored else "with those needed", NUMBER | DIM),
    )
    return ruled(columns, rows)


def _plot(report: PlanReport) -> Table:
    rows = []
    for row in report.plot:
        bar = "#" * round(_BAR * row.share)
        rows.append((f"{row.queries:,}", Text(f"|{bar:<{_BAR}}|"), row.text, Text(row.note)))
    return grid((NUMBER, {"no_wrap": True}, NUMBER, WORDS | DIM), rows)


def _claims(report: PlanReport) -> Table:
    return grid(
        ({**WORDS, "ratio": 2}, {**WORDS, **DIM, "ratio": 5}),
        ((Text(row.gate), Text(row.words)) for row in report.claims),
    )


def _powers(report: PlanReport) -> Table:
    rows = []
    for claim in report.claims:
        called = claim.gate if claim.over == ALL else f"{claim.gate}, {claim.over}"
        for at, row in enumerate(claim.powers):
            if row.passes is not None and row.fails is not None:
                shown = Text("" if at else called), f"{row.drop:g}" if row.drop else "none"
                rows.append((*shown, row.passes.text, row.fails.text))
    columns = (("gate", WORDS), ("drop", NUMBER), ("passes", NUMBER), ("fails", NUMBER))
    return ruled(columns, rows)


def _slices(report: PlanReport) -> Table:
    weighted = any(abs(row.effective - row.queries) > 1e-9 for row in report.slices)
    grouped = any(row.groups != row.queries for row in report.slices)
    lost = " / ".join(f"{margin:g}" for margin in report.margins)
    columns = [("slice", {**WORDS, "min_width": 12}), ("queries", NUMBER)]
    columns += [("effective", NUMBER)] * weighted + [("groups", NUMBER)] * grouped
    columns += [
        ("smallest\nmargin", NUMBER),
        (f"whole losses that pass\n{lost}", NUMBER),
        ("drop\nseen", NUMBER),
    ]
    rows = []
    for row in report.slices:
        forgiven = (NOTHING if number is None else str(number) for number in row.forgiven)
        margin = NOTHING if row.smallest_margin is None else rounded_up(row.smallest_margin)
        rows.append(
            (
                Text(row.name),
                f"{row.queries:,}",
                *([f"{row.effective:.1f}"] * weighted),
                *([f"{row.groups:,}"] * grouped),
                margin,
                " / ".join(forgiven),
                NOTHING if row.seen is None else rounded_up(row.seen),
            )
        )
    return ruled(columns, rows)
