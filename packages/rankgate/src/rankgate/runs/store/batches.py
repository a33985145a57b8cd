"""Shards gathered into batches, as scoring goes through a run: few, so that little is done many times."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import polars as pl

from rankgate.progress import heard

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rankgate.runs.store.tables import RunShard

Item = TypeVar("Item")

BATCH_HITS = 5_000_000
"""How many hits are joined at a time; what is held in memory is their judgments and what they found."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Some shards, which together are a shard as well."""

    parts: tuple[RunShard, ...]
    """The shards."""
    queries: pl.DataFrame
    """The queries of all of them."""

    def scan_hits(self, columns: Sequence[str]) -> pl.LazyFrame:
        """Scan these columns of the hits of all of them."""
        return pl.concat([part.scan_hits(columns) for part in self.parts])


def batches(shards: Iterable[RunShard], most: int = BATCH_HITS) -> Iterator[Batch]:
    """Gather shards until they have `most` hits; a larger shard is a batch of its own."""
    parts: list[RunShard] = []
    queries: list[pl.DataFrame] = []
    hits = 0
    for shard in shards:
        table = shard.queries.select("query", "status", "latency_ms", "hits")
        many = int(table["hits"].sum())
        if parts and hits + many > most:
            yield Batch(tuple(parts), pl.concat(queries))
            parts, queries, hits = [], [], 0
        parts.append(shard)
        queries.append(table)
        hits += many
    if parts:
        yield Batch(tuple(parts), pl.concat(queries))


def one_ahead(items: Iterable[Item]) -> Iterator[Item]:
    """Return the same items, the next one always under way in a thread.

    Reading and joining release the interpreter's lock, so that they overlap with arithmetic on arrays.

    >>> list(one_ahead(range(3)))
    [0, 1, 2]
    """
    source, end = iter(items), object()
    following = heard(lambda: next(source, end))
    with ThreadPoolExecutor(max_workers=1) as thread:
        coming = thread.submit(following)
        while (item := coming.result()) is not end:
            coming = thread.submit(following)
            yield item  # type: ignore[misc]
