"""A generated run and its judgments, the same for every contender: string ids of 45 bytes, rows unsorted.

Each query has 100 hits and 12 judgments, six of them on returned documents and more often near the top.
Queries come in shards of 10,000, as a run is written; rows are shuffled within each, and in the judgments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgate.runs.store import schemas
from rankgate.runs.store.manifest import Manifest
from rankgate.runs.store.run_writer import RunWriter
from rankgate.runs.store.tables import Shard
from rankgate.truth.judgments.table import Judgments

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

HITS, JUDGED, DOCUMENTS, SHARD = 100, 12, 200_003, 10_000


@dataclass(frozen=True)
class FileShard:
    """One shard, read from Parquet as it lies there."""

    queries: pl.DataFrame
    path: Path

    def scan_hits(self, columns: Sequence[str]) -> pl.LazyFrame:
        """Promise some columns."""
        hits = pl.scan_parquet(self.path)
        known = hits.collect_schema().names()
        missing = [
            pl.lit(None, schemas.HITS.types[name]).alias(name) for name in columns if name not in known
        ]
        return hits.with_columns(missing).select(columns)


@dataclass(frozen=True)
class Generated:
    """The files of one size, and a run over them."""

    folder: Path
    rows: int
    name: str = "generated"

    @property
    def hits(self) -> str:
        """Where the hits are."""
        return str(self.folder / "hits-*.parquet")

    @property
    def stored(self) -> Path:
        """The folder of the same hits as a run that rankgate wrote."""
        return self.folder / "stored"

    @property
    def judgments(self) -> str:
        """Where the judgments are."""
        return str(self.folder / "judgments" / "judgments.parquet")

    def shards(self) -> Iterator[FileShard]:
        """Go through the shards."""
        for path in sorted(self.folder.glob("hits-*.parquet")):
            queries = pl.read_parquet(path.with_name(path.name.replace("hits", "queries")))
            yield FileShard(queries, path)


def generate(folder: Path, rows: int) -> Generated:
    """Write one size, unless it is there already."""
    made = Generated(folder, rows)
    done = folder / "done"
    if done.exists():
        return made
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(7)
    documents, judged = drawn_documents(), []
    for shard, first in enumerate(range(0, rows // HITS, SHARD)):
        queries = np.arange(first, min(first + SHARD, rows // HITS))
        judged.append(_shard(folder, shard, queries, documents, rng))
    targets = pl.concat(judged).sample(fraction=1, shuffle=True, seed=7)
    Judgments.of(targets).write(folder / "judgments")
    done.touch()
    return made


def store(made: Generated) -> None:
    """Write the hits as a run, unless they are there already."""
    done = made.folder / "stored-done"
    if done.exists():
        return
    with RunWriter(made.stored, Manifest("generated"), existing="replace") as writer:
        for shard in made.shards():
            hits = shard.scan_hits(schemas.HITS.names).collect()
            writer.add(Shard(schemas.QUERIES.conform(shard.queries, "queries"), hits, schemas.TEXTS.empty()))
    done.touch()


def _shard(
    folder: Path, shard: int, queries: np.ndarray, documents: pl.Series, rng: np.random.Generator
) -> pl.DataFrame:
    hits, answers, judged = drawn(queries, documents, rng)
    hits.write_parquet(folder / f"hits-{shard:05}.parquet")
    answers.write_parquet(folder / f"queries-{shard:05}.parquet")
    return judged


def drawn_documents() -> pl.Series:
    """Return the ids of all documents."""
    numbers = pl.Series(np.arange(DOCUMENTS)).hash(1).cast(pl.String).str.pad_start(20, "0")
    return "src/package/module_" + numbers + "/ab.py"


def drawn(
    queries: np.ndarray, documents: pl.Series, rng: np.random.Generator
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Return the hits of some queries, shuffled, how the queries ended, and their judgments by query."""
    many = len(queries)
    # DOCUMENTS is prime, so that steps through it never meet themselves.
    base, step = rng.integers(0, DOCUMENTS, (many, 1)), rng.integers(1, DOCUMENTS, (many, 1))
    returned = (base + step * np.arange(HITS)) % DOCUMENTS
    elsewhere = (base + step * np.arange(HITS, HITS + JUDGED // 2)) % DOCUMENTS
    shuffled = rng.permutation(many * HITS)
    rank = np.tile(np.arange(1, HITS + 1), many)
    names = _names(queries)
    hits = pl.DataFrame(
        {
            "query": names.gather(np.repeat(np.arange(many), HITS)[shuffled]),
            "rank": rank[shuffled].astype(np.uint32),
            "id": documents.gather(returned.ravel()[shuffled]),
            "score": ((HITS + 1 - rank) / HITS)[shuffled],
        }
    )
    said = {"query": names, "status": "ok", "latency_ms": None, "hits": np.uint32(HITS)}
    answers = pl.DataFrame(said, schema_overrides={"latency_ms": pl.Float64})
    near_top = np.argsort(rng.random((many, HITS)) * np.arange(1, HITS + 1), axis=1)[:, : JUDGED // 2]
    judged = np.concatenate([np.take_along_axis(returned, near_top, 1), elsewhere], axis=1)
    grades = rng.choice([0.0, 0.0, 1.0, 1.0, 2.0, 3.0], size=judged.shape)
    targets = pl.DataFrame(
        {
            "query": names.gather(np.repeat(np.arange(many), JUDGED)),
            "id": documents.gather(judged.ravel()),
            "grade": grades.ravel(),
        }
    )
    return hits, answers, targets


def _names(queries: np.ndarray) -> pl.Series:
    return "query-" + pl.Series(queries).cast(pl.String).str.pad_start(8, "0")
