"""What gates score: rankings and judgments without the targets that nobody has reviewed.

Such a target is neither expected nor wrong. It is left out of the judgments, and a hit that reaches nothing
else is left out of its ranking, so that the hits below move up. Where all is reviewed, nothing is copied.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import polars as pl

from rankgate.runs.store.batches import LEFT_OUT
from rankgate.runs.store.schemas import TEXTS
from rankgate.runs.store.tables import HoldsTexts
from rankgate.scoring.placements import reaches

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.runs.store.tables import Run, RunShard
    from rankgate.truth.judgments.table import Judgments


def partly_reviewed(judgments: Judgments) -> bool:
    """Check whether some relevant targets are reviewed and some targets are not.

    What is estimated from an expected answer is reviewed by nobody, and left out of no ranking.
    """
    if judgments.targets["reviewed"].all():
        return False
    named = judgments.targets.filter(pl.col("text_hash").is_null())
    return (named["reviewed"] & (named["grade"] > 0)).any()


def reviewed_judgments(judgments: Judgments) -> Judgments:
    """Leave out the targets that nobody has reviewed; every case stays."""
    return replace(judgments, targets=judgments.targets.filter("reviewed"))


class ReviewedRun:
    """A run without the hits that reach only targets that nobody has reviewed."""

    def __init__(self, judgments: Judgments, run: Run) -> None:
        self.name = run.name
        self.notes: tuple[str, ...] = getattr(run, "notes", ())
        self.order: str = getattr(run, "order", "returned")
        self._judgments = judgments
        self._run = run

    def shards(self) -> Iterator[ReviewedShard]:
        """Iterate over the shards, each without these hits."""
        return (ReviewedShard(shard, self._left_out) for shard in self._run.shards())

    @cached_property
    def _left_out(self) -> pl.DataFrame:
        """The query and the rank of each hit that is left out."""
        targets, cases = self._judgments.targets, self._judgments.cases
        open_queries = targets.filter(~pl.col("reviewed")).select("query").unique()
        concerned = replace(
            self._judgments,
            targets=targets.join(open_queries, on="query", how="semi", maintain_order="left"),
            cases=cases.join(open_queries, on="query", how="semi", maintain_order="left"),
        )
        marks = targets.select("query", "target", "reviewed")
        found = reaches(concerned, self._run).join(marks, on=["query", "target"])
        return (
            found.group_by("query", "rank")
            .agg(pl.col("reviewed").any())
            .filter(~pl.col("reviewed"))
            .select("query", "rank")
        )


@dataclass(frozen=True, slots=True, eq=False)
class ReviewedShard:
    """A shard of a `ReviewedRun`."""

    inner: RunShard
    """The shard with every hit."""
    left_out: pl.DataFrame
    """The query and the rank of each hit that is left out, of all shards."""

    @property
    def queries(self) -> pl.DataFrame:
        """One row per query, with the hits that are left, and how many are not."""
        fewer = self.left_out.group_by("query").agg(pl.len().cast(pl.UInt32).alias(LEFT_OUT))
        counted = self.inner.queries.join(fewer, on="query", how="left", maintain_order="left")
        counted = counted.with_columns(pl.col(LEFT_OUT).fill_null(0))
        return counted.with_columns(hits=pl.col("hits") - pl.col(LEFT_OUT))

    def scan_hits(self, columns: Sequence[str]) -> pl.LazyFrame:
        """Scan these columns of the hits that are left, with the ranks that they have now."""
        every = self.inner.scan_hits(list(dict.fromkeys(("query", "rank", *columns))))
        kept = every.join(self.left_out.lazy(), on=["query", "rank"], how="anti", maintain_order="left")
        rank = pl.col("rank").rank("ordinal").over("query").cast(pl.UInt32)
        return kept.with_columns(rank).select(columns)

    def read_texts(self) -> pl.DataFrame:
        """Return the texts."""
        return self.inner.read_texts() if isinstance(self.inner, HoldsTexts) else TEXTS.empty()
