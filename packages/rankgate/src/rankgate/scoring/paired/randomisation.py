"""The paired randomisation test: how often do swapped labels alone give as large a difference?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankgate.scoring.paired.subsets import Subsets

if TYPE_CHECKING:
    from rankgate.scoring.paired.paired import Paired

ALPHA = 0.05
"""What a p value must not be above to be called significant."""

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Randomisation:
    """How often chance alone gives a difference as large as the one observed."""

    p: float
    """Two-sided: as large in either direction."""
    p_greater: float
    """One-sided: as large a gain."""
    p_less: float
    """One-sided: as large a loss."""
    exact: bool
    """True where every way to swap labels was counted; False where some were drawn."""
    differing: int
    """Groups that are no tie; only these can be swapped to any effect."""
    smallest: float
    """The smallest two-sided p value that so many differing groups can give."""

    @property
    def can_be_significant(self) -> bool:
        """False where even the clearest outcome would be above 0.05: fewer than six groups differ."""
        return self.smallest <= ALPHA

    @property
    def words(self) -> str:
        """What to say beside the p value; nothing where it can be significant."""
        return "" if self.can_be_significant else "cannot be significant"


def randomisation(paired: Paired, subsets: Subsets) -> Randomisation:
    """Flip the signs of whole groups, in the subsets drawn, or in all ways where few groups differ.

    >>> from rankgate.scoring.paired.paired import Paired
    >>> paired = Paired.of([-1.0] * 3 + [0.0] * 45)
    >>> lost = randomisation(paired, Subsets.drawn(paired, seed=0))
    >>> lost.p, lost.exact, lost.words
    (0.25, True, 'cannot be significant')
    """
    differing = paired.sums[paired.sums != 0]
    if not subsets.exact and len(differing) <= math.log2(subsets.sums.shape[1]):
        subsets = Subsets.of(differing[None, :], resamples=subsets.sums.shape[1], seed=0)
    observed = float(differing.sum())
    flipped = observed - 2 * subsets.sums[0]
    slack = _ROUNDING * float(np.abs(differing).sum())
    return Randomisation(
        p=subsets.tail(int(np.count_nonzero(np.abs(flipped) >= abs(observed) - slack))),
        p_greater=subsets.tail(int(np.count_nonzero(flipped >= observed - slack))),
        p_less=subsets.tail(int(np.count_nonzero(flipped <= observed + slack))),
        exact=subsets.exact,
        differing=len(differing),
        smallest=min(1.0, 2.0 ** (1 - len(differing))),
    )
