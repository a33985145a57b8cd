"""The checks that the tables of a run pass before they are written or scored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rankgate.errors import Problem
from rankgate.files.paths import lines_check, normalise_paths
from rankgate.files.problems import Problems, repeats
from rankgate.model.verdict import Answer

if TYPE_CHECKING:
    from rankgate.files.problems import Check


def checked_hits(hits: pl.DataFrame, where: str) -> pl.DataFrame:
    """Check hits that fit their schema; put each query's hits together, best first.

    Raises:
        FormatError: for ranks that are not 1..n, and for paths, lines and scores that cannot be.
    """
    problems = Problems(where)
    hits = _checked_values(hits, problems, lines_check())
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
    known, latency = [answer.value for answer in Answer], pl.col("latency_ms")
    wrong = ~latency.is_finite() | (latency < 0)
    problems.add_where(
        queries,
        (~pl.col("status").is_in(known), "status {status!r}", f"one of {', '.join(known)}"),
        (wrong, "latency_ms {latency_ms}", "a number from 0 up, or null"),
    )
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


def checked_texts(texts: pl.DataFrame, where: str) -> pl.DataFrame:
    """Check texts that fit their schema.

    Raises:
        FormatError: for a hash that names two texts.
    """
    texts = texts.unique(maintain_order=True)
    problems = Problems(where)
    problems.add_rows(
        repeats(texts.get_column("hash")),
        lambda row: Problem(f"{where}: texts {row['hash']!r}", "different texts", "one text a hash"),
    )
    problems.check()
    return texts


def _checked_values(hits: pl.DataFrame, problems: Problems, *more: Check) -> pl.DataFrame:
    hits = normalise_paths(hits, problems)
    nan: Check = pl.col("score").is_nan(), "score NaN at rank {rank}", "a number or null"
    problems.add_where(hits, nan, *more)
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
