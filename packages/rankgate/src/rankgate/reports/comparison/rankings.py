"""Both rankings of every compared query: how alike they are, what is new, and which queries moved most."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from rankgate.gates.wording import figure
from rankgate.model.wording import many
from rankgate.reports.rankings import hit_mark, hit_text
from rankgate.reports.text.marks import BAD, GOOD, Mark, Unmarked, moved_from, signed
from rankgate.reports.text.printable import printable
from rankgate.runs.store.hits import read_hits
from rankgate.scoring.paired.agreement import overlap, rank_biased_overlap

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from rankgate.model import Case
    from rankgate.runs.store.tables import Run
    from rankgate.scoring.comparison import Comparison
    from rankgate.scoring.placements import JudgedHits

DEPTH = 10
"""How deep two rankings are compared."""
BEFORE, AFTER = "before", "after"
"""The two sides of a comparison."""
_MOST_AGREED = 20_000


@dataclass(frozen=True, slots=True)
class Unjudged:
    """A hit that only one of the two has among its first ones, and that nobody has judged."""

    case: str
    """The case's id."""
    query: str
    """What was asked."""
    rank: int
    """Where it stands, from 1."""
    location: str
    """What it is."""
    side: str = AFTER
    """Which of the two has it: before, or after."""


@dataclass(frozen=True, slots=True, eq=False)
class BothRankings:
    """Both rankings of every compared query, to a depth."""

    queries: tuple[str, ...]
    """The queries, also those without hits."""
    before: dict[str, list[str]]
    """The locations that were found, best first, by query."""
    after: dict[str, list[str]]
    """Those that are found now."""
    placed: tuple[JudgedHits, JudgedHits]
    """Where the targets ended up, before and after."""
    runs: tuple[Run, Run]
    """Both runs, for the rankings of queries beyond these."""
    left_out: int = 0
    """How many queries were compared beside these: rankings of a whole query log are too many to keep."""

    @classmethod
    def of(cls, runs: tuple[Run, Run], comparison: Comparison, depth: int = DEPTH) -> BothRankings:
        """Read them from the two runs, to a depth of ten or more."""
        compared = comparison.after.queries.filter(pl.Series(comparison.shared))
        queries = compared.head(_MOST_AGREED)
        before, after = (_locations(run, list(queries), max(depth, DEPTH)) for run in runs)
        placed = comparison.hits_before, comparison.hits_after
        return cls(tuple(queries), before, after, placed, runs, len(compared) - len(queries))

    def agreement(self) -> str:
        """Return in words how alike they are."""
        both = [self._lists(query) for query in self.queries]
        said = agreement([(old[:DEPTH], new[:DEPTH]) for old, new in both])
        return f"{said}, {self.left_out:,} more not looked at" if self.left_out else said

    def unjudged(self, cases: Sequence[Case], *, both: bool = False) -> tuple[Unjudged, ...]:
        """List what is new among the first hits and not judged; `both` for what is gone from them as well."""
        found = []
        for case in cases:
            if case.exhaustive or case.expect_empty:
                continue
            old, new = self._lists(case.id)
            for side, these, others in ((AFTER, new, old), (BEFORE, old if both else [], new)):
                grades = self.placed[side == AFTER].grades
                found += [
                    Unjudged(printable(case.id), printable(case.query), rank, printable(location), side)
                    for rank, location in enumerate(these, 1)
                    if location not in others and (case.id, rank) not in grades
                ]
        return tuple(found)

    def marked(self, case: Case) -> tuple[list[Marked], list[Marked]]:
        """Return both rankings of a case, each hit with its mark, also of a case beyond those looked at."""
        both = self._lists(case.id)
        if self.left_out and not any(both):
            old, new = (_locations(run, [case.id], DEPTH).get(case.id, []) for run in self.runs)
            both = old, new
        before, after = (
            [(location, hit_mark(case, placed, rank)) for rank, location in enumerate(locations, 1)]
            for placed, locations in zip(self.placed, both, strict=True)
        )
        return before, after

    def _lists(self, query: str) -> tuple[list[str], list[str]]:
        return self.before.get(query, []), self.after.get(query, [])


def agreement(both: Sequence[tuple[list[str], list[str]]]) -> str:
    """Return in words how alike rankings are, before and after; nothing where there are none."""
    if not both:
        return ""
    same = sum(old == new for old, new in both)
    alike = float(np.mean([rank_biased_overlap(old, new) for old, new in both]))
    shared = float(np.mean([overlap(old, new, DEPTH) for old, new in both]))
    of, how = many(len(both), "query", "queries"), f"RBO {alike:.3f}, overlap@{DEPTH} {shared:.3f}"
    return f"top {DEPTH} unchanged in {same:,} of {of}; {how}"


def _locations(run: Run, queries: Collection[str], depth: int) -> dict[str, list[str]]:
    return {query: list(map(hit_text, hits)) for query, hits in read_hits(run, queries, depth).items()}


MOVED_SHOWN = 3
"""How many queries are shown side by side of those that lost, and of those that gained: the largest first."""
HITS_SHOWN = 5
"""How many hits of each side are shown, from the first on."""
DEEPER_SHOWN = 4
"""How many ranks below those are shown as well, where one side has there what was expected."""
TIE = 1e-9
"""What is no difference."""
Marked: TypeAlias = tuple[str, Mark | Unmarked]
"""The location of a hit, and its mark."""


@dataclass(frozen=True, slots=True)
class SideBySide:
    """One rank, before and after."""

    rank: int
    """From 1."""
    before: str
    """The place that stood there; empty where there was none."""
    before_mark: Mark | Unmarked
    """Found what was expected, wrong by judgment, or empty."""
    after: str
    """The place that stands there now."""
    after_mark: Mark | Unmarked
    """The same, of what stands there now."""
    move: str
    """Where what stands there now came from: ↑2, ↓1, =, or new."""


@dataclass(frozen=True, slots=True)
class MovedQuery:
    """A query that moved, with both its rankings."""

    mark: Mark
    """❌ worse, ✅ better."""
    case: str
    """The case's id."""
    query: str
    """What was asked."""
    before: str
    """What it scored in the first metric."""
    after: str
    """What it scores now."""
    difference: str
    """After less before, with its sign."""
    first: str
    """Where its first relevant hit was and is, in words."""
    hits: tuple[SideBySide, ...]
    """Both rankings, a row a rank: the first five, and below them the ranks at which marks differ."""

    @property
    def change(self) -> str:
        """How its value and its first relevant hit changed, in words."""
        return f"{self.before} → {self.after} ({self.difference}), {self.first}"


class ScoredQuery(NamedTuple):
    """What a query scored, before and after."""

    at: int
    """Its number among those of the caller."""
    case: str
    """The case's id."""
    before: float
    """Its value before."""
    after: float
    """Its value after."""
    weight: float = 1.0
    """Its share in the mean."""
    first: tuple[int, int] = (0, 0)
    """The rank of its first relevant hit, before and after; 0 where there is none."""
    errored: bool = False
    """True where a system did not answer it: its values are no ranking's."""

    @property
    def difference(self) -> float:
        """After less before."""
        return self.after - self.before


class MovedDetails(NamedTuple):
    """What else is told of a query that moved."""

    query: str
    """What was asked."""
    first: str
    """Where its first relevant hit was and is, in words."""
    before: Sequence[Marked]
    """Its hits before, best first."""
    after: Sequence[Marked]
    """Its hits after."""


def moved_queries(
    metric: tuple[str, str], worse: float, scored: Iterable[ScoredQuery], tell: Callable[[int], MovedDetails]
) -> tuple[tuple[MovedQuery, ...], str]:
    """Take the three that lost most and the three that gained most, and say how many others changed.

    Where a system did not answer, there is no ranking to show: such a query is never taken.

    Args:
        metric: Its label and its unit.
        worse: 1 where less is better, otherwise -1.
        scored: What the queries scored in it.
        tell: Tells of the query with a number what is shown of those taken.
    """
    label, unit = metric
    changed = [one for one in scored if abs(one.difference) > TIE and not one.errored]
    changed.sort(key=lambda one: (-abs(one.difference), one.case))
    lost = [one for one in changed if one.difference * worse > 0]
    gained = [one for one in changed if one.difference * worse < 0]
    shown = [*lost[:MOVED_SHOWN], *gained[:MOVED_SHOWN]]
    more = [len(lost[MOVED_SHOWN:]), len(gained[MOVED_SHOWN:])]
    said = f"{sum(more):,} more changed in {printable(label)} ({more[0]:,} worse, {more[1]:,} better)"
    return (
        tuple(_moved_query(one, unit, worse, tell(one.at)) for one in shown),
        said if any(more) else "",
    )


def _moved_query(scored: ScoredQuery, unit: str, worse: float, told: MovedDetails) -> MovedQuery:
    return MovedQuery(
        mark=BAD if scored.difference * worse > 0 else GOOD,
        case=printable(scored.case),
        query=printable(told.query),
        before=figure(scored.before, unit),
        after=figure(scored.after, unit),
        difference=signed(scored.difference, unit),
        first=told.first,
        hits=tuple(_side_by_side(told.before, told.after)),
    )


def _side_by_side(before: Sequence[Marked], after: Sequence[Marked]) -> Iterable[SideBySide]:
    old = [location for location, _ in before]
    nothing: Marked = ("", "")
    rows = enumerate(zip_longest(before, after, fillvalue=nothing), 1)
    deeper = 0
    for rank, ((was, was_mark), (now, now_mark)) in rows:
        if rank > HITS_SHOWN:
            deeper += was_mark != now_mark
            if was_mark == now_mark or deeper > DEEPER_SHOWN:
                continue
        yield SideBySide(rank, printable(was), was_mark, printable(now), now_mark, moved_from(now, rank, old))
