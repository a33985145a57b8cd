"""`just bench-billion`: a billion hits scored by one process and in ten parts.

    python benchmarks/billion.py make [ROWS]     # once; 10^9 rows take 38 GB and half an hour
    python benchmarks/billion.py score [ROWS]    # exit code 1 where means differ or a limit is passed

Judgments are Parquet sorted by query, one table for all and one for each tenth. Each tenth of the shards is
a run of its own, by links to the files of the whole. Hits have no scores, so that all of it fits into 40 GB.
Every figure is that of a `rankgate score` in a process of its own: the first tenth, all of it, and every
tenth by itself. Means of the parts are put together from the values of their queries. The page cache is
emptied before each, where that is allowed, so that small runs are read from the disk as large ones are.
"""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from generated import HITS, SHARD, drawn, drawn_documents
from rankgate.runs.store import schemas
from rankgate.runs.store.manifest import Manifest
from rankgate.runs.store.run_folder import StoredRun
from rankgate.runs.store.run_writer import RunWriter
from rankgate.runs.store.tables import Shard
from score_cost import Cost, scored

ROWS = int(float(sys.argv[2])) if len(sys.argv) > 2 else 10**9
FOLDER = Path(__file__).parent.parent / ".benchmarks" / f"billion-{ROWS:.0e}"
RUN, JUDGED = FOLDER / "run", FOLDER / "judged.parquet"
PARTS = 10
LINEAR, MOST = 1.10, 4


def make() -> None:
    """Write the shards and the judgments, a part at a time, unless they are there already."""
    if (FOLDER / "done").exists():
        return
    FOLDER.mkdir(parents=True)
    documents, rng = drawn_documents(), np.random.default_rng(7)
    part = ROWS // HITS // PARTS
    with RunWriter(RUN, Manifest("generated"), existing="replace") as writer:
        for number in range(PARTS):
            judged = []
            for first in range(number * part, (number + 1) * part, SHARD):
                queries = np.arange(first, min(first + SHARD, (number + 1) * part))
                hits, answers, targets = drawn(queries, documents, rng)
                answers = schemas.QUERIES.conform(answers, "queries")
                hits = schemas.HITS.conform(hits.drop("score"), "hits")
                writer.add(Shard(answers, hits, schemas.TEXTS.empty()))
                judged.append(targets)
            pl.concat(judged).write_parquet(_judged(number), compression="lz4")
            print(f"part {number + 1} of {PARTS}", flush=True)
    files = [_judged(number) for number in range(PARTS)]
    pl.scan_parquet(files, glob=False).sink_parquet(JUDGED, compression="lz4")
    _name_parts()
    (FOLDER / "done").touch()


def _judged(part: int) -> Path:
    return FOLDER / f"judged-{part}.parquet"


def _part(part: int) -> Path:
    return FOLDER / f"part-{part}"


def _name_parts() -> None:
    """Make a run of each tenth: its own manifest, and links to the files of its shards."""
    shards = StoredRun.open(RUN).manifest.shards
    each = len(shards) // PARTS
    for number in range(PARTS):
        folder, these = _part(number), shards[number * each : (number + 1) * each]
        folder.mkdir()
        for entry in these:
            for name in ("queries", "hits", "texts"):
                file = f"{name}-{entry.number:05d}.parquet"
                (folder / file).hardlink_to(RUN / file)
        manifest = replace(StoredRun.open(RUN).manifest, shards=tuple(these))
        (folder / "manifest.json").write_text(manifest.to_json(), encoding="utf-8")


def _shown(name: str, cost: Cost, rows: int) -> None:
    print(
        f"{name:24} {rows:.0e} rows  {cost.clock:7.1f} s, {cost.processor:7.1f} s of the processor, "
        f"{cost.memory:.2f} GiB, {rows / cost.processor:,.0f} rows per core-second",
        flush=True,
    )


def _in_parts() -> list[Path]:
    """Score every part by itself, and return the files of their values."""
    files = [FOLDER / f"scores-{number}.parquet" for number in range(PARTS)]
    for number, file in enumerate(files):
        cost = scored(_part(number), _judged(number), "-o", str(file))
        _shown(f"part {number + 1} of {PARTS}", cost, ROWS // PARTS)
    return files


def _joined(files: list[Path]) -> dict[str, float]:
    """Return the means of the values of all parts."""
    means = {}
    for metric in pl.read_parquet(files[0], columns=["metric"])["metric"].unique():
        some = (
            pl.scan_parquet(files).filter(pl.col("metric") == metric).select("value").drop_nulls().collect()
        )
        means[metric] = math.fsum(some["value"]) / len(some)
    return means


def score() -> None:
    """Score everything in every way, and compare."""
    tenth = scored(_part(0), _judged(0))
    _shown("the first tenth", tenth, ROWS // PARTS)
    whole = scored(RUN, JUDGED)
    _shown("in one process", whole, ROWS)
    print(f"means: {whole.means}")
    ratios = {
        "clock": whole.clock / (PARTS * tenth.clock),
        "processor": whole.processor / (PARTS * tenth.processor),
    }
    print(
        "time over ten times that of the first tenth: " + ", ".join(f"{k} {v:.3f}" for k, v in ratios.items())
    )
    means = _joined(_in_parts())
    print(f"in ten parts: {'the same means to the last digit' if means == whole.means else means}")
    if means != whole.means or ratios["processor"] > LINEAR:
        sys.exit(1)
    if whole.memory > MOST:
        sys.exit(f"{whole.memory:.2f} GiB is more than 4")


if __name__ == "__main__":
    {"make": make, "score": score}[sys.argv[1]]()
