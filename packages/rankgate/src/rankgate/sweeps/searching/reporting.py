"""The report of a search: its table ranks, and only the held-out queries tell whether the winner is better.

Trials follow from what earlier ones scored, so that there is no family of claims that was fixed before: no
variant is called better or worse by the queries that chose it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.reports.comparison.wording import ALPHA

if TYPE_CHECKING:
    from rankgate.reports.sweep.report import SweepReport, SweepRow

SEARCHED = "searched, not tested"
"""What is said of a variant that a search has chosen."""


def searched_report(report: SweepReport, *, less: bool) -> SweepReport:
    """Return the report of a search without the claims that a sweep of all combinations makes.

    Args:
        report: The report, as of a sweep.
        less: Whether less is better in the metric that decides.
    """
    rows = tuple(map(_without_claim, report.rows))
    words = (
        f"a search claims nothing by the queries it goes by; the metric that decides is {report.metrics[0]}"
    )
    return replace(report, headline=_headline(report, less=less), rows=rows, family=words)


def _without_claim(row: SweepRow) -> SweepRow:
    if row.baseline or row.same_as or not row.difference:
        return row
    return replace(row, mark="", p="", finding=SEARCHED)


def _headline(report: SweepReport, *, less: bool) -> str:
    base = next(row.name for row in report.rows if row.baseline)
    held = report.held_out
    if held is None:
        return f"No trial answers differently from {base}."
    metric, (_, mean, _, _, p) = report.metrics[0], held.numbers
    said = f"{held.winner}, the best of the search, is {held.measured} in {metric}"
    if p > ALPHA:
        return f"{said}: not shown to be better than {base}."
    if held.exploratory:
        return f"{said}: no claim, as this is look {held.uses} at these queries."
    # The winner is the best of the ranked queries; on others it may still be worse.
    better = mean < 0 if less else mean > 0
    return f"{said}: {'better' if better else 'worse'} than {base}."
