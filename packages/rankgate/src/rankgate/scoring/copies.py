"""Hits whose text stands in several places: such a hit reaches a target if any of its places does.

Line measures go by the place that reached a target, and by the first where none did.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.runs.store.tables import RunShard


def copies_of(shard: RunShard) -> pl.DataFrame | None:
    """Return a row for each place of each hit that has several; None where no hit does."""
    every = shard.scan_hits(("query", "rank", "matches", "copies"))
    several = every.filter(pl.col("copies").is_not_null()).collect()
    if several.is_empty():
        return None
    return several.explode("copies").unnest("copies")


def with_copies(hits: pl.LazyFrame, copies: pl.DataFrame | None, columns: Sequence[str]) -> pl.LazyFrame:
    """Add a row for each place to those of the hits themselves; a text stands once, beside the hit."""
    if copies is None:
        return hits
    rows = copies.lazy().with_columns(text=pl.lit(None, pl.String)).select(columns)
    return pl.concat([hits, rows])


def settled(hits: pl.DataFrame, copies: pl.DataFrame, reached: pl.DataFrame) -> pl.DataFrame:
    """Give each hit that has several places the one that counts, in place of none.

    Args:
        hits: Hits: query, rank, path, start, end, and others.
        copies: The places of those that have several.
        reached: The places through which targets were reached: query, rank, path, start, end.
    """
    location = ["path", "start", "end"]
    keys = ["query", "rank"]
    known = copies.select(*keys, *location)
    through = known.join(reached, on=[*keys, *location], how="semi", maintain_order="left")
    chosen = pl.concat([through, known]).unique(keys, keep="first", maintain_order=True)
    joined = hits.join(chosen, on=keys, how="left", suffix="_of_copy", maintain_order="left")
    several = pl.col("path_of_copy").is_not_null()
    taken = [pl.when(several).then(f"{name}_of_copy").otherwise(name).alias(name) for name in location]
    return joined.with_columns(taken).select(hits.columns)
