"""What is known at one moment of judging: the bounds and values of every query, kept up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankgate.judging.order.candidates import UnitTrial
from rankgate.judging.order.expected import Expectation, less_bound
from rankgate.judging.order.parts import MetricPart
from rankgate.scoring.matches import is_relevant, rows_of
from rankgate.scoring.unjudged.allowed import allowed

if TYPE_CHECKING:
    from rankgate.judging.order.candidates import Candidates
    from rankgate.judging.order.expected import Prospects
    from rankgate.judging.order.goal import Goal
    from rankgate.scoring.matches import Bools, Floats, Ints
    from rankgate.scoring.unjudged.sides import BothSides


class OrderState:
    """All queries with the judgments so far. A judgment touches one query, and only that is worked out."""

    def __init__(self, candidates: Candidates, goal: Goal) -> None:
        size, units = candidates.size, len(candidates)
        self.candidates, self.goal = candidates, goal
        self.judged, self.grade = np.zeros(units, dtype=bool), np.zeros(units)
        weights = np.ones(size) if candidates.weights is None else candidates.weights
        self.weights: Floats = weights / (weights.sum() or 1.0)
        self.low, self.high = np.zeros(size), np.zeros(size)
        self.levels = np.zeros(size, dtype=np.int64)
        """How many targets are known of each query, no more than there are grades."""
        self._rel: float | None = getattr(goal.metric, "rel", None)
        self._found = np.zeros(size)
        self._parts = [
            MetricPart(weight, metric, candidates, goal)
            for weight, metric in getattr(goal.metric, "terms", ((1.0, goal.metric),))
        ]
        self.matters: Bools = np.any([part.seen for part in self._parts], axis=0)
        """The units that the metric looks at in one of the systems."""
        self.refresh(np.arange(size))

    @property
    def open(self) -> Ints:
        """The units that may still change the metric."""
        return np.flatnonzero(self.matters & ~self.judged)

    def rows(self, queries: Ints) -> Ints:
        """Return the units of some queries."""
        return rows_of(self.candidates.query, queries)[0]

    def take(self, judged: Bools, grade: Floats) -> Ints:
        """Take the judgments there are now; return the queries that they change."""
        moved = (judged != self.judged) | (judged & (grade != self.grade))
        queries = np.unique(self.candidates.query[moved])
        self.judged, self.grade = judged, grade
        if len(queries):
            self.refresh(queries)
        return queries

    def refresh(self, queries: Ints) -> None:
        """Work out some queries again."""
        both = self.both(UnitTrial.as_it_is(queries))
        self.low[queries], self.high[queries] = self.bounds(both)
        units = both.before.matches.units
        good = is_relevant(units.grade, self._rel)
        self._found[queries] = np.bincount(units.query[good], minlength=len(queries))
        self.levels[queries] = np.minimum(
            np.bincount(units.query[units.grade > 0], minlength=len(queries)), len(self.candidates.scale)
        )
        for part in self._parts:
            part.refresh(queries, both, self.judged, self.grade)

    def ends(self) -> tuple[float, float]:
        """Return the lowest and the highest mean, less the bound.

        Queries that have no value so far are counted in the mean as 0: only the sign is exact.
        """
        return float(self.low @ self.weights), float(self.high @ self.weights)

    def expected(self, prospects: Prospects, units: Ints) -> Expectation:
        """Return what is expected of every query less the bound, given what is known of the open units."""
        whole = Expectation(np.zeros(self.candidates.size), np.zeros(prospects.chance.shape))
        for part in self._parts:
            whole = whole.plus(part.expected(prospects, units).times(part.weight))
        relevant = is_relevant(self.candidates.scale, self._rel)
        return less_bound(whole, prospects, self.goal.bound, relevant, self._found)

    def both(self, trial: UnitTrial) -> BothSides:
        """Return the systems of the goal over the queries of a trial."""
        return self.candidates.both(self.goal.columns, self.judged, self.grade, self.matters, trial)

    def bounds(self, both: BothSides) -> tuple[Floats, Floats]:
        """Return how far each query may lie below and above the bound.

        A query without a value counts in no mean. Where something of it is unjudged, it may get one.
        """
        metric, bound = self.goal.metric, self.goal.bound
        span = self.goal.span(allowed(metric, both))
        before, after = (metric.column(side.matches).defined for side in (both.before, both.after))
        open_ = np.bincount(both.query, minlength=both.size) > 0
        low = np.where(open_, np.minimum(span.low - bound, 0.0), 0.0)
        high = np.where(open_, np.maximum(span.high - bound, 0.0), 0.0)
        valued = before & after
        return np.where(valued, span.low - bound, low), np.where(valued, span.high - bound, high)
