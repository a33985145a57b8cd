"""The paired randomisation test: how often do swapped labels alone give as large a difference?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankgate.scoring.paired.subsets import RESAMPLES, Subsets

if TYPE_CHECKING:
    from rankgate.scoring.matches import Floats
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


def randomisation(paired: Paired, *, seed: int, resamples: int = RESAMPLES) -> Randomisation:
    """Flip the signs of whole groups: all ways where those are at most `resamples`, else so many at random.

    >>> from rankgate.scoring.paired.paired import Paired
    >>> lost = randomisation(Paired.of([-1.0] * 3 + [0.0] * 45), seed=0)
    >>> lost.p, lost.exact, lost.words
    (0.25, True, 'cannot be significant')
    """
    sums: Floats = paired.sums[paired.sums != 0]
    subsets = Subsets.of(sums[None, :], resamples=resamples, seed=seed)
    observed = float(sums.sum())
    flipped = observed - 2 * subsets.sums[0]
    slack = _ROUNDING * float(np.abs(sums).sum())
    return Randomisation(
        p=subsets.tail(int(np.count_nonzero(np.abs(flipped) >= abs(observed) - slack))),
        p_greater=subsets.tail(int(np.count_nonzero(flipped >= observed - slack))),
        p_less=subsets.tail(int(np.count_nonzero(flipped <= observed + slack))),
        exact=subsets.exact,
        differing=len(sums),
        smallest=min(1.0, 2.0 ** (1 - len(sums))),
    )
