"""The interval of the mean difference: every value that the randomisation test does not reject."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from rankgate.scoring.matches import Floats
    from rankgate.scoring.paired.subsets import Subsets

LEVEL = 0.05
"""One minus the confidence."""

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
