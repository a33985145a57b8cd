"""The five measures in one bare Polars query, to measure everything else by."""

from __future__ import annotations

from typing import Literal

import polars as pl


def bare_polars(
    hits: str,
    judgments: str,
    engine: Literal["in-memory", "streaming"],
) -> tuple[float, ...]:
    """Return nDCG@10, RR, P@5, R@10 and AP, without checks, counts or credit rules."""
    on = ["query", "id"]
    relevant = pl.scan_parquet(judgments).select(*on, "grade").filter(pl.col("grade") > 0)
    found = pl.scan_parquet(hits).select("rank", *on).join(relevant, on=on)
    gain = pl.col("grade") / (pl.col("rank") + 1).log(2)
    per_query = (
        found.sort("query", "rank")
        .group_by("query")
        .agg(
            dcg=gain.filter(pl.col("rank") <= 10).sum(),
            rr=1 / pl.col("rank").min(),
            p=(pl.col("rank") <= 5).sum() / 5,
            found=(pl.col("rank") <= 10).sum(),
            precisions=(pl.int_range(1, pl.len() + 1) / pl.col("rank")).sum(),
        )
    )
    position = pl.int_range(2, pl.min_horizontal(pl.len(), 10) + 2)
    ideal = relevant.group_by("query").agg(
        many=pl.len(), ideal=(pl.col("grade").sort(descending=True).head(10) / position.log(2)).sum()
    )
    means = ideal.join(per_query, on="query", how="left").select(
        (pl.col("dcg") / pl.col("ideal")).fill_null(0).mean().alias("ndcg"),
        pl.col("rr", "p").fill_null(0).mean(),
        (pl.col("found") / pl.col("many")).fill_null(0).mean().alias("r"),
        (pl.col("precisions") / pl.col("many")).fill_null(0).mean().alias("ap"),
    )
    return means.collect(engine=engine).row(0)
