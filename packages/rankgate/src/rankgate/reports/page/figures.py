"""The figures of a page: what every query scored, now and in the baseline."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankgate.gates.wording import figure
from rankgate.model.wording import no_titles
from rankgate.reports.page.hits import MOST_HITS
from rankgate.reports.page.model import PageBefore, PageHit
from rankgate.reports.rankings import hit_mark, hit_text, hit_title
from rankgate.reports.text.marks import ESTIMATED, NOTHING, signed, went
from rankgate.reports.text.printable import printable
from rankgate.runs.store.hits import read_hits

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from rankgate.gates.scored import Against
    from rankgate.model import Case
    from rankgate.model.wording import TitleOf
    from rankgate.runs.store.hits import HitRow
    from rankgate.scoring.comparison import Comparison
    from rankgate.scoring.placements import JudgedHits
    from rankgate.scoring.scores import Scores


class QueryValues(NamedTuple):
    """What every query scored, and how it ended."""

    numbers: dict[str, int]
    """Where each query stands in the lists."""
    values: list[tuple[float | None, ...]]
    """A value a metric."""
    shown: list[tuple[str, ...]]
    """The same for people."""
    ends: list[str]
    """How each query ended, as `Answer` says."""
    units: tuple[str, ...]
    """What the values count."""

    @classmethod
    def of(cls, scores: Scores, queries: Container[str]) -> QueryValues:
        """Take the values that some queries scored."""
        rows = [at for at, name in enumerate(scores.queries.to_list()) if name in queries]
        columns, texts = [], []
        for metric in scores.metrics:
            column, marked = scores.columns[metric.label], scores.approximate(metric.label)[rows].tolist()
            found, defined = column.values[rows].tolist(), column.defined[rows].tolist()
            values = [value if known else None for value, known in zip(found, defined, strict=True)]
            columns.append(values)
            texts.append(
                [
                    NOTHING if value is None else (ESTIMATED if mark else "") + figure(value, metric.unit)
                    for value, mark in zip(values, marked, strict=True)
                ]
            )
        names = scores.queries.gather(rows).to_list()
        return cls(
            {name: number for number, name in enumerate(names)},
            list(zip(*columns, strict=True)) or [()] * len(names),
            list(zip(*texts, strict=True)) or [()] * len(names),
            scores.status.gather(rows).to_list(),
            tuple(metric.unit for metric in scores.metrics),
        )


def differences(
    before: Sequence[float | None], after: Sequence[float | None], units: Sequence[str]
) -> tuple[str, ...]:
    """Write what each value is more or less than before.

    >>> differences([0.5, None], [0.25, 1.0], ["", ""])
    ('−0.2500', '–')
    """
    return tuple(
        signed(None if was is None or now is None else now - was, unit)
        for was, now, unit in zip(before, after, units, strict=False)
    )


@dataclass(frozen=True, slots=True, eq=False)
class PageBaseline:
    """The baseline of a run, query by query; empty where there is none."""

    numbers: Mapping[str, int] = field(default_factory=dict)
    """Where the queries stand that both were asked."""
    changed: frozenset[str] = frozenset()
    """The queries whose hits are others."""
    _comparison: Comparison | None = None
    _hits: Mapping[str, Sequence[HitRow]] = field(default_factory=dict)
    _placed: JudgedHits | None = None
    _values: QueryValues | None = None
    _titles: TitleOf = no_titles

    @classmethod
    def of(
        cls,
        against: Against | None,
        titles: TitleOf = no_titles,
        queries: Container[str] | None = None,
    ) -> PageBaseline:
        """Read the baseline that a run is held against: of some queries, or of all."""
        if against is None or against.comparison is None or against.run is None:
            return cls()
        comparison = against.comparison
        names = comparison.after.queries.to_list()
        shared = np.flatnonzero(comparison.shared).tolist()
        shared = shared if queries is None else [at for at in shared if names[at] in queries]
        numbers = {names[at]: at for at in shared}
        changed = frozenset(names[at] for at in shared if comparison.changed[at])
        hits = read_hits(against.run, numbers, MOST_HITS)
        placed, values = comparison.hits_before.only(numbers), QueryValues.of(comparison.before, numbers)
        return cls(numbers, changed, comparison, hits, placed, values, titles)

    def locations(self, query: str) -> list[str]:
        """List where the hits of the baseline were, best first."""
        return [hit_text(hit) for hit in self._hits.get(query, ())]

    def query(self, case: Case, now: Sequence[float | None]) -> PageBefore | None:
        """Lay out a query of the baseline, beside what it scores now."""
        at, comparison, values = self.numbers.get(case.id), self._comparison, self._values
        if at is None or comparison is None or values is None or self._placed is None:
            return None
        number = values.numbers[case.id]
        return PageBefore(
            values=values.values[number],
            shown=values.shown[number],
            hits=tuple(
                PageHit(
                    printable(hit_text(hit)),
                    hit_mark(case, self._placed, hit.rank),
                    title=hit_title(hit, self._titles),
                )
                for hit in self._hits.get(case.id, ())
            ),
            first=went(int(comparison.first_before[at]), int(comparison.first_after[at])),
            differences=differences(values.values[number], now, values.units),
        )

    def rank(self, query: str, target: int) -> int | None:
        """Return the rank of a target in the baseline; None where it had none, or was not asked."""
        if self._placed is None or query not in self.numbers:
            return None
        return self._placed.ranks.get((query, target))
