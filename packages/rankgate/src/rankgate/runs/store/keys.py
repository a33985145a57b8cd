"""Keys of hits: numbers that stand for a query and an id or a path, so that large runs join on integers.

A key has 64 bits, and beside it stand 32 bits of another hash of the same strings: two hits with one key are
told apart by them. Keys are made when a large shard is written and are compared with those of judgments, made
when it is scored; the strings stay beside them for every other reader.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import polars as pl

from rankgate.files.parquet import table_bytes
from rankgate.files.schema import Schema, TableColumn
from rankgate.runs.store.schemas import HITS
from rankgate.runs.store.tables import HasKeys

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankgate.runs.store.tables import RunShard

KEYED_ROWS = 20_000
"""How many hits a shard has at least whose hits get keys: below that strings join as fast."""
PROBE_KEY = "rankgate.keys"
"""The metadata key under which a file says how its keys were made: the key of a known pair."""
NAMES = ("id", "path")
"""The columns of hits that have keys."""
KEYED = Schema(
    "hits",
    (
        *HITS.columns,
        *(
            TableColumn(f"{name}_{part}", kind, nullable=True)
            for name in NAMES
            for part, kind in (("key", pl.UInt64()), ("check", pl.UInt32()))
        ),
    ),
)
"""The hits of a large shard, with their keys."""


def key_columns(name: str) -> list[str]:
    """Return the columns of the keys of ids or paths.

    >>> key_columns("id")
    ['id_key', 'id_check']
    """
    return [f"{name}_key", f"{name}_check"]


def keys_of(names: Iterable[str]) -> list[pl.Expr]:
    """Return what makes the keys of ids or paths, each with the query of its row; null where a name is."""
    made = []
    for name in names:
        there = pl.col(name).is_not_null()
        key, check = key_columns(name)
        made += [pl.when(there).then(_key(name)).alias(key), pl.when(there).then(_check(name)).alias(check)]
    return made


@cache
def probe() -> str:
    """Return the key and the check of a known pair: other releases of Polars may hash otherwise."""
    known = pl.DataFrame({"query": ["how to rotate a key"], "id": ["auth/keys.md"]})
    return ",".join(map(str, known.select(keys_of(["id"])).row(0)))


def hits_bytes(hits: pl.DataFrame, where: str) -> bytes:
    """Return the bytes of the file of the hits of a shard, with their keys where there are many.

    Raises:
        FormatError: for hits that do not fit their schema.
    """
    if hits.height < KEYED_ROWS:
        return table_bytes(hits, HITS, where)
    keyed = hits.with_columns(keys_of(NAMES))
    # A column that says nothing takes as long to read as one that does; one that is not there is null.
    said = [one for one in KEYED.columns if not one.nullable or keyed[one.name].null_count() < keyed.height]
    return table_bytes(keyed, Schema(KEYED.name, tuple(said)), where, {PROBE_KEY: probe()})


@dataclass(frozen=True, slots=True)
class JoinedHits:
    """The hits of a shard, to be joined with targets by a name that both have."""

    strings: pl.LazyFrame
    """The hits: query, rank, and the columns that are looked at."""
    keyed: pl.LazyFrame | None
    """The same with keys in place of strings; None where they have none."""

    @classmethod
    def of(cls, shard: RunShard, hits: pl.LazyFrame, columns: Sequence[str]) -> JoinedHits:
        """Take hits of a shard as they are stored, by their keys where it has some."""
        keys = [key for name in NAMES if name in columns for key in key_columns(name)]
        if not keys or not isinstance(shard, HasKeys):
            return cls(hits, None)
        others = [name for name in columns if name not in ("query", "text", *NAMES)]
        return cls(hits, shard.scan_keys([*others, *keys]))

    def down_to(self, rank: int) -> JoinedHits:
        """Leave out the hits below a rank."""
        above = pl.col("rank") <= rank
        return JoinedHits(
            self.strings.filter(above), None if self.keyed is None else self.keyed.filter(above)
        )

    def candidates(self, wanted: pl.DataFrame, name: str, columns: Mapping[str, pl.Expr]) -> pl.LazyFrame:
        """Scan each hit that has the key of a target: t of that, some columns, and those that are compared.

        Keys that were not stored are made while hits are read: to hash a name takes less than to compare it.

        Args:
            wanted: The key of each target, and its number as t.
            name: The column to join on beside the query: id, path or text.
            columns: What to return of the hits.
        """
        compared, keyed = self.compared(name), self._keyed(name)
        if keyed is None:
            hits = self.strings.select(*compared, key=_key(name), **columns)
        else:
            hits = keyed.select(*compared, key=key_columns(name)[0], **columns)
        return hits.join(wanted.lazy(), on="key").select("t", *columns, *compared)

    def compared(self, name: str) -> list[str]:
        """Return the columns that tell a name from another with the same key."""
        return ["query", name] if self._keyed(name) is None else key_columns(name)[1:]

    def _keyed(self, name: str) -> pl.LazyFrame | None:
        return self.keyed if name in NAMES else None


def _key(name: str) -> pl.Expr:
    return pl.col("query").hash(1) ^ pl.col(name).hash(2)


def _check(name: str) -> pl.Expr:
    both = pl.col("query").hash(3) ^ pl.col(name).hash(4)
    return (both // (1 << 32)).cast(pl.UInt32)
