"""Shards gathered into batches, as scoring goes through a run: few, so that little is done many times."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import polars as pl

from rankgate.progress import heard
from rankgate.runs.store.keys import NAMES, key_columns, keys_of
from rankgate.runs.store.schemas import HITS
from rankgate.runs.store.tables import HasKeys

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rankgate.runs.store.tables import RunShard

LEFT_OUT = "left_out"
"""The column, of queries whose rankings lack hits that came back, of how many they lack."""
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

    def scan_keys(self, columns: Sequence[str]) -> pl.LazyFrame | None:
        """Scan these columns of the hits and of their keys; None where no shard has keys.

        Small shards of a large run have none; theirs are made while they are read.
        """
        scans = [part.scan_keys(columns) if isinstance(part, HasKeys) else None for part in self.parts]
        if all(scan is None for scan in scans):
            return None
        names = [name for name in NAMES if {*key_columns(name)} & {*columns}]
        stored = ["query", *names, *(name for name in columns if name in HITS.types)]
        return pl.concat(
            part.scan_hits([*dict.fromkeys(stored)]).with_columns(keys_of(names)).select(columns)
            if scan is None
            else scan
            for part, scan in zip(self.parts, scans, strict=True)
        )


def batches(shards: Iterable[RunShard], most: int = BATCH_HITS) -> Iterator[Batch]:
    """Gather shards until they have `most` hits; a larger shard is a batch of its own."""
    parts: list[RunShard] = []
    queries: list[pl.DataFrame] = []
    hits = 0
    for shard in shards:
        table = shard.queries
        table = table[[name for name in ("query", "status", "latency_ms", "hits", LEFT_OUT) if name in table]]
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
