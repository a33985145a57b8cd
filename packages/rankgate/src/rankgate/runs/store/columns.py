"""The answers of a shard as columns: what rankings hold, put one behind the other, and the texts beside it.

A `ColumnRanking` has its columns already, and none of its hits becomes an object on the way. Those of other
rankings are made here, once.
"""

from __future__ import annotations

import hashlib
import json
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import polars as pl

from rankgate.model import ColumnRanking
from rankgate.runs.store.schemas import HITS, TEXTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from rankgate.model import Hit, Ranking

TextLevel: TypeAlias = Literal["none", "snippet", "full"]
"""How much of the returned texts a run keeps."""
Place: TypeAlias = "Callable[[pl.DataFrame, Sequence[str | None]], pl.DataFrame]"
"""Gives hits their locations, of which it sees the texts as they came."""

SNIPPET_BYTES = 4096
"""How much of a text a snippet keeps, in bytes of UTF-8."""
_STRINGS, _COUNTS = ("id", "path", "text"), ("start", "end", "tokens")
_NOTHING = {
    name: pl.Series(name, [None], kind)
    for names, kind in ((_STRINGS, pl.String), (_COUNTS, pl.UInt32), (("score",), pl.Float64))
    for name in names
}
_ALWAYS = ("id", "path", "start", "end", "score", "text", "tokens")
_OFFSETS = ("start_char", "end_char", "unit")


def hit_count(ranking: Ranking) -> int:
    """Return how many hits a ranking has."""
    return ranking.size if isinstance(ranking, ColumnRanking) else len(ranking.hits)


def hits_and_texts(
    rankings: Mapping[str, Ranking], level: TextLevel = "none", place: Place | None = None
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Make the tables of hits and of texts that `Shard.of` checks."""
    sizes = [hit_count(ranking) for ranking in rankings.values()]
    found = _columns(rankings.values(), sizes)
    if "unit" in found and found["start_char"] == found["end_char"]:
        # None shows anything.
        for name in _OFFSETS:
            del found[name]
    total = sum(sizes)
    texts = found.pop("text", None)
    if texts is not None:
        found["text"] = [None if text is None else text_hash(text) for text in texts]
    columns: dict[str, Sequence[object] | pl.Series] = {
        "query": [*chain.from_iterable(map(repeat, rankings, sizes))],
        "rank": pl.Series(chain.from_iterable(range(1, size + 1) for size in sizes), dtype=pl.UInt32),
        **{name: found.get(name) or _NOTHING[name].new_from_index(0, total) for name in _ALWAYS},
        **{name: found[name] for name in (*_OFFSETS, "fields") if name in found},
    }
    table = HITS.of_columns(columns)
    if place is not None and total:
        table = place(table, texts or [None] * total)
    if level == "none" or texts is None:
        return table, TEXTS.empty()
    cut = _whole if level == "full" else snippet
    kept = {name: text for name, text in zip(found["text"], texts, strict=True) if text is not None}
    return table, TEXTS.of_rows([(name, cut(text)) for name, text in kept.items()])


def _columns(rankings: Iterable[Ranking], sizes: Sequence[int]) -> dict[str, list[Any]]:
    """Put the columns of rankings one behind the other; those that none of them has are left out."""
    parts = [one.columns if isinstance(one, ColumnRanking) else _of_hits(one.hits) for one in rankings]
    names = dict.fromkeys(chain.from_iterable(parts))
    return {
        name: [
            *chain.from_iterable(
                part[name] if name in part else repeat(None, size)
                for part, size in zip(parts, sizes, strict=True)
            )
        ]
        for name in names
    }


def _of_hits(hits: Sequence[Hit]) -> dict[str, list[Any]]:
    """Return the columns of hits, without those that none of them has."""
    lines = [hit.lines for hit in hits]
    offsets = [hit.characters for hit in hits]
    columns: dict[str, list[Any]] = {
        "id": [hit.id for hit in hits],
        "path": [hit.path for hit in hits],
        "start": [None if one is None else one.start for one in lines],
        "end": [None if one is None else one.end for one in lines],
        "score": [None if hit.score is None else float(hit.score) for hit in hits],
        "text": [hit.text for hit in hits],
        "tokens": [hit.tokens for hit in hits],
        "fields": [None if hit.fields is None else json.dumps(hit.fields, default=str) for hit in hits],
    }
    known = {name: column for name, column in columns.items() if column.count(None) < len(column)}
    if offsets.count(None) < len(offsets):
        known["start_char"] = [None if one is None else one.start for one in offsets]
        known["end_char"] = [None if one is None else one.end for one in offsets]
        known["unit"] = [None if one is None else one.unit for one in offsets]
    return known


def text_hash(text: str) -> str:
    """Return the hash of a text, whole, whatever part of it is kept."""
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:32]


def snippet(text: str) -> str:
    """Cut a text to `SNIPPET_BYTES`, never inside a character.

    >>> len(snippet("é" * 4000).encode())
    4096
    """
    return text.encode(errors="replace")[:SNIPPET_BYTES].decode(errors="ignore")


def _whole(text: str) -> str:
    # Half of a surrogate pair is a string to Python and to nobody else.
    return text.encode(errors="replace").decode()
