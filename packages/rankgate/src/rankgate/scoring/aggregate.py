"""One figure from the values of many queries, the same bits in whatever order they come."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rankgate.scoring.matches import Floats


def aggregate(values: Floats, weights: Floats, statistic: str) -> float | None:
    """Return the weighted mean, the maximum, or a nearest-rank percentile such as p95.

    Sums are exactly rounded, so that no order of queries and no split into shards changes a bit.

    >>> aggregate(np.array([1.0, 0.0, 0.5]), np.ones(3), "mean")
    0.5
    >>> aggregate(np.arange(1.0, 101.0), np.ones(100), "p95")
    95.0
    >>> aggregate(np.array([]), np.array([]), "mean") is None
    True
    """
    if not len(values):
        return None
    if statistic == "max":
        return float(values.max())
    if statistic == "mean":
        if (weights == 1).all():
            return math.fsum(values.tolist()) / len(values)
        return math.fsum((values * weights).tolist()) / math.fsum(weights.tolist())
    percentile = float(statistic.removeprefix("p"))
    rank = max(1, math.ceil(percentile / 100 * len(values) - 1e-9))
    return float(np.partition(values, rank - 1)[rank - 1])
