"""Pages that have a past and a corpus, made by hand."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from rankgate.reports.page.model import CoveredFolder, MetricGate, PageCoverage
from rankgate.reports.page.past import PastRun, rank_cell, with_past
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
    """Return a page with so many earlier evaluations, and with what its suite covers."""
    drawn = Random(12)
    ranks = {
        query.case: (*drawn.choices([1, 1, 1, 2, 4, 12, 0, -1, None], k=count), rank_cell(query))
        if drawn.random() < 0.4
        else (rank_cell(query),) * (count + 1)
        for query in page.queries
    }
    runs = past_runs(count + 1, metrics=page.metrics)
    folders = (
        CoveredFolder("docs/guide", 20, 9, 14, tuple(f"docs/guide/page{at}.md" for at in range(8)), 3),
        CoveredFolder("docs/reference/of-a-long-name/that-must-wrap", 12, 6, 8, ("docs/reference/a.md",), 5),
        CoveredFolder("src", 7, 7, 26),
    )
    coverage = PageCoverage("22 of 39 pages are asked for; no query asks for 17", "page", 39, 22, folders)
    made = with_past(page, runs, [run.number for run in runs], ranks)
    return replace(made, coverage=coverage)
