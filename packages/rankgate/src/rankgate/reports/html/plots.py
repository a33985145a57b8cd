"""Plots of the HTML report as inline SVG. Only positions are computed here."""

from __future__ import annotations

from collections.abc import Sequence

from rankgate.report import CaseResult
from rankgate.reports.html.markup import anchor, escape

ROW = 50
"""The height of a result in a ranking, in pixels; the style sheet has the same."""
_WIDTH, _HEIGHT, _GAP = 620, 92, 64
_LINKED = 200
"""The largest number of bars that are links."""


def change_bars(cases: Sequence[CaseResult], metric: str, label: str) -> str:
    """Draw the change of a metric per query as bars, from the worst to the best."""
    bars = []
    for case in cases:
        before, now = case.before.get(metric), case.values.get(metric)
        if before is not None and now is not None and before != now:
            bars.append((now - before, case, before, now))
    if len(bars) < 3:
        return ""
    bars.sort(key=lambda bar: bar[0])
    low, high = min(bars[0][0], 0.0), max(bars[-1][0], 0.0)
    scale, step = _HEIGHT / (high - low), min(30.0, _WIDTH / len(bars))
    zero, width = high * scale, len(bars) * step
    drawn = []
    for at, (change, case, before, now) in enumerate(bars):
        top, tall = min(zero, zero - change * scale), max(abs(change) * scale, 1)
        bar = (
            f'<rect class="{"worse" if change < 0 else "better"}" x="{at * step:.1f}" y="{top:.1f}" '
            f'width="{step * 0.8:.2f}" height="{tall:.1f}" rx="{min(2, step / 5):.1f}"/>'
        )
        if len(bars) <= _LINKED:
            title = f"<title>{escape(case.query or case.name)}: {before:.3f} → {now:.3f}</title>"
            # The cards and lists have the same links for the keyboard.
            hit = f'<rect class="aim" x="{at * step:.1f}" y="0" width="{step:.1f}" height="{_HEIGHT}"/>'
            bar = f'<a href="#{anchor(case.name)}" tabindex="-1">{title}{hit}{bar}</a>'
        drawn.append(bar)
    line = f'<line x1="0" x2="{width:.1f}" y1="{zero:.1f}" y2="{zero:.1f}"/>'
    return (
        f'<svg class="bars" width="{width:.0f}" height="{_HEIGHT}" viewBox="0 0 {width:.1f} {_HEIGHT}" '
        f'preserveAspectRatio="none" role="group" aria-label="{escape(label)}">{line}{"".join(drawn)}</svg>'
    )


def history_line(values: Sequence[float | None], label: str) -> str:
    """Draw the values of a metric as a line; the last one is this test. Empty for fewer than three."""
    known = [(at, value) for at, value in enumerate(values) if value is not None]
    if len(known) < 3:
        return ""
    low, high = min(value for _, value in known), max(value for _, value in known)
    # A metric that hardly moves must not look as if it jumped.
    room = max(high - low, 0.05 * max(abs(high), 1e-9), 1e-9)
    base = (low + high - room) / 2
    points = [(4 + 152 * at / (len(values) - 1), 28 - 24 * (value - base) / room) for at, value in known]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    x, y = points[-1]
    return (
        '<svg class="line" width="160" height="32" viewBox="0 0 160 32" role="img" '
        f'aria-label="{escape(label)}"><title>{escape(label)}</title>'
        f'<polyline points="{path}"/><circle cx="{x:.1f}" cy="{y:.1f}" r="3"/></svg>'
    )


def value_bar(value: float | None, before: float | None, largest: float) -> str:
    """Draw a value as a bar, with a mark where the baseline is. The number is printed beside it."""
    if value is None:
        return ""
    scale = 100 / largest if largest > 0 else 0
    mark = (
        "" if before is None else f'<rect class="mark" x="{before * scale:.1f}" y="0" width="1" height="10"/>'
    )
    return (
        '<svg class="bar" viewBox="0 0 101 10" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="track" y="2" width="101" height="6"/>'
        f'<rect class="fill" y="2" width="{max(value, 0) * scale:.1f}" height="6"/>{mark}</svg>'
    )


def moves(case: CaseResult) -> str:
    """Draw a line from each result's rank in the baseline to its rank now."""
    rows = max(len(case.hits), len(case.hits_before), 1)
    shown = {hit.rank: at for at, hit in enumerate(case.hits_before)}
    lines = []
    for at, hit in enumerate(case.hits):
        if hit.before is None or hit.before not in shown:
            continue
        old, new = (ROW * (shown[hit.before] + 0.5), ROW * (at + 0.5))
        way = "up" if hit.before > hit.rank else "down" if hit.before < hit.rank else "still"
        relevant = " relevant" if hit.grade else ""
        lines.append(
            f'<path class="{way}{relevant}" '
            f'd="M0 {old:g}C{_GAP / 2:g} {old:g} {_GAP / 2:g} {new:g} {_GAP} {new:g}"/>'
        )
    return (
        f'<svg class="moves" height="{rows * ROW}" viewBox="0 0 {_GAP} {rows * ROW}" '
        f'preserveAspectRatio="none" aria-hidden="true">{"".join(lines)}</svg>'
    )
