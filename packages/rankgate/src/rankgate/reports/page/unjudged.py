"""The unjudged hits of two kept pages: what their queries tell of hits and targets, as bounds read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from rankgate.errors import RankgateError
from rankgate.reports.page.hits import MOST_HITS
from rankgate.scoring.expressions import parse
from rankgate.scoring.matches import Matches, Pairs, Units
from rankgate.scoring.unjudged.hits import unjudged_effect
from rankgate.scoring.unjudged.sides import BothSides, OneSide

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.reports.page.model import PageHit, PageMetric, PageQuery
    from rankgate.scoring.matches import Bools
    from rankgate.scoring.metric import Metric
    from rankgate.scoring.unjudged.hits import UnjudgedEffect

Pair: TypeAlias = tuple[int, int, int, float, bool]
Numbers: TypeAlias = dict[tuple[str, str], int]
READ = frozenset({"irrelevant"})
"""What pages tell beside the hits on relevant targets: no tokens, and no lines of targets."""


class PageSides:
    """Both sides of a comparison of pages, query by query."""

    def __init__(self, before: Sequence[PageQuery], after: Sequence[PageQuery], top: float) -> None:
        self._weights = np.array([query.weight for query in after])
        units: dict[tuple[int, str], int] = {}
        grades: list[list[float]] = []
        numbers: list[Numbers] = []
        for at, query in enumerate(after):
            numbers.append({})
            for target in query.targets:
                name = f"group {target.group}" if target.group else f"{target.location} {target.grade}"
                unit = units.setdefault((at, name), len(units))
                numbers[at][target.location, target.grade] = unit
                grades += [[]] if unit == len(grades) else []
                grades[unit].append(float(target.grade))
        found = Units(
            np.array([at for at, _ in units], dtype=np.int64),
            np.array([max(one) for one in grades]),
            np.array([min(one) for one in grades]),
        )
        self._hits: dict[tuple[int, str], int] = {}
        sides = [self._side(queries, after, found, numbers) for queries in (before, after)]
        query_of = np.array([at for at, _ in self._hits], dtype=np.int64)
        self._both = BothSides(sides[0], sides[1], query_of, max(top, float(found.grade.max(initial=0))))

    def _side(
        self,
        queries: Sequence[PageQuery],
        after: Sequence[PageQuery],
        units: Units,
        numbers: Sequence[Numbers],
    ) -> OneSide:
        pairs: list[Pair] = []
        open_hits: dict[int, int] = {}
        for at, query in enumerate(queries):
            seen: set[str] = set()
            for rank, hit in enumerate(query.hits, 1):
                pairs += self._pairs(at, rank, hit, query, numbers[at], again=hit.location in seen)
                if not hit.targets and not after[at].exhaustive and hit.location not in seen:
                    open_hits[self._hits.setdefault((at, hit.location), len(self._hits))] = rank
                seen.add(hit.location)
        columns = list(zip(*sorted(pairs), strict=True)) or [()] * 5
        kinds = (np.int64, np.int64, np.int64, np.float64, np.bool_)
        matches = Matches(
            size=len(queries),
            units=units,
            pairs=Pairs(*(np.array(one, dtype=kind) for one, kind in zip(columns, kinds, strict=True))),
            returned=np.array([len(query.hits) for query in queries], dtype=np.int64),
            exhaustive=np.array([query.exhaustive for query in after], dtype=bool),
            lowest=0.0,
        )
        hits, ranks = open_hits.keys(), open_hits.values()
        return OneSide(matches, np.array(list(hits), dtype=np.int64), np.array(list(ranks), dtype=np.int64))

    @staticmethod
    def _pairs(
        at: int,
        rank: int,
        hit: PageHit,
        query: PageQuery,
        numbers: Numbers,
        *,
        again: bool,
    ) -> list[Pair]:
        """Return what a hit reaches, the best of the alternatives of a group."""
        best: dict[int, float] = {}
        for number in hit.targets:
            target = query.targets[number]
            unit, grade = numbers[target.location, target.grade], float(target.grade)
            best[unit] = max(grade, best.get(unit, grade))
        return [(at, rank, unit, grade, again) for unit, grade in best.items()]

    def effect(self, metric: PageMetric, rows: Bools) -> UnjudgedEffect | None:
        """Return what unjudged hits may do to a metric; None where the pages do not tell."""
        known = _known(metric.name)
        if known is None or not known.reads <= READ or known.needs_hits(0) > MOST_HITS:
            return None
        return unjudged_effect(known, [self._both], rows, self._weights)


def _known(name: str) -> Metric | None:
    """Return the metric of a name; None for a weighted sum that the suite has given one."""
    try:
        return parse(name)
    except RankgateError:
        return None
