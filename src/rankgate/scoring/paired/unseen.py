"""What so few cases cannot show: the floor under an interval.

A loss that strikes one query in twenty is in none of 48 with a chance of 8.5 %. Then every difference is 0,
and what was seen says that nothing can ever be lost. The floor says how much may still be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.scoring.paired.interval import LEVEL

if TYPE_CHECKING:
    from rankgate.scoring.paired.paired import Paired


def unseen_rate(groups: float, *, level: float = LEVEL) -> float:
    """Give the largest rate of an event that so many groups fail to show with a chance of at least `level`.

    This is the upper bound of a binomial share of which nothing was seen: about 3 in n.

    >>> round(unseen_rate(48), 4), round(unseen_rate(1000), 4)
    (0.0605, 0.003)
    """
    return float(1 - level ** (1 / groups))


def floor(paired: Paired, scale: float | None) -> float:
    """Give how far the interval must reach from the mean: an unseen event moves a case by `scale`.

    Groups of unequal size count as the number of equal ones that vary as much. Without a scale the largest
    difference that was seen stands for it.

    >>> from rankgate.scoring.paired.paired import Paired
    >>> round(floor(Paired.of([0.0] * 48), 1.0), 4)
    0.0605
    """
    effective = float(paired.sizes.sum() ** 2 / (paired.sizes**2).sum())
    return unseen_rate(effective) * (paired.largest if scale is None else max(scale, paired.largest))
