"""Spaces to search whose best is known: 2,000 combinations of five axes that act on each other.

Three axes are numbers, two are not. Which number is best depends on the others: the best weight on the
engine, the best size on the fusion; and engines and fusions go together well or badly. Values are scaled so
that as many combinations as wanted reach 95 % of the best.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from rankgate.sweeps.searching.search import TrialValue, search

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.sweeps.searching.search import Point

SIZES, ORDERED = (5, 5, 5, 4, 4), (True, True, True, False, False)
COMBINATIONS = 2000
GOOD = 20
"""How many combinations reach 95 % of the best, at most: 1 %."""
_BEST, _REACHED = 0.8, 0.95


@dataclass(frozen=True)
class DrawnSpace:
    """A space, drawn with a seed."""

    seed: int

    @property
    def sizes(self) -> tuple[int, ...]:
        return SIZES

    @property
    def ordered(self) -> tuple[bool, ...]:
        return ORDERED

    def allows(self, point: Point) -> bool:
        return len(point) == len(SIZES)

    def points(self) -> Iterator[Point]:
        return product(*map(range, SIZES))

    @cached_property
    def values(self) -> dict[Point, float]:
        """What each combination is worth."""
        raw = {point: self._raw(point) for point in self.points()}
        ordered = sorted(raw.values(), reverse=True)
        # The last of the good ones is at 95 % of the best; of several that are alike none is.
        last = max(at for at in range(1, GOOD + 1) if ordered[at - 1] > ordered[at] + 1e-9)
        scale = _BEST * (1 - _REACHED) / (ordered[0] - ordered[last - 1])
        return {point: _BEST - scale * (ordered[0] - value) for point, value in raw.items()}

    @cached_property
    def _drawn(self) -> dict[str, list[float]]:
        chance = np.random.default_rng(self.seed)
        return {
            "engine": chance.normal(0, 0.06, 4).tolist(),
            "fusion": chance.normal(0, 0.05, 4).tolist(),
            "both": chance.normal(0, 0.08, 16).tolist(),
            "title": chance.integers(0, 5, 4).tolist(),
            "lines": chance.integers(0, 5, 4).tolist(),
            "coverage": chance.integers(0, 5, 4).tolist(),
        }

    def _raw(self, point: Point) -> float:
        title, lines, coverage, engine, fusion = point
        drawn = self._drawn
        worth = drawn["engine"][engine] + drawn["fusion"][fusion] + drawn["both"][4 * engine + fusion]
        worth -= 0.04 * abs(title - drawn["title"][engine])
        worth -= 0.035 * abs(lines - drawn["lines"][fusion])
        return float(worth - 0.03 * abs(coverage - drawn["coverage"][engine]) * (1 + 0.3 * (fusion % 2)))

    @property
    def share(self) -> float:
        """How much of the space reaches 95 % of the best."""
        best = max(self.values.values())
        return sum(self.reaches(value, best) for value in self.values.values()) / len(self.values)

    def reaches(self, value: float, best: float) -> bool:
        return value >= _REACHED * best - 1e-12

    def found(self, seed: int, trials: int) -> bool:
        """Search, and tell whether 95 % of the best was reached."""
        measured = search(self, lambda point: TrialValue(self.values[point]), trials, seed)
        values = [one.value for one in measured.values() if one.value is not None]
        assert len(measured) == len(values) == trials
        return self.reaches(max(values), max(self.values.values()))

    def found_by_chance(self, seed: int, trials: int) -> bool:
        """The same for combinations that are drawn."""
        drawn = random.Random(seed).sample(list(self.values), trials)
        return self.reaches(max(self.values[point] for point in drawn), max(self.values.values()))
