"""What the page of a sweep is given: the report, and every query in every variant.

The page lays it out and computes no figure. Names of fields are those that the page's script reads. A query
in a hundred variants has a thousand hits, most of them the same: hits, rankings and scores stand once and are
named by their numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.files.encoder import encoded
from rankgate.reports.evaluation.json_report import SCHEMA
from rankgate.reports.page.document import Assets, laid_out
from rankgate.reports.page.model import PageMetric
from rankgate.reports.sweep.report import SweepReport
from rankgate.reports.text.marks import BAD, DOUBTFUL, GOOD

if TYPE_CHECKING:
    from collections.abc import Sequence

NOT_FOUND, ERRORED, NOTHING_EXPECTED = 0, -1, -2
"""What stands for the rank of the first relevant hit where there is none."""
MARKS = ("", GOOD, DOUBTFUL, BAD)
"""The marks of hits, by their numbers."""


@dataclass(frozen=True, slots=True)
class SweptQuery:
    """One query in all distinct variants."""

    case: str
    """The case's id."""
    query: str
    """What was asked."""
    category: str
    """Its category."""
    expected: tuple[str, ...]
    """The relevant targets."""
    values: tuple[int, ...]
    """What each variant scored in the metric that decides: a number of `scores`; −1 where undefined."""
    first: tuple[int, ...]
    """The rank of the first relevant hit in each variant; 0 not found, −1 error, −2 nothing expected."""
    ranking: tuple[int, ...]
    """Which of the rankings each variant gave."""
    rankings: tuple[tuple[int, ...], ...]
    """The distinct rankings; each hit is a number of `places`, times four, and its mark's number."""
    only: int | None = None
    """The one variant that finds something relevant; null where none does, or several do."""


@dataclass(frozen=True, slots=True)
class CostPoint:
    """One variant in a chart of quality against cost."""

    row: int
    """Its row in the report."""
    cost: float
    """What a query costs."""
    shown: str
    """The same for people."""
    value: float
    """Its mean in the metric that decides."""
    front: bool
    """True where no other variant is at least as good for at most the cost, and better in one of the two."""


@dataclass(frozen=True, slots=True)
class CostChart:
    """Quality against one kind of cost."""

    name: str
    """The cost: latency, tokens."""
    unit: str
    """What a cost counts."""
    points: tuple[CostPoint, ...]
    """A point a variant that has both."""


@dataclass(frozen=True, slots=True)
class SweepPage:
    """Everything that is shown of a sweep over one suite."""

    report: SweepReport
    """The table, and what it says."""
    metric: PageMetric
    """The metric that decides."""
    columns: tuple[str, ...]
    """The distinct variants, in the order of the table; queries have a value for each."""
    column: tuple[int, ...]
    """The distinct variant that each row of the report is."""
    alone: tuple[int, ...]
    """How many queries each distinct variant alone finds."""
    base: int
    """The distinct variant that is in use."""
    scores: tuple[tuple[float, str], ...]
    """The values of queries, in full and for people."""
    places: tuple[str, ...]
    """The locations of hits."""
    asked: tuple[SweptQuery, ...]
    """Every query, those that the fewest variants find first."""
    costs: tuple[CostChart, ...] = ()
    """Quality against cost; empty where nobody measured one."""


@dataclass(frozen=True, slots=True)
class SweepPages:
    """The page of a sweep: a part for each suite; ``kind`` tells it from other pages."""

    sweeps: tuple[SweepPage, ...]
    """A sweep a suite."""
    marks: tuple[str, ...] = MARKS
    """The marks of hits, by their numbers."""
    kind: str = "sweep"
    """Always this."""
    schema: int = SCHEMA
    """The version of this layout."""


def render_sweep(pages: Sequence[SweepPage], assets: Assets) -> str:
    """Write the page of a sweep as one HTML file."""
    whole = SweepPages(tuple(pages))
    title = ", ".join(page.report.title for page in pages) or "sweep"
    return laid_out(encoded(whole, SweepPages), title, assets)


def on_front(points: Sequence[tuple[float, float]]) -> list[bool]:
    """Mark the points, each a cost and a value of which more is better, that no other point beats.

    >>> on_front([(1, 0.5), (2, 0.7), (2, 0.6), (3, 0.7), (1, 0.5)])
    [True, True, False, False, True]
    """
    return [
        not any(
            other <= cost and reached >= value and (other < cost or reached > value)
            for other, reached in points
        )
        for cost, value in points
    ]
