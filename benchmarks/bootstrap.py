"""The interval of one system's mean over queries, by a percentile bootstrap.

`rankgate.scoring.paired` inverts a randomisation test, which is for differences of two systems: under no
difference they are as often above 0 as below it. Values of one system lie between 0 and 1 in no such way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import ArrayLike

RESAMPLES = 10_000
"""How often queries are drawn anew."""
SEED = 20_260
"""What they are drawn with: the same figures every time."""
LEVEL = 0.95
"""How sure the interval is."""


def mean_interval(
    values: ArrayLike, groups: Sequence[Hashable] | None = None, *, seed: int = SEED
) -> tuple[float, float]:
    """Return both ends of the 95 % interval of a mean.

    Args:
        values: One a query.
        groups: What each query is drawn with; queries of one group come together. None: each by itself.
        seed: What chance is drawn with.

    >>> mean_interval([0.5] * 10)
    (0.5, 0.5)
    >>> low, high = mean_interval([0.0, 1.0] * 50)
    >>> round(low, 1), round(high, 1)
    (0.4, 0.6)
    """
    each = np.asarray(values, dtype=np.float64)
    names = list(range(len(each)) if groups is None else groups)
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    member = np.array([numbers[name] for name in names])
    sums, sizes = np.bincount(member, each), np.bincount(member)
    drawn = np.random.default_rng(seed).integers(len(sums), size=(RESAMPLES, len(sums)))
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
