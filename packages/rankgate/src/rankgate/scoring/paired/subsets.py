"""Sums over subsets of the groups: all of them where they are few, else as many as asked for, at random.

A subset is the set of groups whose sign is flipped. The randomisation test and the interval that inverts
it are both counts over these sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rankgate.scoring.matches import Floats
    from rankgate.scoring.paired.paired import Paired

RESAMPLES = 10_000
"""How many subsets are drawn, and up to how many are enumerated."""


@dataclass(frozen=True, slots=True, eq=False)
class Subsets:
    """What some subsets of the groups sum to.

    >>> Subsets.of(np.array([[1.0, 2.0]]), resamples=4, seed=0).sums.tolist()
    [[0.0, 1.0, 2.0, 3.0]]
    """

    sums: Floats
    """One row for each row of values, one column a subset."""
    whole: Floats
    """What all groups sum to: one a row."""
    exact: bool
    """True where these are all subsets, the empty one and the whole one among them."""

    @classmethod
    def drawn(cls, paired: Paired, *, seed: int, resamples: int = RESAMPLES) -> Subsets:
        """Sum the differences, and the sizes, over subsets of all groups."""
        return cls.of(np.stack([paired.sums, paired.sizes]), resamples=resamples, seed=seed)

    @classmethod
    def of(cls, values: Floats, *, resamples: int, seed: int) -> Subsets:
        """Sum rows of values, a column a group, over the same subsets."""
        groups = values.shape[1]
        if 2**groups <= resamples:
            return cls(_all_sums(values), values.sum(axis=1), True)
        return cls(_drawn_sums(values, resamples, seed), values.sum(axis=1), False)

    def tail(self, count: int) -> float:
        """Return the p value of so many subsets that are at least as extreme as what was observed.

        Drawn subsets do not have the observed signs among them, so that these are counted in.
        """
        total = int(self.sums.shape[1])
        return count / total if self.exact else (count + 1) / (total + 1)

    def rank(self, level: float) -> int:
        """Return the smallest count whose p value is above a level; it is not rejected any more."""
        total = self.sums.shape[1]
        if self.exact:
            return int(np.floor(level * total + 1e-9)) + 1
        return int(np.floor(level * (total + 1) + 1e-9))


def _all_sums(values: Floats) -> Floats:
    sums = np.zeros((len(values), 1))
    for column in values.T:
        sums = np.concatenate([sums, sums + column[:, None]], axis=1)
    return sums


def _drawn_sums(values: Floats, resamples: int, seed: int) -> Floats:
    """Draw eight groups at a time: a random byte is a subset of them, whose sum is looked up in a table.

    Memory is that of the sums alone, whatever the number of groups.
    """
    chance = np.random.Generator(np.random.PCG64(seed))
    sums = np.zeros((len(values), resamples))
    for start in range(0, values.shape[1], 8):
        table = _all_sums(values[:, start : start + 8])
        drawn = chance.integers(0, table.shape[1], size=resamples, dtype=np.uint8)
        # Most queries of a large suite have not changed: what they sum to is 0, whichever are drawn.
        for row in np.flatnonzero(table.any(axis=1)).tolist():
            sums[row] += table[row][drawn]
    return sums
