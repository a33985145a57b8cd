"""The smallest difference that a comparison like this one would find."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from rankgate.scoring.paired.randomisation import ALPHA

if TYPE_CHECKING:
    from rankgate.scoring.paired.paired import Paired

POWER = 0.8
"""The share of comparisons that must find it."""
FEWEST = 6
"""Groups that must differ before any outcome is significant: 2 / 2^6 is below 0.05, 2 / 2^5 is not."""


def detectable(paired: Paired, *, scale: float | None = 1.0) -> float | None:
    """Return the true mean difference that the two-sided test at 0.05 finds in four of five such comparisons.

    It is the larger of two. One goes by the spread of the groups, by Student's t. The other is the floor:
    where few groups differ, more of them must before anything can be significant, so it is the rate at which
    six or more differ in four of five comparisons, times how much a group that differs moves (`scale` where
    none does). None with fewer than six groups: nothing that they show can be significant.

    >>> from rankgate.scoring.paired.paired import Paired
    >>> round(detectable(Paired.of([-0.1, 0.1] * 24)), 4), round(detectable(Paired.of([0.0] * 48)), 4)
    (0.0417, 0.1597)
    >>> detectable(Paired.of([0.5] * 5)) is None
    True
    """
    groups = len(paired.sums)
    if groups < FEWEST:
        return None
    total = float(paired.sizes.sum())
    squares = float(((paired.sums - paired.mean * paired.sizes) ** 2).sum())
    error = math.sqrt(squares * groups / (groups - 1)) / total
    by_spread = (student(1 - ALPHA / 2, groups - 1) + student(POWER, groups - 1)) * error
    moved = np.abs(paired.sums[paired.sums != 0])
    size = float(moved.mean()) * groups / total if len(moved) else (scale or 0.0)
    return max(by_spread, rate_of_six(groups) * size)


def student(probability: float, freedom: float) -> float:
    """Return a quantile of Student's t from that of the normal; good to 0.2 % from five degrees of freedom.

    >>> round(student(0.975, 47), 4)
    2.0117
    """
    z = NormalDist().inv_cdf(probability)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + math.fsum(term / freedom**power for power, term in enumerate(terms, 1))


def six_differ(groups: int, rate: float) -> float:
    """Return the chance that at least six groups differ where each does at a rate.

    Six that all move one way are significant, whatever their sizes; five never are.

    >>> round(six_differ(48, 0.1597), 3)
    0.8
    """
    if rate <= 0 or rate >= 1 or groups < FEWEST:
        return float(rate >= 1 and groups >= FEWEST)
    logs = (
        math.lgamma(groups + 1)
        - math.lgamma(count + 1)
        - math.lgamma(groups - count + 1)
        + count * math.log(rate)
        + (groups - count) * math.log1p(-rate)
        for count in range(FEWEST)
    )
    return max(0.0, 1 - math.fsum(map(math.exp, logs)))


def rate_of_six(groups: int, power: float = POWER) -> float:
    """Find the rate at which at least six of the groups differ with a chance: 80 % where nobody says."""
    low, high = 0.0, 1.0
    for _ in range(60):
        rate = (low + high) / 2
        low, high = (rate, high) if six_differ(groups, rate) < power else (low, rate)
    return high
