"""Grades of several judges as one table: a row a unit, a column a judge, gaps where a judge gave none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankgate.scoring.matches import is_relevant

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Self

    from rankgate.scoring.matches import Bools, Floats, Ints


class Rating(NamedTuple):
    """What one judge said of one unit."""

    judge: str
    """The judge's name."""
    unit: str
    """What was judged: a query and a location."""
    query: str
    """The query of the unit. Units of one query are not independent."""
    grade: float | None
    """The grade; None where the judge was unsure or skipped it."""


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """A table of grades. NaN is a gap; no figure that is made of it is NaN."""

    judges: tuple[str, ...]
    """The judges, by name, a column each."""
    units: tuple[str, ...]
    """The units, a row each, in the order in which they were first graded."""
    queries: Ints
    """The number of each unit's query, from 0."""
    grades: Floats
    """The grades, units × judges."""

    @classmethod
    def of(cls, rows: Iterable[Rating]) -> Self:
        """Return the table of ratings; of two that a judge gave one unit, the later counts.

        A unit's name need only be unique within its query.

        >>> rows = [Rating("ada", "u1", "q", 2), Rating("bo", "u1", "q", 1), Rating("ada", "u2", "q", 0)]
        >>> Ratings.of(rows).grades.tolist()
        [[2.0, 1.0], [0.0, nan]]
        """
        said = {(row.query, row.unit, row.judge): row.grade for row in rows}
        judges = {name: at for at, name in enumerate(sorted({judge for _, _, judge in said}))}
        units = {key: at for at, key in enumerate(dict.fromkeys((query, unit) for query, unit, _ in said))}
        queries = {query: at for at, query in enumerate(dict.fromkeys(query for query, _ in units))}
        grades = np.full((len(units), len(judges)), np.nan)
        for (query, unit, judge), grade in said.items():
            grades[units[query, unit], judges[judge]] = np.nan if grade is None else grade
        blocks = np.array([queries[query] for query, _ in units], dtype=np.int64)
        return cls(tuple(judges), tuple(unit for _, unit in units), blocks, grades)

    @property
    def graded(self) -> Bools:
        """Which cells have a grade."""
        return ~np.isnan(self.grades)

    @property
    def scale(self) -> Floats:
        """Every grade that was given, ascending."""
        return np.unique(self.grades[self.graded])

    def columns(self, judges: Sequence[str]) -> Ratings:
        """Return the grades of some judges, in their order."""
        at = [self.judges.index(judge) for judge in judges]
        return replace(self, judges=tuple(judges), grades=self.grades[:, at])

    def rows(self, chosen: Bools) -> Ratings:
        """Return some units, their queries numbered again from 0."""
        units = tuple(unit for unit, take in zip(self.units, chosen, strict=True) if take)
        blocks = np.unique(self.queries[chosen], return_inverse=True)[1].astype(np.int64)
        return Ratings(self.judges, units, blocks, self.grades[chosen])

    def shared(self, least: int = 2) -> Ratings:
        """Return the units that at least so many judges graded."""
        return self.rows(self.graded.sum(axis=1) >= least)

    def cut(self, rel: float | None) -> Ratings:
        """Return 1 for what is relevant to a metric with the cut `rel`, 0 for the rest.

        >>> Ratings.of([Rating("ada", "u", "q", 2), Rating("bo", "u", "q", 1)]).cut(2).grades.tolist()
        [[1.0, 0.0]]
        """
        return replace(self, grades=np.where(self.graded, is_relevant(self.grades, rel), np.nan))

    def codes(self) -> Ints:
        """Return the number of each grade on the scale; -1 for a gap."""
        codes = np.searchsorted(self.scale, np.where(self.graded, self.grades, 0.0))
        return np.where(self.graded, codes, -1).astype(np.int64)

    def counts(self) -> Floats:
        """Return how often each unit got each grade of the scale, units × grades."""
        every = np.arange(len(self.scale))
        counts: Floats = (self.codes()[:, :, None] == every).sum(axis=1).astype(np.float64)
        return counts

    @property
    def blocks(self) -> int:
        """How many queries there are."""
        return int(self.queries.max(initial=-1)) + 1
