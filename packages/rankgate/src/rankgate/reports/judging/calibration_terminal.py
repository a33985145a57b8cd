"""Calibration for the terminal: the verdict, why, the confusion of grades, and every bias."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from rankgate.model.wording import many
from rankgate.reports.text.console import NUMBER, STYLES, WORDS, laid_out, points, ruled
from rankgate.reports.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType
    from rich.table import Table

    from rankgate.reports.judging.agreement import AgreementFigure
    from rankgate.reports.judging.calibration import CalibrationReport


def render_calibration(report: CalibrationReport, width: int | None = None) -> str:
    """Lay a report out for people."""
    return laid_out(_parts(report), width)


def _parts(report: CalibrationReport) -> Iterator[RenderableType]:
    mark, words = ("✅", "may gate") if report.passed else ("❌", "may order the queue, and may not gate")
    headline = f"{mark} {printable(report.judge)}: its labels {words}"
    yield Text(headline, style=STYLES[mark])
    yield points(printable(reason) for reason in report.reasons)
    graded = f"{report.pairs} of {many(report.drawn, 'pair')} drawn from {many(report.pool, 'passage')}"
    names = ", ".join(map(printable, report.people)) or "nobody"
    yield Text(f"{graded} graded by {names}, of {many(report.queries, 'query', 'queries')}.")
    if report.unsettled:
        yield Text(f"{many(report.unsettled, 'pair')} left out: people disagree, and nobody settled it.")
    yield Text("")
    yield Text("The model's grade (rows) and people's, in % of the pool", style="bold")
    yield _confusion(report)
    yield Text("")
    yield ruled((("weighted back to the pool", WORDS), ("95 % interval", WORDS)), _figures(report))


def _confusion(report: CalibrationReport) -> Table:
    heads = [("", NUMBER), *((f"{grade:g}", NUMBER) for grade in report.scale), ("pairs", NUMBER)]
    rows = zip(report.scale, report.confusion, report.counts, strict=True)
    return ruled(
        heads,
        (
            (f"{grade:g}", *(f"{100 * share:.1f}" for share in shares), str(sum(counts)))
            for grade, shares, counts in rows
        ),
    )


def _figures(report: CalibrationReport) -> Iterator[tuple[str, str]]:
    yield "quadratic kappa", report.kappa.text
    for row in report.bias:
        yield f"bias towards {printable(row.system)}", _grades(row.bias)
    for pair in report.between:
        yield f"bias between {printable(pair.one)} and {printable(pair.other)}", _grades(pair.bias)
    if report.first is not None:
        yield "bias towards rank 1, beside the other ranks", _grades(report.first)


def _grades(figure: AgreementFigure) -> str:
    if figure.value is None:
        return figure.text
    interval = "" if figure.low is None else f" ({figure.low:+.3f} to {figure.high:+.3f})"
    return f"{figure.value:+.3f}{interval} grades"
