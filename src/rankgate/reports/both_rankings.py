"""Both rankings of every compared query: how alike they are, and what is new in the later ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgate.model.wording import many
from rankgate.reports.failures import Placed, hit_mark, place_text
from rankgate.reports.printable import printable
from rankgate.scoring.paired.agreement import overlap, rank_biased_overlap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.model import Case
    from rankgate.reports.moved_queries import Marked
    from rankgate.runs.tables import Run
    from rankgate.scoring.comparison import Comparison
    from rankgate.truth.judgments import Judgments

DEPTH = 10
"""How deep two rankings are compared."""
_MOST_AGREED = 20_000


@dataclass(frozen=True, slots=True)
class Unjudged:
    """A hit that is new among the first ones and that nobody has judged."""

    case: str
    """The case's id."""
    query: str
    """What was asked."""
    rank: int
    """Where it stands, from 1."""
    place: str
    """What it is."""


@dataclass(frozen=True, slots=True, eq=False)
class BothRankings:
    """Both rankings of every compared query, to a depth."""

    queries: tuple[str, ...]
    """The queries, also those without hits."""
    before: dict[str, list[str]]
    """The places that were found, best first, by query."""
    after: dict[str, list[str]]
    """Those that are found now."""
    placed: tuple[Placed, Placed]
    """Where the targets ended up, before and after."""
    runs: tuple[Run, Run]
    """Both runs, for the rankings of queries beyond these."""
    left_out: int = 0
    """How many queries were compared beside these: rankings of a whole query log are too many to keep."""

    @classmethod
    def of(cls, judgments: Judgments, runs: tuple[Run, Run], comparison: Comparison) -> BothRankings:
        """Read them from the two runs."""
        compared = comparison.after.queries.filter(pl.Series(comparison.shared))
        queries = compared.head(_MOST_AGREED)
        before, after = (_places(run, queries) for run in runs)
        placed = (Placed(judgments, runs[0]), Placed(judgments, runs[1]))
        return cls(tuple(queries), before, after, placed, runs, len(compared) - len(queries))

    def agreement(self) -> str:
        """Say how alike they are."""
        said = agreement([self._lists(query) for query in self.queries])
        return f"{said}, {self.left_out:,} more not looked at" if self.left_out else said

    def unjudged(self, cases: Sequence[Case]) -> tuple[Unjudged, ...]:
        """List what is new among the first hits and not judged."""
        grades = self.placed[1].grades
        found = []
        for case in cases:
            old, new = self._lists(case.id)
            found += [
                Unjudged(printable(case.id), printable(case.query), rank, printable(place))
                for rank, place in enumerate(new, 1)
                if place not in old
                and (case.id, rank) not in grades
                and not case.exhaustive
                and not case.expect_empty
            ]
        return tuple(found)

    def marked(self, case: Case) -> tuple[list[Marked], list[Marked]]:
        """Give both rankings of a case, each hit with its mark, also of a case beyond those looked at."""
        both = self._lists(case.id)
        if self.left_out and not any(both):
            old, new = (_places(run, pl.Series([case.id])).get(case.id, []) for run in self.runs)
            both = old, new
        before, after = (
            [(place, hit_mark(case, placed, rank)) for rank, place in enumerate(places, 1)]
            for placed, places in zip(self.placed, both, strict=True)
        )
        return before, after

    def _lists(self, query: str) -> tuple[list[str], list[str]]:
        return self.before.get(query, []), self.after.get(query, [])


def agreement(both: Sequence[tuple[list[str], list[str]]]) -> str:
    """Say how alike rankings are, before and after; nothing where there are none."""
    if not both:
        return ""
    same = sum(old == new for old, new in both)
    alike = float(np.mean([rank_biased_overlap(old, new) for old, new in both]))
    shared = float(np.mean([overlap(old, new, DEPTH) for old, new in both]))
    of, how = many(len(both), "query", "queries"), f"RBO {alike:.3f}, overlap@{DEPTH} {shared:.3f}"
    return f"the first {DEPTH} hits are the same for {same:,} of {of}; {how}"


def _places(run: Run, queries: pl.Series) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    wanted = pl.col("query").is_in(queries.implode()) & (pl.col("rank") <= DEPTH)
    for shard in run.shards():
        columns = ["query", "rank", "id", "path", "start", "end"]
        rows = shard.scan_hits(columns).filter(wanted).sort("query", "rank").collect()
        for row in rows.iter_rows(named=True):
            found.setdefault(row["query"], []).append(place_text(row))
    return found
