"""Metrics at several token budgets as curves, one a variant: what is found where more may be read."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.reports.sweep.report import SweepReport

_BUDGET = re.compile(r"(?P<name>.+)@(?P<size>\d+)tokens")
_WIDTH, _HEIGHT, _LEFT, _TOP, _LEGEND = 460, 300, 56, 44, 240
_COLOURS = (
    "#4477aa",
    "#ee6677",
    "#228833",
    "#b8860b",
    "#66a3c7",
    "#aa3377",
    "#777777",
    "#e07b39",
    "#44aa99",
    "#6a51a3",
)
_DASHES = ("", "6 3", "2 2")
_STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#222}.t{font-weight:600}.g{stroke:#ddd}.a{stroke:#666}"
    "polyline{fill:none;stroke-width:2}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.g{stroke:#444}.a{stroke:#999}.b{fill:#1b1b1b}}"
)


@dataclass(frozen=True, slots=True)
class BudgetCurve:
    """One variant."""

    name: str
    """What people call it."""
    points: tuple[tuple[int, float | None], ...]
    """Each budget with the mean there; null where it was not compared."""


@dataclass(frozen=True, slots=True)
class BudgetChart:
    """One metric at several budgets."""

    metric: str
    """The metric without its budget, such as ``r`` or ``line_p``."""
    curves: tuple[BudgetCurve, ...]
    """A curve a variant, in the order of the table."""

    @property
    def budgets(self) -> tuple[int, ...]:
        """The budgets, the smallest first."""
        return tuple(sorted({budget for curve in self.curves for budget, _ in curve.points}))


def budget_charts(report: SweepReport) -> tuple[BudgetChart, ...]:
    """Return a chart for each metric that the report has at two budgets or more."""
    columns: dict[str, list[tuple[int, int]]] = {}
    for at, label in enumerate(report.metrics):
        if found := _BUDGET.fullmatch(label):
            columns.setdefault(found["name"], []).append((int(found["size"]), at))
    return tuple(
        BudgetChart(
            metric,
            tuple(
                BudgetCurve(row.name, tuple((size, row.numbers.means[at]) for size, at in sorted(places)))
                for row in report.rows
            ),
        )
        for metric, places in columns.items()
        if len(places) > 1
    )


def render_svg(reports: Sequence[SweepReport]) -> str:
    """Draw the charts of a sweep as one picture, those of each suite in a row of their own.

    Raises:
        InputError: where no metric has two budgets.
    """
    rows = [(report.title, charts) for report in reports if (charts := budget_charts(report))]
    if not rows:
        fix = "metrics = ['r@1000tokens', 'r@4000tokens', 'line_p@1000tokens', 'line_p@4000tokens']"
        raise InputError(
            Code.METRIC_NEEDS("--format svg", "no metric at two token budgets", "such metrics", fix)
        )
    width = max(len(charts) for _, charts in rows) * _WIDTH + _LEGEND
    high = [max(_HEIGHT, _TOP + 20 * (1 + len(charts[0].curves))) for _, charts in rows]
    parts = [
        (
            '<svg xmlns="http://www.w3.org/2000/svg" role="img" '
            f'viewBox="0 0 {width} {sum(high)}" width="{width}">'
        ),
        f"<title>{escape(rows[0][0])}: metrics by token budget</title><style>{_STYLE}</style>",
        f'<rect class="b" width="{width}" height="{sum(high)}" fill="#fff"/>',
    ]
    for number, (title, charts) in enumerate(rows):
        parts.append(f'<g transform="translate(0 {sum(high[:number])})">')
        parts.append(f'<text class="t" x="8" y="18">{escape(title)}</text>')
        for at, chart in enumerate(charts):
            parts += [f'<g transform="translate({at * _WIDTH} 0)">', *_plot(chart), "</g>"]
        parts += [
            f'<g transform="translate({len(charts) * _WIDTH} {_TOP})">',
            *_legend(charts[0]),
            "</g></g>",
        ]
    return "\n".join([*parts, "</svg>", ""])


def _plot(chart: BudgetChart) -> Iterator[str]:
    budgets = chart.budgets
    values = [value for curve in chart.curves for _, value in curve.points if value is not None]
    # From 0, so that a small difference is not made to look large.
    top = _rounded_up(max(values, default=1.0))
    right, bottom = _WIDTH - 20, _HEIGHT - 36
    first, last = math.log(budgets[0]), math.log(budgets[-1])

    def across(budget: int) -> float:
        return _LEFT + (right - _LEFT) * (math.log(budget) - first) / (last - first)

    def down(value: float) -> float:
        return bottom - (bottom - _TOP) * value / top

    yield f'<text x="{_LEFT}" y="{_TOP - 8}">{escape(chart.metric)}</text>'
    for step in range(5):
        value = top * step / 4
        y = down(value)
        yield f'<line class="g" x1="{_LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:.3g}</text>'
    for budget in budgets:
        yield f'<text x="{across(budget):.1f}" y="{bottom + 18}" text-anchor="middle">{budget:,}</text>'
    yield f'<text x="{right}" y="{bottom + 33}" text-anchor="end">tokens</text>'
    yield f'<line class="a" x1="{_LEFT}" x2="{right}" y1="{bottom}" y2="{bottom}"/>'
    for number, curve in enumerate(chart.curves):
        known = [(budget, value) for budget, value in curve.points if value is not None]
        line = " ".join(f"{across(budget):.1f},{down(value):.1f}" for budget, value in known)
        said = "; ".join(f"{budget:,} tokens {value:.4f}" for budget, value in known)
        title = f"<title>{escape(curve.name)}: {said}</title>"
        yield f'<polyline {_look(number)} points="{line}">{title}</polyline>'


def _legend(chart: BudgetChart) -> Iterator[str]:
    for number, curve in enumerate(chart.curves):
        y = 20 * number
        yield f'<polyline {_look(number)} points="0,{y} 26,{y}"/>'
        yield f'<text x="32" y="{y + 4}">{escape(curve.name)}</text>'


def _look(number: int) -> str:
    dash = _DASHES[number // len(_COLOURS) % len(_DASHES)]
    return f'stroke="{_COLOURS[number % len(_COLOURS)]}" stroke-dasharray="{dash}"'


def _rounded_up(value: float) -> float:
    """Return a plain number at or above a value, for the top of an axis."""
    if value <= 0:
        return 1.0
    unit = 10.0 ** math.floor(math.log10(value))
    return float(next(step * unit for step in (1, 2, 4, 5, 8, 10) if step * unit >= value - 1e-12))
