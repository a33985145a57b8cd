"""Judgments joined with a run, hit by hit: for reports and for checks, by the rule that scores go by."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import polars as pl

from rankgate.runs.store.batches import batches
from rankgate.scoring.matching import asked, reached
from rankgate.scoring.truth_table import TruthTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.runs.store.tables import Run
    from rankgate.scoring.matches import Ints
    from rankgate.truth.judgments.table import Judgments

_SCHEMA = pl.Schema({"query": pl.String(), "target": pl.UInt32(), "rank": pl.UInt32()})


def reaches(judgments: Judgments, run: Run) -> pl.DataFrame:
    """Return every hit that reaches a target: query, target and rank, in that order.

    Targets that are judged not relevant count as well, and so does each alternative of a group.
    """
    names = judgments.cases.select("query").with_row_index("q")
    truth = TruthTable.of(judgments, names)
    parts = [_SCHEMA.to_frame()]
    for batch in batches(run.shards()):
        these = asked(batch, names)
        part = truth.part(these.number)
        found = reached(batch, part, these)
        rows = part.named(["query", "target"], found.target)
        parts.append(rows.with_columns(pl.Series("rank", found.rank, dtype=pl.UInt32)))
    # A hit may reach a target in two ways, by its id and by its lines.
    return pl.concat(parts).unique().sort("query", "target", "rank")


def placements(judgments: Judgments, run: Run) -> pl.DataFrame:
    """Return the rank of the first hit that reaches each target: query, target, rank (null: none does).

    Rows are in the order of the judgments.
    """
    first = reaches(judgments, run).group_by("query", "target").agg(pl.col("rank").min())
    rows = judgments.targets.select("query", "target")
    return rows.join(first, on=["query", "target"], how="left", maintain_order="left")


class JudgedHits:
    """The hits of a run joined with judgments: once, when first looked at, and looked up from either side."""

    def __init__(self, judgments: Judgments, run: Run) -> None:
        self._judgments = judgments
        self._run = run

    @cached_property
    def knows_irrelevant(self) -> bool:
        """True where the suite judges something irrelevant, so that unjudged and irrelevant differ."""
        return bool((self._judgments.targets["grade"] <= 0).any())

    @cached_property
    def rows(self) -> pl.DataFrame:
        """Every hit that reaches a target: query, target, rank and grade, in that order."""
        grades = self._judgments.targets.select("query", "target", "grade")
        return reaches(self._judgments, self._run).join(grades, on=["query", "target"], maintain_order="left")

    @cached_property
    def ranks(self) -> Mapping[tuple[str, int], int]:
        """The rank of the first hit on each target, by query and target."""
        first: dict[tuple[str, int], int] = {}
        for query, target, rank, _ in self.rows.iter_rows():
            first.setdefault((query, target), rank)
        return first

    @cached_property
    def reached(self) -> Mapping[tuple[str, int], Sequence[int]]:
        """The targets that each hit reached, by query and rank."""
        targets: dict[tuple[str, int], list[int]] = {}
        for query, target, rank, _ in self.rows.iter_rows():
            targets.setdefault((query, rank), []).append(target)
        return targets

    @cached_property
    def grades(self) -> Mapping[tuple[str, int], float]:
        """The best grade that each hit reached, by query and rank."""
        best: dict[tuple[str, int], float] = {}
        for query, _, rank, grade in self.rows.iter_rows():
            best[query, rank] = max(grade, best.get((query, rank), grade))
        return best

    @cached_property
    def targets(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """The targets of each query."""
        rows: dict[str, list[dict[str, Any]]] = {}
        for row in self._judgments.targets.iter_rows(named=True):
            rows.setdefault(row["query"], []).append(row)
        return rows

    @property
    def found(self) -> set[str]:
        """The queries in which a hit reached something relevant."""
        return set(self.rows.filter(pl.col("grade") > 0)["query"].to_list())

    def first_relevant(self) -> Ints:
        """Return the rank of the first relevant hit of every query; 0 where there is none."""
        ranks = self.rows.filter(pl.col("grade") > 0).group_by("query").agg(pl.col("rank").min())
        rows = self._judgments.cases.select("query").join(
            ranks, on="query", how="left", maintain_order="left"
        )
        return rows["rank"].fill_null(0).cast(pl.Int64).to_numpy()
