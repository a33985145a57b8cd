"""What a metric is expected to be, query by query, given what one unit turns out to be.

For metrics that say what single hits are worth, the other unjudged units of the query count by what is
expected of them: for sums over hits the expected numerator over the expected ideal, for those that the first
relevant hit decides the exact expectation. Every other metric is scored with the one unit judged and the
others not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankgate.judging.order.relevance import by_query
from rankgate.scoring.unjudged.extremes import places

if TYPE_CHECKING:
    from rankgate.scoring.credit import HitWorth
    from rankgate.scoring.matches import Bools, Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Prospects:
    """The units that are open, and what each may turn out to be."""

    query: Ints
    """The query of each, in ascending order."""
    chance: Floats
    """How likely each has each grade: a column for 0, then one for every grade of the scale."""
    scale: Floats
    """The grades above 0."""
    queries: int
    """How many queries there are."""

    def gains(self, worth: HitWorth) -> Floats:
        """Return the gain of every column."""
        return np.concatenate([[0.0], np.maximum(worth.gain(self.scale), 0.0)])

    def total(self, values: Floats) -> Floats:
        """Add up a value of each by query."""
        return by_query(self.query, values, self.queries)

    def something(self, chance: Floats, known: Floats) -> tuple[Floats, Floats]:
        """Return how likely each query has something relevant, and the same without each unit."""
        nothing = np.log1p(-np.minimum(chance, 1 - 1e-12))
        all_ = self.total(nothing)
        without = 1.0 - np.exp(all_[self.query] - nothing)
        found = known > 0
        return np.where(found, 1.0, 1.0 - np.exp(all_)), np.where(found[self.query], 1.0, without)


@dataclass(frozen=True, slots=True, eq=False)
class Expectation:
    """What is expected of a value."""

    value: Floats
    """Of each query."""
    given: Floats
    """Of the query of each unit, given what the unit is: a column for each grade."""

    def times(self, factor: float) -> Expectation:
        """Return the same of a factor times the value."""
        return Expectation(self.value * factor, self.given * factor)

    def plus(self, other: Expectation) -> Expectation:
        """Return the same of the sum of two values."""
        return Expectation(self.value + other.value, self.given + other.given)


def of_sum(worth: HitWorth, prospects: Prospects, weight: Floats, base: Floats, known: Floats) -> Expectation:
    """Return what is expected of a sum over hits.

    Args:
        worth: What a hit adds.
        prospects: The open units.
        weight: The weight of each.
        base: What the judged hits add to the numerator of each query.
        known: How many judged targets of each query gain at least as much as each grade of the scale.
    """
    gains, query = prospects.gains(worth), prospects.query
    mean = prospects.chance @ gains
    above = base + prospects.total(mean * weight)
    given = (above[query] - mean * weight)[:, None] + weight[:, None] * gains
    if worth.ideal is None:
        return Expectation(above, given)
    tail = prospects.chance[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]
    count = known + np.stack([prospects.total(column) for column in tail.T], axis=1)
    most = int(np.ceil(count.max(initial=0))) + 2
    place = places(worth.ideal, worth.ideal_depth, most)
    width = np.diff(gains)

    def ideal(counts: Floats) -> Floats:
        return np.asarray(np.interp(counts, np.arange(len(place)), place) @ width)

    other = count[query] - tail
    reached = np.arange(len(gains))[:, None] > np.arange(len(width))
    below = np.stack([ideal(other + row) for row in reached], axis=1)
    good = prospects.chance[:, gains > 0].sum(axis=1)
    some, without = prospects.something(good, known[:, int(np.argmax(gains > 0)) - 1])
    given = _ratio(given, below)
    given[:, gains == 0] *= without[:, None]
    return Expectation(_ratio(above, ideal(count)) * some, given)


def of_first(worth: HitWorth, prospects: Prospects, weight: Floats, now: Floats) -> Expectation:
    """Return what is expected of the weight of the first relevant hit.

    Args:
        worth: What a hit adds.
        prospects: The open units.
        weight: The weight of each, 0 where it is not above the cut.
        now: The value of each query by what is judged.
    """
    gains, query = prospects.gains(worth), prospects.query
    good = prospects.chance[:, gains > 0].sum(axis=1)
    counts = weight > now[query]
    # Places from the best on; what is not better than the value has none.
    order = np.lexsort((-weight, ~counts, query))
    first = np.searchsorted(query, np.arange(prospects.queries))
    place = np.empty(len(query), dtype=np.int64)
    place[order] = np.arange(len(query)) - first[query[order]]
    deepest = int(place[counts].max(initial=-1)) + 1
    chance, worth_at = np.zeros((prospects.queries, deepest)), np.zeros((prospects.queries, deepest))
    chance[query[counts], place[counts]] = good[counts]
    worth_at[query[counts], place[counts]] = weight[counts]
    rest = np.empty((prospects.queries, deepest + 1))
    rest[:, deepest] = now
    for last in range(deepest - 1, -1, -1):
        found, not_found = chance[:, last], 1.0 - chance[:, last]
        rest[:, last] = found * worth_at[:, last] + not_found * rest[:, last + 1]
    reached = np.cumprod(np.hstack([np.ones((prospects.queries, 1)), 1.0 - chance]), axis=1)
    value = rest[:, 0]
    given = np.repeat(value[query][:, None], len(gains), axis=1)
    rows = np.flatnonzero(counts)
    at, of = place[rows], query[rows]
    before = value[of] - reached[of, at] * rest[of, at]
    if_not = before + reached[of, at] * rest[of, at + 1]
    if_good = before + reached[of, at] * weight[rows]
    given[rows] = np.where(gains > 0, if_good[:, None], if_not[:, None])
    return Expectation(value, given)


def less_bound(
    expected: Expectation, prospects: Prospects, bound: float, relevant: Bools, known: Floats
) -> Expectation:
    """Return what is expected of a value less a bound, where a query without anything relevant has none.

    Args:
        expected: What is expected of the value.
        prospects: The open units.
        bound: What it is held against.
        relevant: Which grades of the scale are relevant.
        known: How many relevant targets of each query are known.
    """
    if bound == 0.0:
        return expected
    columns = np.concatenate([[False], relevant])
    some, without = prospects.something(prospects.chance[:, columns].sum(axis=1), known)
    has_value = np.where(columns, 1.0, without[:, None])
    return Expectation(expected.value - bound * some, expected.given - bound * has_value)


def _ratio(above: Floats, below: Floats) -> Floats:
    return np.divide(above, below, out=np.zeros(np.shape(above)), where=below > 1e-12)
