"""The largest value that a query can have over all grades of its unjudged hits, for many queries at once.

A value is (base + sum of gain times weight) / ideal. The ideal is the sum of all gains, of judged targets and
of the unjudged hits, in descending order, times the weights of the places. With R judged targets and S of the
hits above a level of gain, both sums are integrals over the levels: of the weights of S, and of the first
R + |S| places. So each level is decided by itself, S is always the hits of the largest weight, and the ratio
is found by Dinkelbach's method: for a ratio c, take at each level the S with the largest sum of weights less
c times places. As R falls with the level, so does S, and the levels fit together to grades. A ratio below 0
is largest where every grade is an end of the scale, because its negative is a line over a convex function.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankgate.scoring.matches import position_in_query

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rankgate.scoring.matches import Floats, Ints

_CELLS = 2_000_000
"""How many figures are held at a time."""
_CLOSE = 1e-12
_TURNS = 60


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """How many judged targets of each query have more than a gain, a row for each level; sorted by query."""

    start: Ints
    """The first row of each query, and the number of rows at the end."""
    width: Floats
    """How much gain the level spans."""
    above: Ints
    """How many judged targets gain at least that much."""

    @classmethod
    def of(cls, query: Ints, gain: Floats, size: int, top: float) -> Levels:
        """Lay out the levels of `size` queries from the gains of their targets; the highest ends at `top`."""
        good = gain > 0
        every = np.arange(size, dtype=np.int64)
        query, gain = np.concatenate([every, query[good]]), np.concatenate([np.full(size, top), gain[good]])
        order = np.lexsort((-gain, query))
        query, gain = query[order], gain[order]
        # The first row of a query is the top of the scale, which no target need have.
        above = position_in_query(query, size) - 1
        last = np.ones(len(query), dtype=bool)
        last[:-1] = query[1:] != query[:-1]
        lower = np.where(last, 0.0, np.append(gain[1:], 0.0))
        width = gain - lower
        kept = width > 0
        start = np.zeros(size + 1, dtype=np.int64)
        np.cumsum(np.bincount(query[kept], minlength=size), out=start[1:])
        return cls(start, width[kept], above[kept])

    def ideal(self, places: Floats) -> Floats:
        """Return the ideal of each query by its judged targets alone, given the weights of places, summed."""
        if not len(self.width):
            return np.zeros(len(self.start) - 1)
        rows = self.width * places[np.minimum(self.above, len(places) - 1)]
        total = np.concatenate([[0.0], np.cumsum(rows)])
        ideal: Floats = total[self.start[1:]] - total[self.start[:-1]]
        return ideal


def places(weight: Callable[[Ints], Floats], depth: int | None, most: int) -> Floats:
    """Sum up the weights of the first 0, 1, 2, … places of the best possible ranking."""
    number = most if depth is None else min(depth, most)
    return np.concatenate([[0.0], np.cumsum(weight(np.arange(1, number + 1)))])


def largest_ratio(base: Floats, query: Ints, weight: Floats, levels: Levels, place: Floats) -> Floats:
    """Return the largest ratio of each query.

    Args:
        base: What the judged hits add to the numerator of each query.
        query: The query of each unjudged hit.
        weight: The weight of each unjudged hit; below 0 where it counts against.
        levels: The gains of the judged targets.
        place: The weights of the places, summed up.
    """
    found = np.zeros(len(base))
    order = np.lexsort((-weight, query))
    query, weight = query[order], weight[order]
    hits = np.bincount(query, minlength=len(base))
    first = np.concatenate([[0], np.cumsum(hits)])
    for low, high in _chunks(hits, levels):
        rows = slice(first[low], first[high])
        numbers = query[rows] - low
        sums = np.zeros((high - low, int(hits[low:high].max(initial=0)) + 1))
        sums[numbers, position_in_query(numbers, high - low)] = weight[rows]
        part = _Part(base[low:high], hits[low:high], np.cumsum(sums, axis=1), levels, (low, high), place)
        found[low:high] = part.largest()
    return found


def _chunks(hits: Ints, levels: Levels) -> Iterator[tuple[int, int]]:
    """Divide the queries so that no part has too many cells."""
    width = int(hits.max(initial=0)) + 1
    most = max(1, _CELLS // width)
    low, size = 0, len(hits)
    while low < size:
        high = int(np.searchsorted(levels.start, levels.start[low] + most, side="right")) - 1
        high = min(size, max(low + 1, high))
        yield low, high
        low = high


class _Part:
    """Some queries; a column for each number of unjudged hits that are graded."""

    def __init__(
        self,
        base: Floats,
        hits: Ints,
        sums: Floats,
        levels: Levels,
        span: tuple[int, int],
        place: Floats,
    ) -> None:
        low, high = span
        start = levels.start[low : high + 1]
        self.base, self.sums = base, sums
        # Every query has a row: the top of the scale is one where no target has it.
        self.start = start[:-1] - start[0]
        self.width = levels.width[start[0] : start[-1]]
        self.query = np.repeat(np.arange(high - low), np.diff(start))
        numbers = np.arange(sums.shape[1])
        counted = levels.above[start[0] : start[-1], None] + numbers
        self.places = place[np.minimum(counted, len(place) - 1)]
        self.too_many = numbers > hits[:, None]

    def largest(self) -> Floats:
        """Return the largest ratio of each query."""
        best = self._at_the_ends()
        ratio = np.maximum(best, 0.0)
        for _ in range(_TURNS):
            above, below = self._graded(ratio)
            open_ = (above - ratio * below > _CLOSE * np.maximum(1.0, np.abs(above))) & (below > 0)
            if not open_.any():
                break
            ratio = np.where(open_, np.divide(above, below, out=ratio.copy(), where=below > 0), ratio)
        return np.where((best >= 0) | (ratio > 0), ratio, best)

    def _at_the_ends(self) -> Floats:
        """Return the largest ratio where every grade is an end of the scale."""
        below = np.add.reduceat(self.width[:, None] * self.places, self.start, axis=0)
        top = np.add.reduceat(self.width, self.start)
        above = self.base[:, None] + top[:, None] * self.sums
        ratio = np.divide(above, below, out=np.full(above.shape, -np.inf), where=below > 0)
        ratio[self.too_many] = -np.inf
        largest: Floats = ratio.max(axis=1)
        return largest

    def _graded(self, ratio: Floats) -> tuple[Floats, Floats]:
        """Return numerator and ideal of the grades that are best for a ratio, each level by itself."""
        kept = self.sums[self.query] - ratio[self.query, None] * self.places
        kept[self.too_many[self.query]] = -np.inf
        number = kept.argmax(axis=1)
        sums = self.sums[self.query, number]
        count = self.places[np.arange(len(number)), number]
        above = self.base + np.add.reduceat(self.width * sums, self.start)
        return above, np.add.reduceat(self.width * count, self.start)
