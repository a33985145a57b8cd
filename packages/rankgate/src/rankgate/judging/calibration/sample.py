"""The pairs that people graded, weighted back to the pool, and how uncertain a figure of them is.

Figures are sums over passages, or are made linear (the first order of Taylor's series). Residuals within each
stratum are added up by query, since passages of one query are not independent. Their squares give the
variance, and their fourth powers its degrees of freedom (Satterthwaite): where a few heavy passages make the
whole error, the quantile grows. Where nobody differed, the variance would be 0, which is too much to say of a
grade that 20 pairs confirm. So one more pair of each grade of the model is imagined, one grade off, in
intervals alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankgate.scoring.paired.power import student

if TYPE_CHECKING:
    from typing import Self

    from rankgate.judging.calibration.pool import CalibrationPool
    from rankgate.scoring.matches import Bools, Floats, Ints

_FEWEST_FREEDOM = 2.0
_MOST_FREEDOM = 1e6


@dataclass(frozen=True, slots=True)
class SampleSpread:
    """How uncertain a figure is."""

    error: float
    """Its standard error."""
    freedom: float
    """The degrees of freedom of it."""

    @property
    def reach(self) -> float:
        """How far a two-sided 95 % interval reaches to either side."""
        return student(0.975, self.freedom) * self.error


@dataclass(frozen=True, slots=True, eq=False)
class PairSample:
    """Pairs with both grades and their weights."""

    model: Floats
    """The model's grades."""
    people: Floats
    """People's grades."""
    weights: Floats
    """How much of the pool each stands for; they add up to 1."""
    strata: Ints
    """The stratum of each, some of which were put together."""
    queries: Ints
    """The query of each, numbered from 0."""
    rows: Ints
    """The row of each in the pool."""

    @classmethod
    def of(cls, pool: CalibrationPool, people: Floats) -> Self:
        """Return the pairs that people graded, each stratum weighted back to its share of the pool."""
        rows = np.flatnonzero(~np.isnan(people))
        strata = _joined(pool, rows)
        sizes, taken = np.bincount(strata), np.bincount(strata[rows], minlength=strata.max(initial=-1) + 1)
        weights = (sizes / np.maximum(taken, 1))[strata[rows]] / max(len(strata), 1)
        queries = np.unique(pool.queries[rows], return_inverse=True)[1].astype(np.int64)
        return cls(pool.grades[rows], people[rows], weights, strata[rows], queries, rows)

    def mean(self, values: Floats) -> float:
        """Return the mean over the pool of a value of each passage."""
        return float((self.weights * values).sum())

    def spread(self, values: Floats, imagined: Floats) -> SampleSpread | None:
        """Return how uncertain the mean of values is; None for fewer than two queries.

        Args:
            values: One a pair.
            imagined: What the pairs that were imagined add to the mean, one a model's grade.
        """
        many = int(self.queries.max(initial=-1)) + 1
        if many < 2:
            return None
        counts = np.bincount(self.strata)
        means = np.bincount(self.strata, weights=values) / np.maximum(counts, 1)
        # As the variance of a sample is divided by one less than its size.
        scale = np.sqrt(counts / np.maximum(counts - 1, 1))
        residuals = self.weights * (values - means[self.strata]) * scale[self.strata]
        by_query = np.bincount(self.queries, weights=residuals) * math.sqrt(many / (many - 1))
        variance = float((by_query**2).sum() + (imagined**2).sum())
        fourth = float((by_query**4).sum())
        freedom = variance**2 / fourth if fourth > 0 else _MOST_FREEDOM
        return SampleSpread(math.sqrt(variance), min(max(freedom, _FEWEST_FREEDOM), _MOST_FREEDOM))

    def by_grade(self) -> list[tuple[float, Bools, float]]:
        """Return each grade of the model, its pairs, and what one pair more of it would weigh."""
        found = []
        for grade in np.unique(self.model):
            those = self.model == grade
            found.append((float(grade), those, float(self.weights[those].sum()) / (int(those.sum()) + 1)))
        return found


def _joined(pool: CalibrationPool, rows: Ints) -> Ints:
    """Return strata of which each has a pair, and two where that can be: small ones join their neighbour.

    A neighbour has the same grade of the model, or the next one where there is none.
    """
    strata = pool.strata
    grades = np.zeros(strata.max(initial=-1) + 1)
    grades[strata] = pool.grades
    sizes, taken = np.bincount(strata), np.bincount(strata[rows], minlength=len(grades))
    target = np.arange(len(grades))
    enough = (taken >= 2) | ((taken == sizes) & (taken > 0))
    if not enough.any():
        return np.zeros(len(strata), dtype=np.int64)
    for small in np.flatnonzero(~enough):
        distance = np.abs(grades - grades[small]) + np.where(enough, 0.0, np.inf)
        nearest = np.flatnonzero(distance == distance.min())
        target[small] = nearest[np.argmax(sizes[nearest])]
    return np.unique(target[strata], return_inverse=True)[1].astype(np.int64)
