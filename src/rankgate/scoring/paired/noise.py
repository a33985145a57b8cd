"""How far the mean moves from run to run when nothing was changed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankgate.errors import InputError, Problem
from rankgate.scoring.aggregate import aggregate

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True)
class Noise:
    """The means of equal runs of one system."""

    means: tuple[float, ...]
    """One a run."""
    spread: float
    """The largest less the smallest."""
    deviation: float
    """Their standard deviation."""

    def covers(self, difference: float) -> bool:
        """Say whether a difference of two runs is no larger than what equal runs differ by."""
        return abs(difference) <= self.spread + 1e-9


def noise(repeats: ArrayLike, weights: ArrayLike | None = None) -> Noise:
    """Measure the means of some runs: a row a run, a column a case.

    >>> found = noise([[1.0, 0.5], [1.0, 0.7], [1.0, 0.5]])
    >>> found.means, round(found.spread, 4), found.covers(-0.05), found.covers(-0.2)
    ((0.75, 0.85, 0.75), 0.1, True, False)
    """
    values = np.asarray(repeats, dtype=np.float64)
    if values.ndim != 2 or len(values) < 2 or not values.shape[1] or not np.isfinite(values).all():
        raise InputError(Problem("repeats", "no table of numbers", "at least two runs of the same cases"))
    shares = np.ones(values.shape[1]) if weights is None else np.asarray(weights, dtype=np.float64)
    means = [aggregate(row, shares, "mean") or 0.0 for row in values]
    centre = math.fsum(means) / len(means)
    squares = math.fsum((mean - centre) ** 2 for mean in means)
    return Noise(tuple(means), max(means) - min(means), math.sqrt(squares / (len(means) - 1)))
