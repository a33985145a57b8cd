"""Pages that list evaluations, made by hand."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from rankgate.reports.page.model import IndexPair, IndexRecord, PageIndex
from rankgate.reports.page.past import trend_of
from support.past_samples import past_runs
from support.sample_reports import METRICS, shown

if TYPE_CHECKING:
    from rankgate.reports.text.marks import Mark


def listed() -> PageIndex:
    """List three pairs of a suite and a system."""
    drawn = Random(5)
    return PageIndex(
        suites=(
            _pair(drawn, "Command line docs", "docs-search", 14, 0.72),
            _pair(drawn, "Command line docs", "hybrid", 9, 0.79),
            _pair(drawn, "Web framework code", "trigrams", 1, 0.61),
        ),
        title="example/.rankgate",
        notes=("1 file was not written by rankgate and is left out",),
    )


def _pair(drawn: Random, suite: str, system: str, count: int, level: float) -> IndexPair:
    records = []
    for number in range(count, 0, -1):
        first = level + drawn.uniform(-0.05, 0.05)
        values = (first, first - 0.05, min(1.0, first + 0.08), min(1.0, first + 0.12))
        mark: Mark = "✅" if first >= level else "⚠️" if first > level - 0.02 else "❌"
        status = {"✅": "all 5 gates passed", "⚠️": "1 of 5 gates inconclusive", "❌": "1 of 5 gates failed"}[
            mark
        ]
        records.append(
            IndexRecord(
                key=f"{suite}-{system}-{number}".replace(" ", "-").lower(),
                number=number,
                mark=mark,
                status=status,
                time=f"2026-02-{number + 9:02d} 14:05 UTC",
                commit=f"{drawn.getrandbits(28):07x}" + ("+" if number == count else ""),
                version="2.4.1",
                values=values,
                shown=shown(values),
                kept=number > 2 or count < 3,
            )
        )
    notes = ("2 pages were removed to make room",) if count > 2 else ()
    return IndexPair(
        suite, system, METRICS, tuple(records), notes, trend_of(METRICS, past_runs(count, level))
    )
