"""How far a metric may have dropped over queries that were not asked, and what so many can show at all."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankgate.scoring.paired.bounds import LEVEL, NEAR, chance, lower_bound, upper_bound

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from rankgate.scoring.matches import Floats
    from rankgate.scoring.paired.paired import Paired


@dataclass(frozen=True, slots=True)
class Capacity:
    """What queries can show of a drop where none of them gained or lost.

    >>> capacity = Capacity.of(48)
    >>> round(capacity.smallest_margin, 4), capacity.needed(0.02)
    (0.0605, 149)
    """

    queries: int
    """How many there are; of groups, how many groups."""
    scale: float
    """How far the value of a query can fall."""
    smallest_margin: float
    """They pass every margin above it, and none up to it unless something got better."""
    shares: tuple[tuple[float, int], ...]
    """Their weights as shares of the largest that a query can have, each with how often it occurs."""

    @classmethod
    def of(
        cls,
        queries: int,
        scale: float = 1.0,
        weights: ArrayLike | None = None,
        top_weight: float | None = None,
    ) -> Capacity:
        """Work it out for so many queries, with their weights where they have some."""
        sizes = np.ones(queries) if weights is None else np.asarray(weights, dtype=np.float64)
        largest = float(sizes.max()) if top_weight is None else top_weight
        least = upper_bound(np.zeros(queries), scale, weights=sizes, top_weight=largest)
        found, counts = np.unique(sizes / largest, return_counts=True)
        return cls(queries, scale, least, tuple(zip(found.tolist(), counts.tolist(), strict=True)))

    def needed(self, margin: float) -> int | None:
        """Return how many queries of such weights pass a margin by ties; None where none would be enough.

        >>> [Capacity.of(20).needed(margin) for margin in (0.01, 0.05, 0.1)]
        [299, 59, 29]
        """
        if margin <= 0:
            return None
        if margin >= self.scale:
            return 1
        ratio = margin / (self.scale - margin)
        each = math.fsum(count * math.log1p(share * ratio) for share, count in self.shares) / self.queries
        return math.ceil(-math.log(LEVEL) / each - NEAR)

    def forgives(self, margin: float) -> int | None:
        """Return how many queries may be lost whole, the heaviest first, and the margin passes all the same.

        None where it does not pass without any loss, unless something gets better.

        >>> [Capacity.of(n).forgives(0.05) for n in (48, 100, 300)]
        [None, 1, 8]
        """
        if self.smallest_margin >= margin - NEAR:
            return None
        return _last(self.queries, lambda lost: self._passes(lost, margin))

    def fails_at(self, margin: float) -> int | None:
        """Return how many whole losses fail a margin, the heaviest first; None where all of them would not.

        >>> Capacity.of(48).fails_at(0.02), Capacity.of(2).fails_at(0.5)
        (6, None)
        """
        held = _last(self.queries, lambda lost: not self._fails(lost, margin))
        return None if held == self.queries else held + 1

    def _passes(self, lost: int, margin: float) -> bool:
        return chance(self._drops(lost), margin, self.scale, weights=self._weights, top_weight=1.0) < LEVEL

    def _fails(self, lost: int, margin: float) -> bool:
        turned = -self._drops(lost)
        return chance(turned, -margin, self.scale, weights=self._weights, top_weight=1.0) < LEVEL

    @property
    def _weights(self) -> Floats:
        shares, counts = zip(*reversed(self.shares), strict=True)
        return np.repeat(shares, counts)

    def _drops(self, lost: int) -> Floats:
        return np.where(np.arange(self.queries) < lost, self.scale, 0.0)


def _last(most: int, holds: Callable[[int], bool]) -> int:
    """Find the last number up to `most` of which something holds that holds of 0 and ends once."""
    low, high = 0, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


@dataclass(frozen=True, slots=True)
class DropBounds:
    """Bounds of the mean drop over all queries like these, one-sided, 95 % each."""

    mean: float
    """The mean drop by group, which the bounds are about; that over queries where each is its own group."""
    at_most: float
    """The drop is at most this."""
    at_least: float
    """The drop is at least this."""
    capacity: Capacity
    """What so many queries can show."""

    @classmethod
    def of(cls, drops: Paired, scale: float, top_weight: float | None = None) -> DropBounds | None:
        """Bound a drop; None where a query moved by more than the scale, which is the wrong one then.

        Args:
            drops: Old less new, by group.
            scale: The most that the value of one query can move.
            top_weight: The largest weight that any query can have; the largest that is there, if not given.

        >>> from rankgate.scoring.paired.paired import Paired
        >>> found = DropBounds.of(Paired.of([1.0] * 6 + [0.0] * 42), 1.0)
        >>> round(found.at_least, 4), round(found.at_most, 4)
        (0.0246, 0.2319)
        """
        if drops.largest > scale * (1 + NEAR):
            return None
        values, weights = drops.group_means, drops.group_weights
        top = float(drops.weights.max()) if top_weight is None else top_weight
        return cls(
            mean=drops.group_mean,
            at_most=upper_bound(values, scale, weights=weights, top_weight=top),
            at_least=lower_bound(values, -scale, weights=weights, top_weight=top),
            capacity=Capacity.of(len(values), scale, weights, top),
        )
