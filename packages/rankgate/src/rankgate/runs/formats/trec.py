"""TREC run files: lines of query, Q0, id, rank, score and tag."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rankgate.io.problems import Problems
from rankgate.io.words import numbers, read_words
from rankgate.runs.store.tables import MemoryRun, Order, Shard

if TYPE_CHECKING:
    from pathlib import Path


_NAMES = ("query", "Q0", "id", "rank", "score", "tag")
_STARTS = (pl.col("query") != pl.col("query").shift()).fill_null(value=True)


def read_trec_run(path: str | Path, *, order: Order = "trec") -> MemoryRun:
    """Read a run file.

    In `trec` order the hits of a query are sorted by score, as float32, and equal scores by id, both
    descending; the rank column is ignored, as trec_eval does. In `returned` order they are sorted by the rank
    column, equal ranks as in the file. Ranks then count from 1. An id that a query has twice keeps both.

    Raises:
        FormatError: with all that is wrong with the file.
    """
    said: list[str] = []
    words = read_words(path, _NAMES, kind="a TREC run file", notes=said)
    problems = Problems(str(path))
    scores = numbers(words, "score", path, problems)
    ranks = numbers(words, "rank", path, problems) if order == "returned" else None
    problems.check()
    tags = words["tag"].unique(maintain_order=True)
    hits = words.select(
        "query", "id", "line", scores, position=scores.cast(pl.Float32) if ranks is None else ranks
    )
    del words
    hits = _sorted(hits, order)
    row = pl.int_range(pl.len(), dtype=pl.UInt32)
    rank = row - pl.when(_STARTS).then(row).forward_fill() + 1
    hits = hits.select("query", rank.alias("rank"), "id", "score")
    queries = hits.group_by("query", maintain_order=True).agg(hits=pl.len())
    shard = Shard.of(queries, hits, where=str(path))
    name = tags[0] if tags.len() else str(path)
    return MemoryRun(name, (shard,), notes=(*said, *_notes(hits, tags)), order=order)


def _sorted(hits: pl.DataFrame, order: Order) -> pl.DataFrame:
    second = "id" if order == "trec" else "line"
    sign = order == "trec"
    here, before = pl.col("position"), pl.col("position").shift()
    later = (here < before) if sign else (here > before)
    tie = (pl.col("id") <= pl.col("id").shift()) if sign else pl.lit(value=True)
    good, blocks, queries = hits.select(
        good=(_STARTS | later | ((here == before) & tie)).all(),
        blocks=_STARTS.sum(),
        queries=pl.col("query").n_unique(),
    ).row(0)
    if good and blocks == queries:
        return hits
    block = pl.col("line").min().over("query")
    return hits.with_columns(block=block).sort(
        "block", "position", second, descending=[False, sign, sign], maintain_order=True
    )


def _notes(hits: pl.DataFrame, tags: pl.Series) -> tuple[str, ...]:
    notes = []
    # Hashes that all differ prove that the pairs do; only otherwise is the dearer count needed.
    different = hits.select(pair=pl.col("query").hash() ^ pl.col("id").hash(1))["pair"].n_unique()
    if different < hits.height and (repeats := hits.height - hits.select("query", "id").n_unique()):
        notes.append(f"{repeats} hits repeat an id of their query and keep their rank")
    if tags.len() > 1:
        notes.append(f"{tags.len()} different tags; the run is named by the first")
    return tuple(notes)
