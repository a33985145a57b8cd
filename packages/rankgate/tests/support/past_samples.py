"""Pages that have a past, made by hand."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from rankgate.reports.page.model import MetricGate
from rankgate.reports.page.past import PastRun, trend_of
from support.sample_reports import METRICS, shown

if TYPE_CHECKING:
    from rankgate.reports.page.model import PageMetric, ReportPage
    from rankgate.reports.text.marks import Mark


def past_runs(count: int, level: float = 0.72, metrics: tuple[PageMetric, ...] = METRICS) -> list[PastRun]:
    """Return so many evaluations; the corpus changes every fourth time, the suite every fifth."""
    drawn = Random(11)
    runs = []
    for number in range(1, count + 1):
        first = level + drawn.uniform(-0.06, 0.06)
        values = tuple(min(1.0, first + 0.04 * at) for at in range(len(metrics)))
        bar = level - 0.02 if number > count // 2 else level - 0.05
        mark: Mark = "✅" if first >= bar else "❌"
        status = "all gates passed" if mark == "✅" else "1 of 5 gates failed"
        made = {"suite": f"{number // 5}", "corpus": f"{number // 4}", "system": f"{number // 2}"}
        runs.append(
            PastRun(
                number,
                f"{drawn.getrandbits(40):010x}",
                f"2026-02-{number + 3:02d}T14:05:00+00:00",
                mark,
                status,
                metrics,
                values,
                shown(values),
                (MetricGate(metrics[0].name, round(bar, 2), f"{metrics[0].name} >= {bar:.2f}"),),
                made,
            )
        )
    return runs


def remembered(page: ReportPage, count: int = 14) -> ReportPage:
    """Return a page with so many earlier evaluations."""
    runs = past_runs(count + 1, metrics=page.metrics)
    return replace(page, trend=trend_of(page.metrics, runs))
