"""How likely a unit is relevant: by its ranks, how many systems return it, a model's grade, and its query.

A logistic model with a Gaussian prior on every coefficient, and an effect of each query of its own. Where
little is judged the prior decides; it says what search is like in general: what stands high in several
systems is relevant more often. The curvature at the fit is kept, so that what is not known of the model
itself counts in how sure anything is that follows from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rankgate.scoring.matches import Bools, Floats, Ints

_START = -2.5
"""The intercept that is expected before anything is judged: 8 % of what stands nowhere near the top."""
_SLOPE = 1.5
"""What all systems together are expected to add, in log odds, where all of them have a unit first."""
_GRADED = (-1.0, 3.0)
"""What is expected of a unit that a model judge graded lowest, and what the top of the scale adds to that, in
log odds: a model that is mostly right. Judgments of people say what it is worth here."""
_SPREAD = 1.5
"""How far a coefficient may lie from what is expected, as a standard deviation."""
_QUERIES = (0.25, 4.0)
"""How small and how large the variance between queries may be found."""
_TURNS = 8
_CLOSE = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """What the model knows of every unit."""

    values: Floats
    """A row for each unit: 1, the weight of its rank in each system, the share of systems that have it; and,
    where model judges graded some, whether they graded it and their grade as a share of the scale."""
    query: Ints
    """The query of each unit."""
    queries: int
    """How many queries there are."""
    systems: int = 1
    """How many systems there are."""

    @classmethod
    def of(cls, query: Ints, ranks: Ints, queries: int, opinions: Floats | None = None) -> Features:
        """Read them from ranks and from the grades of model judges.

        Args:
            query: The query of each unit.
            ranks: A column for each system; 0 where a system does not have the unit.
            queries: How many queries there are.
            opinions: What model judges graded each unit, as a share of the scale; NaN where none did.
        """
        there = ranks > 0
        near = np.where(there, 1.0 / np.log2(1.0 + np.maximum(ranks, 1)), 0.0)
        ones = np.ones((len(ranks), 1))
        known = [ones, near, there.mean(axis=1, keepdims=True)]
        if opinions is not None and not np.isnan(opinions).all():
            graded = ~np.isnan(opinions)
            known.append(np.column_stack([graded.astype(np.float64), np.where(graded, opinions, 0.0)]))
        return cls(np.hstack(known), query, queries, ranks.shape[1])

    @property
    def expected(self) -> Floats:
        """The coefficients before anything is judged."""
        known = [_START, *([_SLOPE / self.systems] * self.systems), 1.0]
        return np.array([*known, *(_GRADED if self.values.shape[1] > len(known) else ())])


class RelevanceModel:
    """The model, fitted again after each judgment from where it was."""

    def __init__(self, features: Features) -> None:
        self._features = features
        self._expected = features.expected
        self._precision = np.eye(len(self._expected)) / _SPREAD**2
        self._between = 1.0
        self._coefficients = self._expected.copy()
        self._effects = np.zeros(features.queries)

    def fit(self, judged: Bools, relevant: Bools) -> Fit:
        """Fit it to what is judged.

        Args:
            judged: Which units are.
            relevant: Which of all units are judged relevant.
        """
        rows = np.flatnonzero(judged)
        x, q = self._features.values[rows], self._features.query[rows]
        y = relevant[rows].astype(np.float64)
        curvature = self._curvature(x, q, np.zeros(len(rows)))
        for _ in range(_TURNS):
            p = _logistic(x @ self._coefficients + self._effects[q])
            curvature = self._curvature(x, q, p * (1.0 - p))
            gradient = x.T @ (y - p) - self._precision @ (self._coefficients - self._expected)
            for_queries = by_query(q, y - p, self._features.queries) - self._effects / self._between
            step, effects = curvature.solve(gradient, for_queries)
            # A step of a logistic fit may be too long where little is judged.
            length = max(1.0, float(np.abs(step).max(initial=0)), float(np.abs(effects).max(initial=0)) / 2)
            self._coefficients += step / length
            self._effects += effects / length
            if length == 1.0 and float(np.abs(step).max(initial=0)) < _CLOSE:
                break
        if len(rows):
            seen = np.bincount(q, minlength=self._features.queries) > 0
            spread = self._effects[seen] ** 2 + 1.0 / curvature.queries[seen]
            self._between = float(np.clip(spread.mean(), *_QUERIES))
        values = self._features.values
        p = _logistic(values @ self._coefficients + self._effects[self._features.query])
        return Fit(self._features, p, curvature)

    def _curvature(self, x: Floats, q: Ints, weight: Floats) -> Curvature:
        queries = by_query(q, weight, self._features.queries) + 1.0 / self._between
        crossed = np.stack([by_query(q, weight * column, self._features.queries) for column in x.T])
        return Curvature(x.T @ (weight[:, None] * x) + self._precision, crossed, queries)


class Curvature:
    """The second derivatives at a fit: coefficients, effects of queries, and both crossed."""

    def __init__(self, coefficients: Floats, crossed: Floats, queries: Floats) -> None:
        self.crossed, self.queries = crossed, queries
        self.inverse = np.linalg.inv(coefficients - (crossed / queries) @ crossed.T)

    def solve(self, coefficients: Floats, queries: Floats) -> tuple[Floats, Floats]:
        """Return what the curvature turns into these."""
        first = self.inverse @ (coefficients - self.crossed @ (queries / self.queries))
        return first, (queries - self.crossed.T @ first) / self.queries


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """The model at one moment."""

    features: Features
    """What it knows of every unit."""
    chance: Floats
    """How likely each unit is relevant."""
    curvature: Curvature
    """How sure the fit is."""

    @property
    def spread(self) -> Floats:
        """The variance of the relevance of each unit, were the model known."""
        return self.chance * (1.0 - self.chance)

    def carried(self, effect: Floats) -> tuple[float, Floats]:
        """Return what is not known of the model itself adds to a sum of effects of relevant units.

        Args:
            effect: What each unit adds to the sum if it is relevant; 0 for those that are judged.

        Returns:
            The variance of the sum, and the covariance of the sum with the relevance of each unit.
        """
        moved = effect * self.spread
        for_queries = by_query(self.features.query, moved, self.features.queries)
        gradient = self.features.values.T @ moved
        first, effects = self.curvature.solve(gradient, for_queries)
        variance = float(gradient @ first + for_queries @ effects)
        along = self.features.values @ first + effects[self.features.query]
        return variance, self.spread * along

    def variance(self) -> Floats:
        """Return the variance of the relevance of each unit, with what is not known of the model."""
        x, q, curvature = self.features.values, self.features.query, self.curvature
        # x' A x of the inverse of the whole curvature, block by block.
        less = x - (curvature.crossed / curvature.queries).T[q]
        open_ = np.einsum("ij,jk,ik->i", less, curvature.inverse, less) + 1.0 / curvature.queries[q]
        variance: Floats = self.spread + self.spread**2 * open_
        return variance


def by_query(query: Ints, values: Floats, queries: int) -> Floats:
    """Add up values by query."""
    total: Floats = np.bincount(query, weights=values, minlength=queries).astype(np.float64)
    return total


def _logistic(value: Floats) -> Floats:
    return 1.0 / (1.0 + np.exp(-np.clip(value, -30, 30)))
