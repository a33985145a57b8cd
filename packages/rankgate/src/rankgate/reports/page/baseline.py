"""The baseline of a page: what every query scored and found then."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from rankgate.reports.page.figures import QueryValues, differences
from rankgate.reports.page.hits import MOST_HITS
from rankgate.reports.page.model import PageBefore, PageHit
from rankgate.reports.rankings import hit_mark, hit_text
from rankgate.reports.text.marks import went
from rankgate.reports.text.printable import printable
from rankgate.runs.store.hits import read_hits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.gates.scored import Against
    from rankgate.model import Case
    from rankgate.runs.store.hits import HitRow
    from rankgate.scoring.placements import JudgedHits


@dataclass(frozen=True, slots=True)
class _Answers:
    """What the baseline has of its queries."""

    hits: Mapping[str, Sequence[HitRow]]
    placed: JudgedHits
    values: QueryValues
    first_before: Sequence[int]
    first_after: Sequence[int]


@dataclass(frozen=True, slots=True)
class PageBaseline:
    """The baseline of a run, query by query; empty where there is none."""

    numbers: Mapping[str, int] = field(default_factory=dict)
    """Where the queries stand that both were asked."""
    changed: frozenset[str] = frozenset()
    """The queries whose hits are others."""
    _answers: _Answers | None = None

    @classmethod
    def of(cls, against: Against | None) -> PageBaseline:
        """Read the baseline that a run is held against."""
        if against is None or against.comparison is None or against.run is None:
            return cls()
        comparison = against.comparison
        names = comparison.after.queries.to_list()
        shared = np.flatnonzero(comparison.shared).tolist()
        numbers = {names[at]: at for at in shared}
        answers = _Answers(
            read_hits(against.run, numbers, MOST_HITS),
            comparison.hits_before,
            QueryValues.of(comparison.before),
            comparison.first_before.tolist(),
            comparison.first_after.tolist(),
        )
        return cls(numbers, frozenset(names[at] for at in shared if comparison.changed[at]), answers)

    def locations(self, query: str) -> list[str]:
        """List the places that stood in the baseline, best first."""
        return [hit_text(hit) for hit in self._answers.hits.get(query, ())] if self._answers else []

    def query(self, case: Case, now: Sequence[float | None]) -> PageBefore | None:
        """Lay out a query of the baseline, beside what it scores now."""
        at, answers = self.numbers.get(case.id), self._answers
        if at is None or answers is None:
            return None
        values = answers.values
        number = values.numbers[case.id]
        return PageBefore(
            values=values.values[number],
            shown=values.shown[number],
            hits=tuple(
                PageHit(printable(hit_text(hit)), hit_mark(case, answers.placed, hit.rank))
                for hit in answers.hits.get(case.id, ())
            ),
            first=went(answers.first_before[at], answers.first_after[at]),
            differences=differences(values.values[number], now, values.units),
        )

    def rank(self, query: str, target: int) -> int | None:
        """Return the rank of a target in the baseline; None where it had none, or was not asked."""
        if self._answers is None or query not in self.numbers:
            return None
        return self._answers.placed.ranks.get((query, target))
