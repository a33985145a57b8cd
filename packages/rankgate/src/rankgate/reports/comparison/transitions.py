"""The transition matrix of a comparison: where the first relevant hit of every query was and is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rankgate.reports.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.scoring.comparison import Comparison

ABSENT = "absent"
"""The band of queries whose first relevant hit is not in the top 10."""
_ENDS = {"1": 1, "2–3": 3, "4–10": 10}
BANDS = (*_ENDS, ABSENT)
"""What ranks are put together, best first: people read another thing off each."""


@dataclass(frozen=True, slots=True)
class TransitionCell:
    """The queries whose first relevant hit went from one band to another."""

    before: str
    """The band before: one of `BANDS`."""
    after: str
    """The band after."""
    count: int
    """How many queries."""
    cases: tuple[str, ...] = ()
    """Their ids, in the order of the suite; of a large suite those that the report lists."""


@dataclass(frozen=True, slots=True)
class Transitions:
    """Where the first relevant hit of every compared query was and is."""

    cells: tuple[TransitionCell, ...] = ()
    """A cell for each pair of bands, row by row: by the band before, then by the band after."""
    errored: tuple[str, ...] = ()
    """The cases that a system did not answer, before or after: they are in no cell."""

    @property
    def counted(self) -> int:
        """How many queries are in a cell."""
        return sum(cell.count for cell in self.cells)

    def row(self, before: str) -> tuple[TransitionCell, ...]:
        """Return the cells of a band before, by the band after."""
        return tuple(cell for cell in self.cells if cell.before == before)

    @property
    def words(self) -> str:
        """Return in words how many queries found their first relevant hit in a worse and in a better band."""
        order = {band: at for at, band in enumerate(BANDS)}
        worse = sum(cell.count for cell in self.cells if order[cell.after] > order[cell.before])
        better = sum(cell.count for cell in self.cells if order[cell.after] < order[cell.before])
        return f"first relevant hit further down in {worse:,}, further up in {better:,}"


class FirstRanks(NamedTuple):
    """Where the first relevant hit of one query was and is."""

    case: str
    """The case's id."""
    before: int
    """Its rank before, from 1; 0 where there was none."""
    after: int
    """Its rank after."""
    errored: bool = False
    """True where a system did not answer."""


def band(rank: int) -> str:
    """Return the band of a rank; 0 is none.

    >>> [band(rank) for rank in (1, 2, 10, 11, 0)]
    ['1', '2–3', '4–10', 'absent', 'absent']
    """
    return next((name for name, end in _ENDS.items() if 0 < rank <= end), ABSENT)


def transitions(comparison: Comparison) -> Transitions:
    """Return the transition matrix of the compared queries that have something relevant to find."""
    relevant = comparison.hits_after.relevant
    rows = zip(
        comparison.after.queries.to_list(),
        comparison.first_before.tolist(),
        comparison.first_after.tolist(),
        (~comparison.answered).tolist(),
        strict=True,
    )
    shared = zip(map(FirstRanks._make, rows), comparison.shared.tolist(), strict=True)
    return transitions_of([one for one, wanted in shared if wanted and one.case in relevant])


def transitions_of(ranks: Sequence[FirstRanks]) -> Transitions:
    """Return the transition matrix of some queries; one without cells where there are none."""
    if not ranks:
        return Transitions()
    answered = [one for one in ranks if not one.errored]
    cases: dict[tuple[str, str], list[str]] = {(was, now): [] for was in BANDS for now in BANDS}
    for one in answered:
        cases[band(one.before), band(one.after)].append(printable(one.case))
    cells = (TransitionCell(was, now, len(found), tuple(found)) for (was, now), found in cases.items())
    return Transitions(tuple(cells), tuple(printable(one.case) for one in ranks if one.errored))
