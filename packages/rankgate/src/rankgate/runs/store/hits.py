"""The hits of a run read back: row by row, with their texts, or as one digest an answer."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from rankgate.errors import Code, FormatError
from rankgate.hit_classes import HitClass, HitCounts
from rankgate.model import Answer, KeptText
from rankgate.runs.store.columns import text_hash
from rankgate.runs.store.schemas import HITS
from rankgate.runs.store.tables import HoldsTexts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from rankgate.runs.store.tables import Run, RunShard

_TOGETHER = 64
"""How many shards are read at a time."""
_AT = "number of the shard"
_LOCATION = ("id", "path", "start", "end")


def collected(frame: pl.LazyFrame) -> pl.DataFrame:
    """Read and join piece by piece, so that the hits are never all in memory.

    Raises:
        FormatError: for files that cannot be read.
    """
    try:
        return frame.collect(engine="streaming")
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise FormatError(
            Code.DAMAGED_FILE("run", f"hits that cannot be read ({error})", "a run as it was written")
        ) from error


class HitRow(NamedTuple):
    """One hit, as the table of hits has it."""

    query: str
    """The query's id."""
    rank: int
    """Its rank, from 1."""
    id: str | None = None
    path: str | None = None
    """Its file."""
    start: int | None = None
    """Its first line."""
    end: int | None = None
    """Its last line."""
    score: float | None = None
    """What the system scored it."""
    text: str | None = None
    """The hash of its text."""
    tokens: int | None = None
    """What reading it costs."""
    start_char: int | None = None
    """Its first character, from 0."""
    end_char: int | None = None
    """The first character behind it."""
    hit_class: str | None = None
    """Where it ended, as `rankgate.hit_classes.HitClass` has it."""
    strategy: str | None = None
    """How it got there."""
    given: Mapping[str, Any] | None = None
    """The path and lines that the system gave, where they are others."""
    copies: Sequence[Mapping[str, Any]] | None = None
    """The places of a text that stands in several."""
    fields: str | None = None
    """What else the system returned, as JSON."""

    def __str__(self) -> str:
        return self.location or "a hit without a location"

    @property
    def location(self) -> str | None:
        """Its path and lines, or else its id; None where it has neither."""
        return location_text(self.id, self.path, self.start, self.end)

    @property
    def identity(self) -> tuple[object, ...]:
        """What makes two hits the same: path and lines, or else the id, or else the text."""
        if self.path is not None:
            return ("path", self.path, self.start, self.end)
        return ("id", self.id) if self.id is not None else ("text", self.text)

    @property
    def document(self) -> tuple[object, ...]:
        """What makes two hits the same document: the path, or else the id, or else the text."""
        return self.identity[:2]


def location_text(name: str | None, path: str | None, start: int | None, end: int | None) -> str | None:
    """Write a location of which the parts are known; None where it has neither path nor id.

    >>> location_text(None, "docs/a.md", 10, 20), location_text("a", None, None, None)
    ('docs/a.md:10-20', 'a')
    """
    if path is None or start is None:
        return name if path is None else path
    return f"{path}:{start}" if start == end else f"{path}:{start}-{end}"


def read_hits(
    run: Run, queries: Collection[str] | None = None, most: int | None = None
) -> dict[str, list[HitRow]]:
    """Read the hits of every query, or of some, the best first, and of each no more than `most`.

    Queries without hits are left out.
    """
    wanted = pl.lit(value=True) if most is None else pl.col("rank") <= most
    if queries is not None:
        # A series is made once, where a list would be made one for every read.
        names = pl.Series("query", list(queries), dtype=pl.String).unique()
        wanted &= pl.col("query").is_in(names.implode())
    found: dict[str, list[HitRow]] = {}
    for shards in _several(run.shards() if queries is None or queries else ()):
        scans = [
            shard.scan_hits(HITS.names).with_columns(pl.lit(at, pl.UInt8).alias(_AT))
            for at, shard in enumerate(shards)
        ]
        hits = pl.concat(scans).filter(wanted).sort(_AT, "query", "rank").drop(_AT).collect()
        for row in hits.iter_rows():
            found.setdefault(row[0], []).append(HitRow._make(row))
    return found


def _several(shards: Iterable[RunShard]) -> Iterator[list[RunShard]]:
    """Take some shards at a time: one read of many small files costs far less than a read of each."""
    every = iter(shards)
    while some := list(islice(every, _TOGETHER)):
        yield some


def kept_texts(run: Run, queries: Collection[str]) -> Iterator[KeptText]:
    """Iterate over the texts of the hits of some queries, each query's best first."""
    wanted = pl.Series("query", list(queries), dtype=pl.String).to_frame().lazy()
    for shard in run.shards():
        hits = shard.scan_hits(("query", "rank", "text")).join(wanted, on="query", how="semi").collect()
        if hits.is_empty():
            continue
        texts = dict(shard.read_texts().iter_rows()) if isinstance(shard, HoldsTexts) else {}
        for query, rank, name in hits.sort("query", "rank").iter_rows():
            text = texts.get(name)
            yield KeptText(query, rank, name, text, text is not None and text_hash(text) == name)


def hit_counts(run: Run) -> HitCounts:
    """Count the hits of a run by where they ended and how; those that were not placed are left out.

    So are those of a class that this version does not know.
    """
    known = set(HitClass)
    classes: Counter[str] = Counter()
    strategies: Counter[str] = Counter()
    for shard in run.shards():
        rows = shard.scan_hits(("class", "strategy")).group_by("class", "strategy").len().collect()
        for where, how, number in rows.iter_rows():
            if where in known:
                classes[where] += number
                strategies[how or ""] += number
    return HitCounts(classes, strategies)


def answer_digests(run: Run) -> pl.DataFrame:
    """Return one row a query: how it ended and its hits as one number, which differs where they do."""
    parts = []
    for shard in run.shards():
        hits = shard.scan_hits(("query", "rank", *_LOCATION)).collect().sort("query", "rank")
        lists = hits.group_by("query").agg(pl.struct(_LOCATION).alias("answer"))
        queries = shard.queries.select("query", "status")
        parts.append(
            queries.join(lists, on="query", how="left").select(
                "query", answer=pl.struct("status", "answer").hash(seed=0)
            )
        )
    return pl.concat(parts) if parts else pl.DataFrame(schema={"query": pl.String, "answer": pl.UInt64})


def tokens_estimated(run: Run) -> bool:
    """Check whether tokens of a run are estimates; of one that is placed while it is read, ask afterwards."""
    return bool(
        getattr(run, "estimated", False) or getattr(getattr(run, "manifest", None), "estimated", False)
    )


def error_texts(run: Run) -> dict[str, str]:
    """Return the queries with an error or a time-out, each with its message."""
    bad = pl.col("status").is_in([Answer.ERROR.value, Answer.TIMEOUT.value])
    return {
        query: error or ""
        for shard in run.shards()
        for query, error in shard.queries.filter(bad).select("query", "error").iter_rows()
    }


def errored_queries(run: Run) -> int:
    """Count the queries with an error or a time-out."""
    return len(error_texts(run))
