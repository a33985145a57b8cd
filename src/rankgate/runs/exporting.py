"""What a run loses when it is written in a format that holds less."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rankgate.files.paths import places
from rankgate.model.verdict import Answer

if TYPE_CHECKING:
    from rankgate.runs.tables import Run


def hit_names(hits: pl.DataFrame) -> pl.Series:
    """Name every hit by one word: its id, its place, or its rank after a question mark."""
    unknown = pl.format("?{}", "rank")
    return hits.select(id=pl.coalesce("id", places(hits).alias("place"), unknown)).to_series()


def losses(run: Run) -> tuple[str, ...]:
    """Tell in words, with counts, what a file of ids and scores does not hold."""
    counts: dict[str, int] = {}
    for shard in run.shards():
        queries = shard.queries
        hits = shard.scan_hits(("id", "path", "score", "text", "tokens", "matches")).collect()
        located = hits["path"].is_not_null()
        named = hits["id"].is_not_null()
        found = {
            "queries without hits left out": (queries["hits"] == 0).sum(),
            "statuses other than ok left out": (queries["status"] != Answer.OK.value).sum(),
            "latencies left out": queries["latency_ms"].count(),
            "token counts left out": queries["tokens"].count() + hits["tokens"].count(),
            "places of hits that have an id left out": (named & located).sum(),
            "hits without an id written as their place": (~named & located).sum(),
            "hits without id or path written as ?rank": (~named & ~located).sum(),
            "null scores written as 1/rank": hits["score"].null_count(),
            "texts left out": hits["text"].count(),
            "numbers of matches left out": hits["matches"].count(),
        }
        for words, count in found.items():
            counts[words] = counts.get(words, 0) + int(count)
    return tuple(f"{count} {words}" for words, count in counts.items() if count)
