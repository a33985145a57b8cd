"""The interval of the mean difference: every value that the randomisation test does not reject.

It must allow for what so few cases cannot show, too. A loss that strikes one query in twenty is in none of 48
with a chance of 8.5 %. Then every difference is 0, and what was seen says that nothing can ever be lost. And
where one or two such losses were seen, the next 48 queries may have five: rare and large differences make
what was seen too sure of itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from rankgate.scoring.matches import Floats
    from rankgate.scoring.paired.paired import Paired
    from rankgate.scoring.paired.subsets import Subsets


LEVEL = 0.05
"""One minus the confidence."""

SHARE = 0.5
"""How much of a query is added on either side, that moves as far as the one that moved most."""

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Interval:
    """Bounds of the mean difference; infinite where there are too few groups to give one."""

    low: float
    """Two-sided 95 %, lower end."""
    high: float
    """Two-sided 95 %, upper end."""
    at_least: float
    """One-sided 95 %: the mean difference is at least this."""
    at_most: float
    """One-sided 95 %: the mean difference is at most this."""


def interval(subsets: Subsets, *, level: float = LEVEL) -> Interval:
    """Invert the randomisation test, on the subsets of differences and sizes that it draws.

    Under a true difference δ the test flips the signs of D - δW, the sums less δ times the sizes. With the
    set F flipped, the outcome is at least as large as the observed one exactly where δ is at least the
    mean over F. So the bounds are order statistics of the means over subsets (Hartigan's typical values);
    two-sided, F counts on either side, so that the smaller of its mean and of that of the rest is taken.

    >>> from rankgate.scoring.paired.paired import Paired
    >>> from rankgate.scoring.paired.subsets import Subsets
    >>> found = interval(Subsets.drawn(Paired.of([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]), seed=0))
    >>> round(found.low, 4), round(found.high, 4)
    (0.2, 0.6)
    """
    rest = subsets.whole[:, None] - subsets.sums
    inside, outside = (_means(sums, float(subsets.whole[1])) for sums in (subsets.sums, rest))
    rank = subsets.rank(level)
    return Interval(
        low=_smallest(np.minimum(inside.low, outside.low), rank),
        high=-_smallest(-np.maximum(inside.high, outside.high), rank),
        at_least=_smallest(inside.low, rank),
        at_most=-_smallest(-inside.high, rank),
    )


class _Means(NamedTuple):
    """Means over subsets; the empty one is as extreme as any, on either side."""

    low: Floats
    high: Floats


def _means(sums: Floats, whole: float) -> _Means:
    empty = sums[1] <= _ROUNDING * whole
    means = sums[0] / np.where(empty, 1.0, sums[1])
    return _Means(np.where(empty, -np.inf, means), np.where(empty, np.inf, means))


def _smallest(values: Floats, rank: int) -> float:
    """Return the value of a rank from 1; nothing is rejected at rank 0."""
    return float(np.partition(values, rank - 1)[rank - 1]) if rank else -np.inf


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
