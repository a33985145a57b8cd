"""What the unjudged hits allow: the lowest and highest value of both sides, and of their difference.

Each unjudged hit above the cut, on either side, may have any grade of the suite's scale, and is then a target
like any other: it counts in the ideal of both sides, and a hit that both have has one grade. For sums over
hits (ndcg, dcg, p, r, rbp) and for what the first hit decides (rr, hit), values and differences are the exact
ends. For those whose ends lie at swaps (ap, f1, all, err) the values are, and the difference is bounded by
them. A weighted sum is bounded by its terms, everything else by its range.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankgate.scoring.matches import position_in_query
from rankgate.scoring.unjudged.extremes import Levels, largest_ratio, places
from rankgate.scoring.unjudged.sides import graded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.scoring.credit import HitWorth
    from rankgate.scoring.matches import Bools, Cut, Floats, Ints
    from rankgate.scoring.metric import Metric
    from rankgate.scoring.unjudged.sides import BothSides

_MOST_SWAPS = 50
"""How many unjudged hits of a query are tried one after the other; of more, the range is the bound."""


@dataclass(frozen=True, slots=True, eq=False)
class ValueSpan:
    """The lowest and the highest value of each query."""

    low: Floats
    """No grading of the unjudged hits gives less."""
    high: Floats
    """No grading of the unjudged hits gives more."""

    def holding(self, values: Floats) -> ValueSpan:
        """Return it with the values themselves in it, which rounding may have left out."""
        return ValueSpan(np.minimum(self.low, values), np.maximum(self.high, values))

    def times(self, factor: float) -> ValueSpan:
        """Return the span of a factor times such a value."""
        ends = self.low * factor, self.high * factor
        return ValueSpan(*ends) if factor >= 0 else ValueSpan(*ends[::-1])

    def plus(self, other: ValueSpan) -> ValueSpan:
        """Return a span of the sum of two values."""
        return ValueSpan(self.low + other.low, self.high + other.high)


@dataclass(frozen=True, slots=True, eq=False)
class Allowed:
    """What the unjudged hits allow a metric to be, query by query."""

    before: ValueSpan
    """Its values before."""
    after: ValueSpan
    """Its values after."""
    difference: ValueSpan
    """After less before."""

    def where(self, rows: Bools, other: Allowed) -> Allowed:
        """Return this for some queries, and the other for the rest."""
        pairs = ((getattr(self, name), getattr(other, name)) for name in ("before", "after", "difference"))
        return Allowed(
            *(ValueSpan(np.where(rows, a.low, b.low), np.where(rows, a.high, b.high)) for a, b in pairs)
        )


def allowed(metric: Metric, both: BothSides) -> Allowed:
    """Return what the unjudged hits allow a metric to be."""
    parts: Sequence[tuple[float, Metric]] = getattr(metric, "terms", ((1.0, metric),))
    # What one part of a sum looks at is there to be found for the others as well.
    seen = np.zeros(len(both.query), dtype=bool)
    for _, part in parts:
        seen |= np.maximum(*both.ranks(getattr(part, "cut", None))) > 0
    found = [(weight, _of_one(part, both, seen)) for weight, part in parts]
    return found[0][1] if len(found) == 1 and found[0][0] == 1.0 else _summed(found, both.size)


def _of_one(metric: Metric, both: BothSides, seen: Bools) -> Allowed:
    before, after = (metric.column(side.matches).values for side in (both.before, both.after))
    hits = _SeenHits.of(both, getattr(metric, "cut", None), seen)
    if metric.worth is not None:
        form = _by_first if metric.worth.first_only else _by_sum
        found = form(metric.worth, hits, before, after)
    elif metric.ends_at_swaps and hits.most <= _MOST_SWAPS:
        found = _by_swaps(metric, hits)
    else:
        found = _by_range(metric, both.size)
    exact = Allowed(*(ValueSpan(values, values) for values in (before, after, after - before)))
    found = found.where(hits.number > 0, exact)
    return Allowed(
        found.before.holding(before), found.after.holding(after), found.difference.holding(after - before)
    )


def _summed(parts: Sequence[tuple[float, Allowed]], size: int) -> Allowed:
    spans = []
    for name in ("before", "after", "difference"):
        total = ValueSpan(np.zeros(size), np.zeros(size))
        for weight, part in parts:
            total = total.plus(getattr(part, name).times(weight))
        spans.append(total)
    return Allowed(*spans)


@dataclass(frozen=True, slots=True, eq=False)
class _SeenHits:
    """The unjudged hits that a metric looks at on either side."""

    both: BothSides
    cut: Cut | None
    query: Ints
    """The query of each."""
    before: Ints
    """The rank of each before; 0 where it is not above the cut."""
    after: Ints
    """The rank of each after."""
    number: Ints
    """How many each query has."""

    @classmethod
    def of(cls, both: BothSides, cut: Cut | None, seen: Bools) -> _SeenHits:
        """Take the hits that are marked, with the ranks of those above a cut."""
        before, after = both.ranks(cut)
        query = both.query[seen]
        number = np.bincount(query, minlength=both.size)
        return cls(both, cut, query, before[seen], after[seen], number)

    @property
    def most(self) -> int:
        """The most that a query has."""
        return int(self.number.max(initial=0))

    def weights(self, worth: HitWorth) -> tuple[Floats, Floats]:
        """Return the weight of each before and after; 0 where it is not above the cut."""
        found = []
        for side, ranks in ((self.both.before, self.before), (self.both.after, self.after)):
            weights, there = np.zeros(len(ranks)), ranks > 0
            counted = side.matches.depth(self.cut)[self.query[there]]
            weights[there] = worth.weight(ranks[there], counted)
            found.append(weights)
        return found[0], found[1]


def _by_sum(worth: HitWorth, hits: _SeenHits, before: Floats, after: Floats) -> Allowed:
    """Return the exact ends of sums over hits."""
    units, size = hits.both.before.matches.units, hits.both.size
    gain = worth.gain(units.grade)
    top = float(worth.gain(np.array([hits.both.top]))[0])
    if worth.ideal is None:
        ideal = np.ones(size)

        def largest(base: Floats, weight: Floats) -> Floats:
            return base + top * np.bincount(hits.query, weights=np.maximum(weight, 0), minlength=size)
    else:
        levels = Levels.of(units.query, gain, size, top)
        # So many relevant targets no query has.
        most = int(np.bincount(units.query, minlength=1).max(initial=0)) + hits.most
        place = places(worth.ideal, worth.ideal_depth, most)
        ideal = levels.ideal(place)

        def largest(base: Floats, weight: Floats) -> Floats:
            return largest_ratio(base, hits.query, weight, levels, place)

    def span(values: Floats, weight: Floats) -> ValueSpan:
        return ValueSpan(-largest(-values * ideal, -weight), largest(values * ideal, weight))

    was, now = hits.weights(worth)
    return Allowed(span(before, was), span(after, now), span(after - before, now - was))


def _by_first(worth: HitWorth, hits: _SeenHits, before: Floats, after: Floats) -> Allowed:
    """Return the exact ends of what only the first relevant hit counts for: one more hit decides them."""
    if not worth.gain(np.array([hits.both.top]))[0]:
        return Allowed(*(ValueSpan(values, values) for values in (before, after, after - before)))
    was, now = hits.weights(worth)
    was, now = np.maximum(was, before[hits.query]), np.maximum(now, after[hits.query])

    def best(start: Floats, values: Floats) -> Floats:
        found = start.copy()
        np.maximum.at(found, hits.query, values)
        return found

    difference = after - before
    return Allowed(
        ValueSpan(before, best(before, was)),
        ValueSpan(after, best(after, now)),
        ValueSpan(-best(-difference, was - now), best(difference, now - was)),
    )


def _by_swaps(metric: Metric, hits: _SeenHits) -> Allowed:
    """Return the exact ends of both sides: the first or the last so many hits are relevant."""
    grade = min(hits.both.top, getattr(metric, "max", None) or hits.both.top)
    spans = []
    for side, ranks in ((hits.both.before, hits.before), (hits.both.after, hits.after)):
        place, there = np.zeros(len(ranks), dtype=np.int64), np.flatnonzero(ranks > 0)
        order = there[np.lexsort((ranks[there], hits.query[there]))]
        place[order] = position_in_query(hits.query[order], hits.both.size)
        number = np.bincount(hits.query[there], minlength=hits.both.size)
        low, high = np.full(hits.both.size, np.inf), np.full(hits.both.size, -np.inf)
        for count in range(int(number.max(initial=0)) + 1):
            first = (place > 0) & (place <= count)
            # What this side does not have only adds to what there was to find.
            last = (ranks == 0) | (place > number[hits.query] - count)
            for rows, ends, end in ((first, high, np.maximum), (last, low, np.minimum)):
                judged = graded(side.matches, hits.query[rows], ranks[rows], grade)
                end(ends, metric.column(judged).values, out=ends)
        spans.append(ValueSpan(low, high))
    return Allowed(spans[0], spans[1], _apart(*spans))


def _by_range(metric: Metric, size: int) -> Allowed:
    """Return the range of a metric; without limits where it has none."""
    ends = (-np.inf, np.inf) if metric.range is None else (metric.range.lowest, metric.range.highest)
    span = ValueSpan(np.full(size, ends[0]), np.full(size, ends[1]))
    return Allowed(span, span, _apart(span, span))


def _apart(before: ValueSpan, after: ValueSpan) -> ValueSpan:
    """Bound a difference by both of its sides, as if no hit were on both."""
    return ValueSpan(after.low - before.high, after.high - before.low)
