"""Which hits earn credit, and for what.

Within the cut each hit is credited with at most one unit and each unit once. Binary measures take the
assignment with the most credited hits, earliest first; graded ones the assignment with the largest DCG.
Where no hit reaches two units, no unit is reached at two grades and every hit keeps its whole gain, both are
"the first hit on each unit", and stay vectorised; the other queries are solved one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankgate.scoring.assignment import heaviest, most_hits_first
from rankgate.scoring.matches import Pairs, is_relevant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rankgate.scoring.matches import Bools, Cut, Floats, Ints, Matches

    Gain = Callable[[Floats], Floats]


def linear_gain(grade: Floats) -> Floats:
    """Gain as much as the grade says."""
    return grade


def exponential_gain(grade: Floats) -> Floats:
    """Gain 2^grade - 1, which makes the top of the scale count for more."""
    gain: Floats = np.exp2(grade) - 1
    return gain


def discount(rank: Ints) -> Floats:
    """Return the divisor of a gain at each rank: log2(rank + 1)."""
    divisor: Floats = np.log2(rank + 1.0)
    return divisor


def binary_credit(matches: Matches, rel: float | None) -> Pairs:
    """Credit as many hits as possible, earliest first, over the units relevant at `rel`."""
    tangled = _tangled(matches)
    if not tangled.any():
        return matches.reached(rel)

    def solve() -> Pairs:
        solved = [_earliest(group) for group in _groups(_gaining(matches, rel), tangled)]
        return _merged(matches.reached(rel), tangled, solved)

    return matches.once(("binary", rel), solve)


def graded_credit(matches: Matches, cut: Cut | None, gain: Gain) -> Pairs:
    """Credit the hits above the cut so that DCG is largest."""
    tangled = _tangled(matches)
    if not tangled.any():
        return matches.within(matches.reached(None), cut)

    def solve() -> Pairs:
        above = matches.within(_gaining(matches, None), cut)
        solved = [_largest(group, gain) for group in _groups(above, tangled)]
        return _merged(matches.within(matches.reached(None), cut), tangled, solved)

    return matches.once(("graded", cut, gain), solve)


def _gaining(matches: Matches, rel: float | None) -> Pairs:
    pairs = matches.pairs
    return pairs.take(is_relevant(pairs.grade, rel) & ~pairs.repeat)


def _tangled(matches: Matches) -> Bools:
    """Mark the queries in which "the first hit on each unit" is not the answer."""

    def solve() -> Bools:
        pairs, marked = matches.pairs, np.zeros(matches.size, dtype=bool)
        same_hit = (pairs.query[1:] == pairs.query[:-1]) & (pairs.rank[1:] == pairs.rank[:-1])
        marked[pairs.query[1:][same_hit]] = True
        marked[pairs.query[pairs.grade != matches.units.grade[pairs.unit]]] = True
        return marked

    return matches.once("tangled", solve)


def _groups(pairs: Pairs, tangled: Bools) -> Iterator[Pairs]:
    """Return the pairs of each tangled query."""
    rows = np.flatnonzero(tangled[pairs.query])
    if len(rows):
        ends = np.flatnonzero(np.diff(pairs.query[rows])) + 1
        for part in np.split(rows, ends):
            yield pairs.take(part)


def _by_hit(group: Pairs) -> tuple[list[Ints], dict[int, int]]:
    """Split a query's pairs into rows a hit, and number its units from 0."""
    hits = np.split(np.arange(len(group)), np.flatnonzero(np.diff(group.rank)) + 1)
    numbers = {int(unit): number for number, unit in enumerate(np.unique(group.unit))}
    return hits, numbers


def _earliest(group: Pairs) -> Pairs:
    hits, numbers = _by_hit(group)
    reaches = [[numbers[int(unit)] for unit in group.unit[rows]] for rows in hits]
    return group.take(_rows(group.unit, hits, numbers, most_hits_first(reaches)))


def _largest(group: Pairs, gain: Gain) -> Pairs:
    hits, numbers = _by_hit(group)
    worth = gain(group.grade) / discount(group.rank)
    weights = np.zeros((len(hits), len(numbers)))
    for hit, rows in enumerate(hits):
        best_last = rows[::-1]
        weights[hit, [numbers[int(unit)] for unit in group.unit[best_last]]] = worth[best_last]
    return group.take(_rows(group.unit, hits, numbers, heaviest(weights)))


def _rows(units: Ints, hits: list[Ints], numbers: dict[int, int], chosen: dict[int, int]) -> Ints:
    """Find the row of each hit that was chosen with its unit; of several, the first."""
    found = [
        next(int(row) for row in hits[hit] if numbers[int(units[row])] == target)
        for hit, target in chosen.items()
    ]
    return np.array(found, dtype=np.int64)


def _merged(firsts: Pairs, tangled: Bools, solved: list[Pairs]) -> Pairs:
    """Put the queries that were solved in the place of their first hits."""
    parts = [firsts.take(~tangled[firsts.query]), *solved]
    names = ("query", "rank", "unit", "grade", "repeat")
    together = Pairs(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))
    return together.take(np.lexsort((together.rank, together.query)))
