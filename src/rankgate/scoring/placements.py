"""Where each target ended up in the ranking: for reports and for checks, by the rule that scores go by."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from rankgate.scoring.batches import batches
from rankgate.scoring.matching import asked, match
from rankgate.scoring.truth_table import TruthTable

if TYPE_CHECKING:
    from rankgate.runs.tables import Run
    from rankgate.truth.judgments import Judgments

_SCHEMA = pl.Schema({"query": pl.String(), "target": pl.UInt32(), "rank": pl.UInt32()})


def reaches(judgments: Judgments, run: Run) -> pl.DataFrame:
    """Give every hit that reaches a target: query, target and rank, in that order.

    Targets that are judged not relevant count as well, and so does each alternative of a group.
    """
    # A grade that is the target's own row number tells, after the join, which target a hit reached.
    numbered = judgments.targets.with_columns(
        pl.int_range(1, pl.len() + 1).cast(pl.Float64).alias("grade"), pl.lit(None, pl.String).alias("group")
    )
    names = judgments.cases.select("query").with_row_index("q")
    # How many matches a hit reports does not change what it reaches.
    matching = replace(judgments.matching, miscounted=1.0)
    truth = TruthTable.of(replace(judgments, targets=numbered, matching=matching), names)
    rows = judgments.targets.select("query", "target")
    parts = [_SCHEMA.to_frame()]
    for batch in batches(run.shards()):
        these = asked(batch, names)
        pairs = match(batch, truth.part(these.number), these, frozenset(), trec=False).pairs
        found = rows[pairs.grade.astype("int64") - 1]
        parts.append(found.with_columns(pl.Series("rank", pairs.rank, dtype=pl.UInt32)))
    return pl.concat(parts).sort("query", "target", "rank")


def placements(judgments: Judgments, run: Run) -> pl.DataFrame:
    """Give the rank of the first hit that reaches each target: query, target, rank (null: none does).

    Rows are in the order of the judgments.
    """
    first = reaches(judgments, run).group_by("query", "target").agg(pl.col("rank").min())
    rows = judgments.targets.select("query", "target")
    return rows.join(first, on=["query", "target"], how="left", maintain_order="left")
