"""The texts that a run kept, hit by hit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from rankgate.runs.tables import HoldsTexts, text_hash

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from rankgate.runs.tables import Run


@dataclass(frozen=True, slots=True)
class KeptText:
    """What a run has of the text of one hit."""

    query: str
    """The query."""
    rank: int
    """The hit's rank, from 1."""
    hash: str | None
    """The name of the text that was returned; None where none was."""
    text: str | None
    """What was kept of it; None where nothing was."""

    @property
    def whole(self) -> bool:
        """False where only the start was kept."""
        return self.text is not None and text_hash(self.text) == self.hash


def kept_texts(run: Run, queries: Collection[str]) -> Iterator[KeptText]:
    """Go through the hits of some queries, each query's best first."""
    wanted = pl.Series("query", list(queries), dtype=pl.String).to_frame().lazy()
    for shard in run.shards():
        hits = shard.scan_hits(("query", "rank", "text")).join(wanted, on="query", how="semi").collect()
        if hits.is_empty():
            continue
        texts = dict(shard.read_texts().iter_rows()) if isinstance(shard, HoldsTexts) else {}
        for query, rank, name in hits.sort("query", "rank").iter_rows():
            yield KeptText(query, rank, name, texts.get(name))
