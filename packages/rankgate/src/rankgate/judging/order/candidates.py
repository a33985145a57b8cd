"""What may be judged: the units of every query with their ranks in each system, beside what is judged."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rankgate.errors import Code, InputError
from rankgate.scoring.matches import Matches, Pairs, Units, rows_of
from rankgate.scoring.unjudged.sides import BothSides, OneSide, graded, joined_sides, top_grade

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.runs.store.tables import Run
    from rankgate.scoring.matches import Bools, Floats, Ints
    from rankgate.truth.judgments.table import Judgments

_MOST_GRADES = 5
"""How many grades are told apart; of finer scales only the top."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """The units that nobody had judged at the start, sorted by query, beside what was judged then."""

    sides: tuple[Matches, ...]
    """For each system, which of its hits reach a target that is known already."""
    query: Ints
    """The query of each unit, in ascending order."""
    ranks: Ints
    """The first rank of each unit, a column for each system; 0 where it did not return the unit."""
    top: float = 1.0
    """The highest grade that a unit can have."""
    weights: Floats | None = None
    """What each query counts for in a mean; None where all count alike."""

    @classmethod
    def of_ranks(cls, query: Ints, ranks: Ints, queries: int, top: float = 1.0) -> Candidates:
        """Take units that reach no target, of so many queries; nothing else is judged.

        Args:
            query: The query of each unit, from 0, in ascending order.
            ranks: Its first rank in each system, a column each; 0 where a system did not return it.
            queries: How many queries there are.
            top: The highest grade of the scale.

        Raises:
            InputError: where units are not sorted by query.
        """
        if (np.diff(query) < 0).any():
            raise InputError(
                Code.WRONG_NUMBERS("units", "queries out of order", "units sorted by their query")
            )
        sides = []
        for column in ranks.T:
            returned = np.zeros(queries, dtype=np.int64)
            np.maximum.at(returned, query, column)
            sides.append(_nothing_judged(returned, top))
        return cls(tuple(sides), query, ranks, top)

    @classmethod
    def of_runs(cls, judgments: Judgments, runs: Sequence[Run], reads: frozenset[str]) -> Candidates:
        """Take every hit of some runs that reaches no target, each location once.

        Args:
            judgments: What is judged already.
            runs: What each system returned.
            reads: What the metric reads of them.
        """
        # They are numbered by query.
        found, query = joined_sides(judgments, runs, reads)
        ranks = np.zeros((len(query), len(found)), dtype=np.int64)
        for column, side in enumerate(found):
            ranks[side.hit, column] = side.rank
        weights = judgments.cases["weight"].to_numpy()
        sides = tuple(side.matches for side in found)
        return cls(sides, query, ranks, top_grade(judgments), weights)

    def __len__(self) -> int:
        return len(self.query)

    @property
    def size(self) -> int:
        """How many queries there are."""
        return self.sides[0].size

    @cached_property
    def scale(self) -> Floats:
        """The grades above 0 that a unit may get."""
        if self.top == int(self.top) and self.top <= _MOST_GRADES:
            return np.arange(1.0, self.top + 1.0)
        return np.array([self.top])

    def both(
        self, columns: tuple[int, int], judged: Bools, grade: Floats, matters: Bools, trial: UnitTrial
    ) -> BothSides:
        """Return two systems as bounds read them, over the queries of a trial.

        Args:
            columns: The numbers of the two systems; the same twice for one alone.
            judged: Which units are judged by now.
            grade: The grade of each that is.
            matters: Which units could be judged; the others are as if nobody had returned them.
            trial: Which queries, and what else is judged in each of them.
        """
        rows, place = rows_of(self.query, trial.query)
        tried = rows == trial.unit[place]
        known = judged[rows] | tried
        value = np.where(tried, trial.grade[place], grade[rows])
        open_ = np.flatnonzero(~known & matters[rows])
        sides = []
        for column in columns:
            rank = self.ranks[rows, column]
            matches = self.sides[column].taking(trial.query)
            matches = graded(matches, place[known], rank[known], value[known])
            there = rank[open_] > 0
            sides.append(OneSide(matches, np.flatnonzero(there), rank[open_][there]))
        return BothSides(sides[0], sides[1], place[open_], self.top)


@dataclass(frozen=True, slots=True, eq=False)
class UnitTrial:
    """Queries as they would be if one more unit of each were judged."""

    query: Ints
    """Which queries; one may stand there more than once."""
    unit: Ints
    """The unit that is judged in each; -1 for none."""
    grade: Floats
    """The grade that it gets."""

    @classmethod
    def as_it_is(cls, query: Ints) -> UnitTrial:
        """Take queries with what is judged by now."""
        return cls(query, np.full(len(query), -1), np.zeros(len(query)))


def labels_of(candidates: Candidates, labels: Mapping[int, float]) -> tuple[Bools, Floats]:
    """Return which units are judged and the grade of each, from grades by the number of a unit."""
    judged, grade = np.zeros(len(candidates), dtype=bool), np.zeros(len(candidates))
    units = np.fromiter(labels, dtype=np.int64, count=len(labels))
    judged[units] = True
    grade[units] = np.fromiter(labels.values(), dtype=np.float64, count=len(labels))
    return judged, grade


def _nothing_judged(returned: Ints, top: float) -> Matches:
    size, none, no_grade = len(returned), np.zeros(0, dtype=np.int64), np.zeros(0)
    return Matches(
        size=size,
        units=Units(none, no_grade, no_grade),
        pairs=Pairs(none, none, none, no_grade, np.zeros(0, dtype=bool)),
        returned=returned,
        exhaustive=np.zeros(size, dtype=bool),
        max_grade=top,
        lowest=0.0,
    )
