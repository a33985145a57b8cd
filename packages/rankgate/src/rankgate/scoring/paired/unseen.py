"""What so few cases cannot show, and an interval must allow for all the same.

A loss that strikes one query in twenty is in none of 48 with a chance of 8.5 %. Then every difference is 0,
and what was seen says that nothing can ever be lost. And where one or two such losses were seen, the next
48 queries may have five: rare and large differences make what was seen too sure of itself.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rankgate.scoring.paired.interval import LEVEL, Interval, interval

if TYPE_CHECKING:
    from rankgate.scoring.paired.paired import Paired
    from rankgate.scoring.paired.subsets import Subsets

SHARE = 0.5
"""How much of a query is added on either side, that moves as far as the one that moved most."""


def unseen_rate(groups: float, *, level: float = LEVEL) -> float:
    """Return the largest rate of an event that so many groups fail to show with a chance of at least `level`.

    This is the upper bound of a binomial share of which nothing was seen: about 3 in n.

    >>> round(unseen_rate(48), 4), round(unseen_rate(1000), 4)
    (0.0605, 0.003)
    """
    return float(1 - level ** (1 / groups))


def floor(paired: Paired, scale: float | None) -> float:
    """Return how far the interval must reach from the mean: an unseen event moves a case by `scale`.

    Groups of unequal size count as the number of equal ones that vary as much. Without a scale the largest
    difference that was seen stands for it.

    >>> from rankgate.scoring.paired.paired import Paired
    >>> round(floor(Paired.of([0.0] * 48), 1.0), 4)
    0.0605
    """
    effective = float(paired.sizes.sum() ** 2 / (paired.sizes**2).sum())
    return unseen_rate(effective) * (paired.largest if scale is None else max(scale, paired.largest))


def allowing(seen: Interval, paired: Paired, subsets: Subsets, *, scale: float | None, seed: int) -> Interval:
    """Widen what was seen for what was not.

    Two things, and each bound takes the wider. Half a query more, which moves that way as far as the one that
    moved most, is resampled with the others. And the bound lies at least a `floor` away from the mean.
    Neither goes further than `scale`, if there is one: more is not possible.
    """
    reach = floor(paired, scale)
    most = math.inf if scale is None else max(scale, paired.largest)
    size = SHARE * float(paired.sizes.mean())
    worse, better = (
        interval(subsets.joined(np.array([sign * paired.largest * size, size]), seed=seed))
        for sign in (-1, 1)
    )
    below, above = paired.mean - reach, paired.mean + reach
    return Interval(
        low=max(min(seen.low, worse.low, below), -most),
        high=min(max(seen.high, better.high, above), most),
        at_least=max(min(seen.at_least, worse.at_least, below), -most),
        at_most=min(max(seen.at_most, better.at_most, above), most),
    )
