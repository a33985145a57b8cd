"""What earlier evaluations were, for a page: each metric over time.

A point says what its fingerprint is made of and no longer the same: suite, corpus or system.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rankgate.gates.language import Measure
from rankgate.model.wording import many
from rankgate.reports.page.model import (
    MetricGate,
    PageMetric,
    PageTrend,
    TrendPoint,
)
from rankgate.reports.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankgate.gates.scored import GateVerdict
    from rankgate.reports.text.marks import Mark

PARTS = ("suite", "corpus", "system")
"""What the fingerprint of an evaluation is made of."""
MOST_POINTS = 200
"""How many evaluations a page shows: the latest."""


class PastRun(NamedTuple):
    """One evaluation, as a history remembers it."""

    number: int
    """Which one it was, from 1."""
    name: str
    """What people call it: a commit, or ``#3``."""
    time: str
    """When it was made."""
    mark: Mark
    """How it ended."""
    status: str
    """The same in a line."""
    metrics: tuple[PageMetric, ...]
    """What was measured."""
    values: tuple[float | None, ...]
    """A value a metric."""
    shown: tuple[str, ...]
    """The same for people."""
    gates: tuple[MetricGate, ...] = ()
    """The gates over all queries."""
    made_of: Mapping[str, str] = {}
    """The fingerprint of each of `PARTS`; one that nobody knows is not there."""


def metric_gates(verdicts: Iterable[GateVerdict]) -> tuple[MetricGate, ...]:
    """Return the gates that hold a metric over all queries to a value."""
    return tuple(
        MetricGate(printable(rule.label or ""), rule.bar, printable(verdict.gate))
        for verdict in verdicts
        if (rule := verdict.rule).measure is Measure.METRIC and not (rule.only or rule.worst)
    )


def trend_of(metrics: Sequence[PageMetric], runs: Sequence[PastRun]) -> PageTrend:
    """Lay out evaluations over time, the oldest first, by the metrics of today."""
    shown = list(runs)[-MOST_POINTS:]
    points, before = [], dict[str, str]()
    for at, run in enumerate(shown):
        known = {(metric.name, metric.unit): number for number, metric in enumerate(run.metrics)}
        columns = [known.get((metric.name, metric.unit)) for metric in metrics]
        changed = [part for part in PARTS if at and _differs(before.get(part), run.made_of.get(part))]
        # What an evaluation does not tell is that of the last one that did.
        before |= run.made_of
        points.append(
            TrendPoint(
                number=run.number,
                name=run.name,
                time=run.time,
                mark=run.mark,
                status=run.status,
                values=tuple(None if column is None else run.values[column] for column in columns),
                shown=tuple("" if column is None else run.shown[column] for column in columns),
                gates=run.gates,
                changed=tuple(changed),
            )
        )
    left = len(runs) - len(shown)
    note = f"{many(left, 'earlier evaluation')} not shown" if left else ""
    return PageTrend(tuple(metrics), tuple(points), note=note)


def _differs(before: str | None, now: str | None) -> bool:
    return before is not None and now is not None and before != now
