"""Which answers of two runs are the same: the same places in the same order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from rankgate.runs.tables import Run

_PLACE = ("id", "path", "start", "end")


def answer_hashes(run: Run) -> pl.DataFrame:
    """Give one row a query: how it ended and its hits as one number, which differs where they do."""
    parts = []
    for shard in run.shards():
        hits = shard.scan_hits(("query", "rank", *_PLACE)).collect().sort("query", "rank")
        lists = hits.group_by("query").agg(pl.struct(_PLACE).alias("answer"))
        queries = shard.queries.select("query", "status")
        parts.append(
            queries.join(lists, on="query", how="left").select(
                "query", answer=pl.struct("status", "answer").hash(seed=0)
            )
        )
    return pl.concat(parts) if parts else pl.DataFrame(schema={"query": pl.String, "answer": pl.UInt64})
