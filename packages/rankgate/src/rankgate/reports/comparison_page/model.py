"""What the page of a comparison is given: systems, their differences, and every query in all of them.

The page lays it out and computes no figure. Names of fields are those that the page's script reads.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rankgate.files.encoder import encoded
from rankgate.gates.wording import figure
from rankgate.reports.comparison.leaderboard import Leaderboard
from rankgate.reports.comparison.report import ComparisonReport
from rankgate.reports.evaluation.json_report import SCHEMA
from rankgate.reports.page.document import Assets, assemble, packed
from rankgate.reports.page.model import PageHit, PageMetric
from rankgate.reports.text.marks import signed

if TYPE_CHECKING:
    from collections.abc import Sequence

_NEAR = 1e-9


@dataclass(frozen=True, slots=True)
class ComparedSystem:
    """One of the systems."""

    name: str
    """What people call it."""
    address: str = ""
    """Where its own report is; empty where the page is a file."""


@dataclass(frozen=True, slots=True)
class SystemAnswer:
    """What one system answered to one query."""

    values: tuple[float | None, ...]
    """What it scored, a value a metric; null where that is undefined."""
    shown: tuple[str, ...]
    """The same for people."""
    first: int
    """The rank of the first relevant hit; 0 where there is none."""
    hits: tuple[PageHit, ...]
    """The first hits, best first."""
    errored: bool = False
    """True where the system did not answer."""


@dataclass(frozen=True, slots=True)
class QueryInSystems:
    """One query in all systems."""

    case: str
    """The case's id."""
    query: str
    """What was asked."""
    category: str
    """Its category."""
    answers: tuple[SystemAnswer | None, ...]
    """An answer a system; null where it is not compared."""
    expected: tuple[str, ...] = ()
    """The relevant targets."""
    weight: float = 1.0
    """Its share in every mean."""


@dataclass(frozen=True, slots=True)
class ComparedSlice:
    """One category in two systems, by the first metric."""

    name: str
    """The category."""
    cases: int
    """How many of its queries both have a value for."""
    before: str
    """The mean of the one that is compared with."""
    after: str
    """The mean of the other."""
    difference: str
    """The second less the first, with its sign."""
    number: float
    """The same in full."""
    way: str
    """What that is: better, worse or same."""


@dataclass(frozen=True, slots=True)
class ComparisonPage:
    """Everything that the page of a comparison shows; ``kind`` tells it from other pages."""

    suite: str
    """The name of the suite."""
    systems: tuple[ComparedSystem, ...]
    """The systems; all others are compared with the first."""
    metrics: tuple[PageMetric, ...]
    """What the values of answers are."""
    reports: tuple[ComparisonReport, ...]
    """Each of the others compared with the first."""
    asked: tuple[QueryInSystems, ...]
    """Every query, those that the systems differ most in first."""
    board: Leaderboard = field(default_factory=Leaderboard)
    """The systems, the best first."""
    slices: tuple[tuple[ComparedSlice, ...], ...] = ()
    """For each of the reports: the categories, the worst first."""
    notes: tuple[str, ...] = ()
    """What the page leaves out to stay small, with counts."""
    kind: str = "comparison"
    """Always this."""
    schema: int = SCHEMA
    """The version of this layout."""

    @property
    def title(self) -> str:
        """Return what the browser's tab says."""
        first, *others = (system.name for system in self.systems)
        return f"{self.suite}: {', '.join(others)} compared with {first}"


def render_comparison(page: ComparisonPage, assets: Assets) -> str:
    """Write a page as one HTML file."""
    return assemble(packed(encoded(page, ComparisonPage)), page.title, assets)


def by_difference(queries: Sequence[QueryInSystems], metric: int) -> tuple[QueryInSystems, ...]:
    """Sort queries by how far the systems are apart in a metric, the widest first."""

    def spread(query: QueryInSystems) -> float:
        values = [value for one in query.answers if one and (value := one.values[metric]) is not None]
        return max(values) - min(values) if values else 0.0

    return tuple(sorted(queries, key=lambda query: -spread(query)))


def compared_slices(
    queries: Sequence[QueryInSystems], other: int, metric: PageMetric, at: int
) -> tuple[ComparedSlice, ...]:
    """Return every category in the first system and another, the worst difference first."""
    values: dict[str, list[tuple[float, float, float]]] = {}
    for query in queries:
        before, after = query.answers[0], query.answers[other]
        if before is None or after is None or not query.category:
            continue
        was, now = before.values[at], after.values[at]
        if was is not None and now is not None:
            values.setdefault(query.category, []).append((query.weight, was, now))
    worse = 1.0 if metric.less else -1.0
    rows = [_slice(name, these, metric.unit, worse) for name, these in values.items()]
    return tuple(sorted(rows, key=lambda row: (round(-row.number * worse, 9), row.name)))


def _slice(name: str, values: Sequence[tuple[float, float, float]], unit: str, worse: float) -> ComparedSlice:
    total = math.fsum(weight for weight, _, _ in values) or 1.0
    was, now = (math.fsum(one[0] * one[side] for one in values) / total for side in (1, 2))
    apart = now - was
    way = "same" if abs(apart) <= _NEAR else "worse" if apart * worse > 0 else "better"
    shown = figure(was, unit), figure(now, unit), signed(apart, unit)
    return ComparedSlice(name, len(values), *shown, apart, way)
