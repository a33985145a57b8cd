"""How far one more judgment is expected to move the bounds: each open unit tried at both ends of the scale.

A trial works out the bounds of its query again. After a judgment that is due for the units of one query; at
the start for all of them. So that no step takes long, a step tries so much and no more: the query that was
judged, then those with most to gain that have not been tried yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankgate.judging.order.candidates import UnitTrial

if TYPE_CHECKING:
    from rankgate.judging.order.state import OrderState
    from rankgate.scoring.matches import Bools, Floats, Ints

_STEP = 15_000
"""How many figures a step works out, for one query at least: about 20 ms."""
_QUERY = 10_000
"""How many of them one query takes; of a query with more, the units with the largest effect are tried."""


class BoundProgress:
    """The bounds of the query of each unit, were it judged."""

    def __init__(self, state: OrderState) -> None:
        units = len(state.candidates)
        self._state = state
        self._low, self._high = np.zeros((units, 2)), np.zeros((units, 2))
        self._tried = np.zeros(units, dtype=bool)
        self._due = np.ones(state.candidates.size, dtype=bool)

    def touch(self, queries: Ints) -> None:
        """Take note that something of these queries was judged."""
        self._due[queries] = True
        self._tried[self._state.rows(queries)] = False

    def expected(
        self,
        units: Ints,
        chance: Floats,
        effect: Floats,
        first: Floats,
        untried: tuple[Floats, Floats],
    ) -> tuple[Floats, Floats]:
        """Return how far the low end rises and the high end falls on average, for each open unit.

        Args:
            units: The open units.
            chance: How likely each has each grade: a column for 0, then one for every grade of the scale.
            effect: How much each is expected to change the mean, which says what is tried first in a query.
            first: What each query has to gain, which says what is tried first.
            untried: What to return of units that were not tried.
        """
        self._try(units, effect, first)
        state, query = self._state, self._state.candidates.query[units]
        share = chance @ np.concatenate([[0.0], state.candidates.scale]) / state.candidates.top
        tried, weight = self._tried[units], state.weights[query]
        low = (_between(self._low[units], share) - state.low[query]) * weight
        high = (state.high[query] - _between(self._high[units], share)) * weight
        return np.where(tried, low, untried[0]), np.where(tried, high, untried[1])

    def _try(self, units: Ints, effect: Floats, first: Floats) -> None:
        state = self._state
        query = state.candidates.query[units]
        number = np.bincount(query, minlength=state.candidates.size)
        cells = 2 * number * (1 + state.levels)
        most = np.maximum(_QUERY // np.maximum(cells, 1), 2)
        due = np.flatnonzero(self._due & (number > 0))
        due = due[np.argsort(-first[due], kind="stable")]
        spent = np.cumsum(cells[due] * np.minimum(number, most)[due])
        due = due[: max(1, int(np.searchsorted(spent, _STEP)))]
        if len(due):
            these = np.zeros(state.candidates.size, dtype=bool)
            these[due] = True
            chosen = units[_foremost(query, effect, these, most)]
            self._low[chosen], self._high[chosen] = self._bounds(chosen)
            self._tried[chosen] = True
            self._due[due] = False

    def _bounds(self, units: Ints) -> tuple[Floats, Floats]:
        state = self._state
        grades = np.tile([0.0, state.candidates.top], len(units))
        trial = UnitTrial(np.repeat(state.candidates.query[units], 2), np.repeat(units, 2), grades)
        low, high = state.bounds(state.both(trial))
        return low.reshape(-1, 2), high.reshape(-1, 2)


def _foremost(query: Ints, effect: Floats, these: Bools, most: Ints) -> Ints:
    """Return the rows of some queries, of each no more than so many, by the largest effect."""
    rows = np.flatnonzero(these[query])
    rows = rows[np.lexsort((-effect[rows], query[rows]))]
    first = np.searchsorted(query[rows], query[rows])
    kept: Ints = rows[np.arange(len(rows)) - first < most[query[rows]]]
    return kept


def _between(ends: Floats, share: Floats) -> Floats:
    """Return what lies between the ends of the scale, by the share of the way."""
    between: Floats = ends[:, 0] + share * (ends[:, 1] - ends[:, 0])
    return between
