"""One metric of a weighted sum, or the only one: its values so far, and what is expected of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankgate.judging.order.candidates import UnitTrial
from rankgate.judging.order.expected import Expectation, of_first, of_sum
from rankgate.scoring.matches import rows_of
from rankgate.scoring.unjudged.extremes import Levels, places

if TYPE_CHECKING:
    from rankgate.judging.order.candidates import Candidates
    from rankgate.judging.order.expected import Prospects
    from rankgate.judging.order.goal import Goal
    from rankgate.scoring.credit import HitWorth
    from rankgate.scoring.matches import Bools, Floats, Ints
    from rankgate.scoring.metric import Metric
    from rankgate.scoring.unjudged.sides import BothSides


class MetricPart:
    """A metric with its weight in the sum."""

    def __init__(self, weight: float, metric: Metric, candidates: Candidates, goal: Goal) -> None:
        size, scale = candidates.size, candidates.scale
        self.weight = weight
        self._metric, self._candidates, self._goal = metric, candidates, goal
        self._worth = metric.worth
        seen, self._weights = [], []
        for column in goal.columns:
            depth = candidates.sides[column].depth(getattr(metric, "cut", None))[candidates.query]
            ranks = candidates.ranks[:, column]
            ranks = np.where(ranks <= depth, ranks, 0)
            seen.append(ranks > 0)
            if self._worth is not None:
                self._weights.append(_weights(self._worth, ranks, depth))
        self.seen: Bools = seen[0] | seen[1]
        """The units that it looks at in one of the systems."""
        self._values = [np.zeros(size), np.zeros(size)]
        self._known = np.zeros((size, len(scale)))
        self._ideal = np.ones(size)
        self._given = np.zeros((len(candidates) if self._worth is None else 0, len(scale) + 1))

    def refresh(self, queries: Ints, both: BothSides, judged: Bools, grade: Floats) -> None:
        """Work out some queries again."""
        for values, side in zip(self._values, (both.before, both.after), strict=True):
            values[queries] = self._metric.column(side.matches).values
        if self._worth is None:
            self._score_each(queries, judged, grade)
            return
        units = both.before.matches.units
        gain = self._worth.gain(units.grade)
        for at, least in enumerate(self._worth.gain(self._candidates.scale)):
            counted = units.query[(gain >= least) & (gain > 0)]
            self._known[queries, at] = np.bincount(counted, minlength=len(queries))
        if self._worth.ideal is not None:
            self._ideal[queries] = _ideal(self._worth, units.query, gain, len(queries))

    def expected(self, prospects: Prospects, units: Ints) -> Expectation:
        """Return what is expected of it: the values of both sides, each with its sign."""
        worth, (was, now) = self._worth, self._goal.signs
        value = was * self._values[0] + now * self._values[1]
        if worth is None:
            return Expectation(value, self._given[units])
        if not worth.first_only:
            weight = was * self._weights[0][units] + now * self._weights[1][units]
            return of_sum(worth, prospects, weight, value * self._ideal, self._known)
        whole = Expectation(np.zeros(len(value)), np.zeros(prospects.chance.shape))
        for at, sign in enumerate((was, now)):
            if sign:
                one = of_first(worth, prospects, self._weights[at][units], self._values[at])
                whole = whole.plus(one.times(sign))
        return whole

    def _score_each(self, queries: Ints, judged: Bools, grade: Floats) -> None:
        """Score every open unit of some queries at both ends of the scale, the others unjudged."""
        candidates, (was, now) = self._candidates, self._goal.signs
        rows, place = rows_of(candidates.query, queries)
        value = was * self._values[0][queries] + now * self._values[1][queries]
        self._given[rows] = value[place][:, None]
        rows = rows[~judged[rows] & self.seen[rows]]
        ends = []
        for end in (0.0, candidates.top):
            trial = UnitTrial(candidates.query[rows], rows, np.full(len(rows), end))
            both = candidates.both(self._goal.columns, judged, grade, self.seen, trial)
            before, after = (self._metric.column(side.matches).values for side in (both.before, both.after))
            ends.append(was * before + now * after)
        share = np.concatenate([[0.0], candidates.scale]) / candidates.top
        self._given[rows] = ends[0][:, None] + (ends[1] - ends[0])[:, None] * share


def _weights(worth: HitWorth, ranks: Ints, depth: Ints) -> Floats:
    weights, there = np.zeros(len(ranks)), ranks > 0
    weights[there] = worth.weight(ranks[there], depth[there])
    return weights


def _ideal(worth: HitWorth, query: Ints, gain: Floats, size: int) -> Floats:
    """Return the ideal of each query by its judged targets."""
    top = float(gain.max(initial=0))
    if worth.ideal is None or top <= 0:
        return np.zeros(size)
    most = int(np.bincount(query, minlength=1).max(initial=0))
    return Levels.of(query, gain, size, top).ideal(places(worth.ideal, worth.ideal_depth, most))
