"""The 95 % interval of the mean difference: all differences that the randomisation test does not reject."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankgate.scoring.paired.randomisation import ALPHA

if TYPE_CHECKING:
    from rankgate.scoring.matches import Floats
    from rankgate.scoring.paired.subsets import Subsets


_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided 95 % interval of the mean difference; infinite where there are too few groups for one."""

    low: float
    """Its lower end."""
    high: float
    """Its upper end."""


def inverted(subsets: Subsets, *, level: float = ALPHA) -> Interval:
    """Invert the randomisation test, on the subsets of differences and sizes that it draws.

    Under a true difference δ the test flips the signs of D - δW, the sums less δ times the sizes. With the
    set F flipped, the outcome is at least as large as the observed one exactly where δ is at least the
    mean over F. So the bounds are order statistics of the means over subsets (Hartigan's typical values);
    two-sided, F counts on either side, so that the smaller of its mean and of that of the rest is taken.

    >>> from rankgate.scoring.paired.paired import Paired
    >>> from rankgate.scoring.paired.subsets import Subsets
    >>> found = inverted(Subsets.drawn(Paired.of([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]), seed=0))
    >>> round(found.low, 4), round(found.high, 4)
    (0.2, 0.6)
    """
    rest = subsets.whole[:, None] - subsets.sums
    inside, outside = (_means(sums, float(subsets.whole[1])) for sums in (subsets.sums, rest))
    rank = subsets.rank(level)
    return Interval(
        low=_smallest(np.minimum(inside.low, outside.low), rank),
        high=-_smallest(-np.maximum(inside.high, outside.high), rank),
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
