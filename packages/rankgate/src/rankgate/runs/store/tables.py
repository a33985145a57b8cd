"""The tables of a run in shards, and what is checked before they are used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, runtime_checkable

import polars as pl

from rankgate.errors import Code
from rankgate.io.parquet import characters_check, lines_check, normalise_paths
from rankgate.io.problems import Problems, repeats
from rankgate.model import Answer, Hit, Ranking
from rankgate.runs.store.columns import hits_and_texts
from rankgate.runs.store.schemas import HITS, QUERIES, TEXTS

if TYPE_CHECKING:
    from typing import Self

    from rankgate.io.problems import Check
    from rankgate.runs.store.columns import Place, TextLevel


Order: TypeAlias = Literal["returned", "trec"]
"""Where the order of a ranking comes from: the system, or the scores as trec_eval sorts them."""
Answers: TypeAlias = Mapping[str, Ranking | Sequence[Hit | str]]
"""Rankings by query; a plain string is the id of a hit."""


class RunShard(Protocol):
    """Some queries of a run and all their hits, which are stored together."""

    @property
    def queries(self) -> pl.DataFrame:
        """One row per query, as `QUERIES` says."""
        ...

    def scan_hits(self, columns: Sequence[str]) -> pl.LazyFrame:
        """Scan these columns of `HITS`, read when they are collected."""
        ...


@runtime_checkable
class HoldsTexts(Protocol):
    """A shard that can give the texts it kept."""

    def read_texts(self) -> pl.DataFrame:
        """Read the texts, as `TEXTS` says."""
        ...


@runtime_checkable
class MayChange(Protocol):
    """A run in files that anybody may write to while they are read."""

    def check_unchanged(self) -> None:
        """Raise an `InputError` where a file is another one than was opened."""
        ...


class Run(Protocol):
    """Anything that has answers: a folder, a file that was read, or a table in memory."""

    @property
    def name(self) -> str:
        """What reports call it."""
        ...

    def shards(self) -> Iterator[RunShard]:
        """Iterate over the shards; no query is in two of them."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Shard:
    """A shard in memory. Made by `Shard.of` or `Shard.of_rankings`, which check it.

    >>> Shard.of_rankings({"q1": ["b", "a"], "q2": []}).queries.select("query", "status", "hits").rows()
    [('q1', 'ok', 2), ('q2', 'ok', 0)]
    """

    queries: pl.DataFrame
    """One row per query."""
    hits: pl.DataFrame
    """One row per hit; a query's hits stand together, best first."""
    texts: pl.DataFrame
    """One row per text that was kept."""

    @classmethod
    def of(
        cls,
        queries: pl.DataFrame,
        hits: pl.DataFrame,
        texts: pl.DataFrame | None = None,
        *,
        where: str = "shard",
    ) -> Self:
        """Check tables, fill what has a default, normalise paths, and put each query's hits in order.

        Raises:
            FormatError: with all that is wrong with them.
        """
        hits = checked_hits(HITS.conform(hits, where), where)
        if "hits" not in queries.columns:
            counts = hits.group_by("query").agg(hits=pl.len())
            queries = queries.join(counts, on="query", how="left", maintain_order="left")
            queries = queries.with_columns(pl.col("hits").fill_null(0))
        queries = checked_queries(QUERIES.conform(queries, where), hits, where)
        texts = TEXTS.empty() if texts is None else checked_texts(TEXTS.conform(texts, where), where)
        return cls(queries, hits, texts)

    @classmethod
    def of_rankings(cls, rankings: Answers, *, texts: TextLevel = "none") -> Self:
        """Make a shard of rankings that were answered without an error.

        Raises:
            FormatError: for what `Shard.of` refuses.
        """
        whole = {
            query: answer if isinstance(answer, Ranking) else Ranking(tuple(map(_hit, answer)))
            for query, answer in rankings.items()
        }
        queries = [
            (query, Answer.OK.value, None, 1, None, ranking.tokens, len(ranking.hits), None, None)
            for query, ranking in whole.items()
        ]
        return cls.of_answers(QUERIES.of_rows(queries), whole, texts)

    @classmethod
    def of_answers(
        cls,
        queries: pl.DataFrame,
        rankings: Mapping[str, Ranking],
        texts: TextLevel,
        place: Place | None = None,
    ) -> Self:
        """Make a shard of rankings, and of queries that list each of them once, with its hits counted.

        Ranks, lines and counts are then right by themselves; what else the hits hold is checked.

        Args:
            queries: One row per query.
            rankings: The hits by query.
            texts: How much of their texts is kept.
            place: Gives the hits their locations.

        Raises:
            FormatError: for values that the tables cannot hold.
        """
        hits, kept = hits_and_texts(rankings, texts, place)
        where = "shard"
        return cls(
            QUERIES.conform(queries, where),
            checked_values(HITS.conform(hits, where), where),
            TEXTS.conform(kept, where),
        )

    def scan_hits(self, columns: Sequence[str]) -> pl.LazyFrame:
        """Scan these columns of the hits."""
        return self.hits.lazy().select(columns)

    def read_texts(self) -> pl.DataFrame:
        """Return the texts."""
        return self.texts


class MemoryRun:
    """A run that is in memory.

    >>> MemoryRun("bm25", [Shard.of_rankings({"q1": ["a"]})]).name
    'bm25'
    """

    def __init__(
        self,
        name: str,
        shards: Sequence[Shard],
        *,
        notes: Sequence[str] = (),
        order: Order = "returned",
        estimated: bool = False,
    ) -> None:
        self.name = name
        self.notes = tuple(notes)
        """What an import dropped, merged or found odd, in words and with counts."""
        self.order: Order = order
        """Where the order of the rankings comes from."""
        self.estimated = estimated
        """True where tokens of hits are an estimate."""
        self._shards = tuple(shards)

    def shards(self) -> Iterator[Shard]:
        """Iterate over the shards."""
        return iter(self._shards)


def _hit(item: Hit | str) -> Hit:
    return Hit(id=item) if isinstance(item, str) else item


def checked_hits(hits: pl.DataFrame, where: str) -> pl.DataFrame:
    """Check hits that fit their schema; put each query's hits together, best first.

    Raises:
        FormatError: for ranks that are not 1..n, and for paths, lines and scores that cannot be.
    """
    problems = Problems(where)
    hits = _checked_values(hits, problems, lines_check(), characters_check())
    if not _in_order(hits):
        first = pl.col("row").min().over("query").alias("block")
        hits = (
            hits.with_row_index("row").with_columns(first).sort("block", "rank", "row").drop("block", "row")
        )
        _check_ranks(hits, problems)
    problems.check()
    return hits


def checked_values(hits: pl.DataFrame, where: str) -> pl.DataFrame:
    """Check what the hits of rankings may hold though their types are right: paths, and scores that are NaN.

    Raises:
        FormatError: for these.
    """
    problems = Problems(where)
    hits = _checked_values(hits, problems)
    problems.check()
    return hits


def checked_queries(queries: pl.DataFrame, hits: pl.DataFrame, where: str) -> pl.DataFrame:
    """Check queries that fit their schema against the hits.

    Raises:
        FormatError: for unknown statuses, queries said twice, and hits that are not counted.
    """
    problems = Problems(where)
    problems.add_queries(repeats(queries.get_column("query")), "more than one row", "one row a query")
    _check_statuses(queries, problems)
    counts = hits.lazy().group_by("query", maintain_order=True).agg(found=pl.len())
    both = (
        queries.lazy()
        .join(counts, on="query", how="left", maintain_order="left")
        .with_columns(pl.col("found").fill_null(0))
        .collect()
    )
    # Of queries that are listed once, the hits add up to all hits unless some query is not listed.
    if problems.total or both.get_column("found").sum() != hits.height:
        unlisted = counts.join(queries.lazy(), on="query", how="anti", maintain_order="left").collect()
        problems.add_queries(unlisted, "{found} hits of an unlisted query", "every query listed")
    if not both.get_column("hits").equals(both.get_column("found")):
        miscounted = both.filter(pl.col("hits") != pl.col("found"))
        problems.add_queries(miscounted, "{found} hits", "{hits}, as the query says")
    problems.check()
    return queries


def checked_statuses(queries: pl.DataFrame, where: str) -> pl.DataFrame:
    """Check queries by themselves, without their hits.

    Raises:
        FormatError: for what does not fit the schema, unknown statuses and latencies that cannot be.
    """
    queries = QUERIES.conform(queries, where)
    problems = Problems(where)
    _check_statuses(queries, problems)
    problems.check()
    return queries


def _check_statuses(queries: pl.DataFrame, problems: Problems) -> None:
    known, latency = [answer.value for answer in Answer], pl.col("latency_ms")
    wrong = ~latency.is_finite() | (latency < 0)
    problems.add_where(
        queries,
        (~pl.col("status").is_in(known), "status {status!r}", f"one of {', '.join(known)}"),
        (wrong, "latency_ms {latency_ms}", "a number from 0 up, or null"),
    )


def checked_texts(texts: pl.DataFrame, where: str) -> pl.DataFrame:
    """Check texts that fit their schema.

    Raises:
        FormatError: for a hash that names two texts.
    """
    texts = texts.unique(maintain_order=True)
    problems = Problems(where)
    problems.add_rows(
        repeats(texts.get_column("hash")),
        lambda row: Code.DAMAGED_FILE(
            f"{where}: texts {row['hash']!r}", "different texts", "one text a hash"
        ),
    )
    problems.check()
    return texts


def _checked_values(hits: pl.DataFrame, problems: Problems, *more: Check) -> pl.DataFrame:
    hits = normalise_paths(hits, problems)
    nan: Check = pl.col("score").is_nan(), "score NaN at rank {rank}", "a number or null"
    checks = (nan, *more) if hits.get_column("score").is_nan().any() else more
    if checks:
        problems.add_where(hits, *checks)
    return hits


def _in_order(hits: pl.DataFrame) -> bool:
    """Return whether ranks run 1..n in one block a query: the usual case, and far cheaper than a sort."""
    starts = (pl.col("query") != pl.col("query").shift()).fill_null(value=True)
    expected = pl.when(starts).then(1).otherwise(pl.col("rank").shift() + 1)
    facts = hits.select(
        good=(pl.col("rank") == expected).all(), blocks=starts.sum(), queries=pl.col("query").n_unique()
    )
    good, blocks, queries = facts.row(0)
    return bool(good) and blocks == queries


def _check_ranks(hits: pl.DataFrame, problems: Problems) -> None:
    """Find the queries whose ranks, already sorted, are not 1..n."""
    wrong = hits.filter(pl.col("rank") != pl.int_range(1, pl.len() + 1).over("query"))
    first = wrong.unique("query", keep="first", maintain_order=True)
    problems.add_queries(first, "rank {rank}", "ranks 1..n without gap or repeat")
