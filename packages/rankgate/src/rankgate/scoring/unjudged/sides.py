"""Both runs of a comparison as bounds read them: which hits reach what, and which hits nobody has judged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgate.runs.store.batches import Batch
from rankgate.scoring.evaluate import absent_queries
from rankgate.scoring.matches import Matches, Pairs, Units
from rankgate.scoring.matching import asked, match
from rankgate.scoring.truth_table import TruthTable, ints

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.runs.store.tables import Run
    from rankgate.scoring.matches import Bools, Cut, Floats, Ints
    from rankgate.truth.judgments.table import Judgments

_BY_ID = ("id",)
_BY_LOCATION = ("path", "start", "end")


@dataclass(frozen=True, slots=True, eq=False)
class OneSide:
    """One run, whole: its queries are numbered as those of the judgments."""

    matches: Matches
    """Which of its hits reach which targets."""
    hit: Ints
    """The unjudged hits, by their number among those of both sides, each once."""
    rank: Ints
    """The rank of each."""


@dataclass(frozen=True, slots=True, eq=False)
class BothSides:
    """Two runs over the same queries, and every unjudged hit of either."""

    before: OneSide
    """What is compared with."""
    after: OneSide
    """What is compared."""
    query: Ints
    """The query of each unjudged hit of either side."""
    top: float
    """The highest grade that a hit can have."""

    @classmethod
    def of(cls, judgments: Judgments, runs: tuple[Run, Run], reads: frozenset[str]) -> BothSides:
        """Join two runs, before and after, with the judgments."""
        (one, other), query = joined_sides(judgments, runs, reads)
        return cls(one, other, query, top_grade(judgments))

    @property
    def size(self) -> int:
        """How many queries there are."""
        return self.before.matches.size

    def ranks(self, cut: Cut | None) -> tuple[Ints, Ints]:
        """Return the rank of every unjudged hit on both sides; 0 where it is not above the cut."""
        found = []
        for side in (self.before, self.after):
            ranks = np.zeros(len(self.query), dtype=np.int64)
            above = side.rank <= side.matches.depth(cut)[self.query[side.hit]]
            ranks[side.hit[above]] = side.rank[above]
            found.append(ranks)
        return found[0], found[1]


def joined_sides(
    judgments: Judgments, runs: Sequence[Run], reads: frozenset[str]
) -> tuple[list[OneSide], Ints]:
    """Join runs with the judgments; return each, and the query of every unjudged hit of any of them."""
    names = judgments.cases[["query"]].with_row_index("q")
    truth = TruthTable.of(judgments, names)
    sides = [_joined(run, truth, names, reads) for run in runs]
    frame = pl.concat([hits.with_columns(side=pl.lit(at)) for at, (_, hits) in enumerate(sides)])
    frame = frame.with_columns(hit=pl.struct("q", *_identity(truth)).rank("dense") - 1)
    # A location that is returned again gains nothing, whatever its grade.
    first = frame.group_by("side", "hit").agg(pl.col("rank").min(), pl.col("q").first())
    query = np.zeros(0 if first.is_empty() else int(ints(first["hit"]).max()) + 1, dtype=np.int64)
    query[ints(first["hit"])] = ints(first["q"])
    joined = []
    for at, (matches, _) in enumerate(sides):
        rows = first.filter(pl.col("side") == at)
        joined.append(OneSide(matches, ints(rows["hit"]), ints(rows["rank"])))
    return joined, query


def graded(matches: Matches, query: Ints, rank: Ints, grade: float | Floats) -> Matches:
    """Return the same with some hits judged: each reaches a target of its own; rank 0 for one not found."""
    old, new = matches.units, np.full(len(query), grade)
    units = np.concatenate([old.query, query])
    order = np.argsort(units, kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    found = rank > 0
    pairs = matches.pairs
    together = Pairs(
        np.concatenate([pairs.query, query[found]]),
        np.concatenate([pairs.rank, rank[found]]),
        place[np.concatenate([pairs.unit, len(old.query) + np.flatnonzero(found)])],
        np.concatenate([pairs.grade, new[found]]),
        np.concatenate([pairs.repeat, np.zeros(int(found.sum()), dtype=bool)]),
    )
    return replace(
        matches,
        units=Units(
            units[order],
            np.concatenate([old.grade, new])[order],
            np.concatenate([old.lowest, new])[order],
        ),
        pairs=together.take(np.lexsort((together.unit, together.rank, together.query))),
        memo={},
    )


def _joined(
    run: Run, truth: TruthTable, names: pl.DataFrame, reads: frozenset[str]
) -> tuple[Matches, pl.DataFrame]:
    """Join a run, and list its unjudged hits: q, rank and what each is."""
    shards = list(run.shards())
    tables = [shard.queries[["query", "status", "latency_ms", "hits"]] for shard in shards]
    known = pl.concat(tables)["query"] if tables else pl.Series("query", [], dtype=pl.String)
    absent = absent_queries(names, np.flatnonzero(~names["query"].is_in(known.implode()).to_numpy()))
    rest = absent.queries[["query", "status", "latency_ms", "hits"]]
    batch = Batch((*shards, absent), pl.concat([*tables, rest]))
    these = asked(batch, names)
    matches = match(batch, truth, these, reads | {"irrelevant"}, trec=False)
    open_ = pl.Series("open", ~truth.exhaustive & ~truth.expect_empty & _rated(truth))
    concerned = these.local().filter(open_.gather(these.local()["q"])).lazy()
    hits = batch.scan_hits(["query", "rank", *_BY_ID, *_BY_LOCATION])
    judged = pl.DataFrame({"q": matches.pairs.query, "rank": matches.pairs.rank}).unique()
    known_hits = judged.select(pl.col("q", "rank").cast(pl.UInt32)).lazy()
    rows = hits.join(concerned, on="query").join(known_hits, on=["q", "rank"], how="anti")
    return matches, rows.select("q", "rank", *_BY_ID, *_BY_LOCATION).collect()


def _rated(truth: TruthTable) -> Bools:
    """Return where labels are those of people, not estimated from an answer."""
    return np.ones(truth.size, dtype=bool) if truth.estimated is None else ~truth.estimated


def _identity(truth: TruthTable) -> list[pl.Expr]:
    """Return what makes two hits the same: what targets are matched by, or else whatever they have."""
    if truth.has_paths and truth.has_ids:
        return [pl.col(*_BY_ID, *_BY_LOCATION)]
    first, others = (_BY_LOCATION, _BY_ID) if truth.has_paths else (_BY_ID, _BY_LOCATION)
    known = pl.col(first[0]).is_not_null()
    return [pl.col(*first), *(pl.when(~known).then(pl.col(name)).alias(name) for name in others)]


def top_grade(judgments: Judgments) -> float:
    """Return the top of the grade scale: the declared one, or the highest grade that was given."""
    given = judgments.targets["grade"].max()
    highest = float(given) if isinstance(given, int | float) else 0.0
    return max(judgments.max_grade or 0.0, highest) or 1.0
