"""TREC run files: lines of query, Q0, id, rank, score and tag."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rankgate.errors import FormatError, Problem
from rankgate.files.compressed import write_text
from rankgate.files.paths import location_texts
from rankgate.files.problems import Problems
from rankgate.files.words import numbers, read_words
from rankgate.model.verdict import Answer
from rankgate.runs.store.tables import MemoryRun, Order, Shard

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rankgate.runs.store.tables import Run, RunShard

_NAMES = ("query", "Q0", "id", "rank", "score", "tag")
_STARTS = (pl.col("query") != pl.col("query").shift()).fill_null(value=True)
_BREAKS = r"[ \t\r\n\x0b\x0c\x00]|^$"


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


def write_trec_run(run: Run, path: str | Path, tag: str) -> tuple[str, ...]:
    """Write a run file and return what it cannot hold.

    A hit without an id is named by its location, ``path:10-50``; one without a location by ``?`` and its
    rank. A query with a hit that has no score is written with 1/rank as its scores, so that the order
    survives.

    Raises:
        FormatError: for names with white space, which a line of words cannot hold.
    """
    if not tag or tag.split() != [tag]:
        raise FormatError(Problem("tag", repr(tag), "one word"))
    disordered = 0

    def lines() -> Iterator[str]:
        nonlocal disordered
        for shard in run.shards():
            frame = _lines(shard, path, tag)
            disordered += _disordered(frame)
            yield frame.drop("null scores").write_csv(
                separator=" ", include_header=False, quote_style="never"
            )

    write_text(path, lines())
    warnings = list(_losses(run))
    if disordered:
        warnings.append(
            f"{disordered} queries whose scores do not give their order: read with order 'returned'"
        )
    return tuple(warnings)


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


def _lines(shard: RunShard, path: str | Path, tag: str) -> pl.DataFrame:
    hits = shard.scan_hits(("query", "rank", "id", "path", "start", "end", "score")).collect()
    names = _hit_names(hits)
    first = "words without white space that do not start with #"
    for values, pattern in ((hits["query"], _BREAKS + "|^#|^\ufeff"), (names, _BREAKS)):
        wrong = values.filter(values.str.contains(pattern)).unique(maintain_order=True)
        if wrong.len():
            found = f"{wrong.len()} {values.name} values such as {wrong[0]!r}"
            raise FormatError(Problem(str(path), found, first, "write JSONL or a folder instead"))
    unscored = pl.col("score").is_null().any().over("query")
    return hits.select(
        "query",
        pl.lit("Q0").alias("Q0"),
        names,
        "rank",
        pl.when(unscored).then(1 / pl.col("rank")).otherwise("score").cast(pl.String).alias("score"),
        pl.lit(tag).alias("tag"),
        unscored.alias("null scores"),
    )


def _disordered(frame: pl.DataFrame) -> int:
    """Count the queries that come back in another order when they are sorted as trec_eval sorts."""
    score = pl.col("score").cast(pl.Float64).cast(pl.Float32)
    same = pl.col("query") == pl.col("query").shift()
    wrong = same & (
        (score > score.shift()) | ((score == score.shift()) & (pl.col("id") > pl.col("id").shift()))
    )
    return int(frame.filter(wrong)["query"].n_unique())


def _hit_names(hits: pl.DataFrame) -> pl.Series:
    """Return one word for every hit: its id, its place, or its rank after a question mark."""
    unknown = pl.format("?{}", "rank")
    return hits.select(id=pl.coalesce("id", location_texts(hits).alias("place"), unknown)).to_series()


def _losses(run: Run) -> tuple[str, ...]:
    """Return in words, with counts, what a file of ids and scores does not hold."""
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
            "locations of hits that have an id left out": (named & located).sum(),
            "hits without an id written as their location": (~named & located).sum(),
            "hits without id or path written as ?rank": (~named & ~located).sum(),
            "null scores written as 1/rank": hits["score"].null_count(),
            "texts left out": hits["text"].count(),
            "numbers of matches left out": hits["matches"].count(),
        }
        for words, count in found.items():
            counts[words] = counts.get(words, 0) + int(count)
    return tuple(f"{count} {words}" for words, count in counts.items() if count)
