"""Several systems in one table, the best first: what each scored, and its difference to the first named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.reports.text.marks import NOTHING, Mark, Unmarked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.reports.comparison.report import ComparisonReport


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """One system."""

    name: str
    """What people call it."""
    values: tuple[str, ...]
    """Its means, one a metric of the board."""
    numbers: tuple[float | None, ...]
    """The same in full; null where a metric was not compared."""
    difference: str = ""
    """The difference of the first metric to the system that all are compared with; empty for that one."""
    interval: str = ""
    """The 95 % interval of that difference."""
    low: float | None = None
    """Where the interval begins."""
    high: float | None = None
    """Where it ends."""
    finding: str = "compared with"
    """What that allows to say, in words."""
    mark: Mark | Unmarked = ""
    """✅ better, ❌ worse (significant)."""
    errors: int = 0
    """How many of the compared queries it did not answer."""


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Systems by the first metric, the best first."""

    metrics: tuple[str, ...] = ()
    """The columns."""
    rows: tuple[LeaderboardRow, ...] = ()
    """A row a system."""


def leaderboard(reports: Sequence[ComparisonReport], *, less: bool = False) -> Leaderboard:
    """Return the board of everything that was compared with one system; `less` where less is better."""
    if not reports or not reports[0].rows:
        return Leaderboard()
    labels = tuple(row.metric for row in reports[0].rows)
    base = _row(reports[0], labels, after=False)
    rows = [base, *(_row(report, labels, after=True) for report in reports)]
    sign = 1 if less else -1
    rows.sort(key=lambda row: (row.numbers[0] is None, sign * (row.numbers[0] or 0.0)))
    return Leaderboard(labels, tuple(rows))


def _row(report: ComparisonReport, labels: tuple[str, ...], *, after: bool) -> LeaderboardRow:
    found = {row.metric: row for row in report.rows}
    compared = [found.get(label) for label in labels]
    values = tuple(NOTHING if row is None else row.after if after else row.before for row in compared)
    numbers = tuple(
        None if row is None else row.numbers.after if after else row.numbers.before for row in compared
    )
    errors = 0 if report.errors is None else report.errors.after if after else report.errors.before
    first = compared[0]
    if not after or first is None:
        name = report.after if after else report.before
        return LeaderboardRow(name, values, numbers, errors=errors)
    return LeaderboardRow(
        report.after,
        values,
        numbers,
        first.difference,
        first.interval,
        first.numbers.low,
        first.numbers.high,
        first.finding,
        first.mark,
        errors,
    )
