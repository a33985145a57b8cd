"""`just bench-sample ROWS`: a log of searches counted, folded and sampled, in one pass and within memory.

The log is drawn as logs are: how often a query is asked falls with its rank, and many are asked once. It is
written in files of ten million rows, and sampled by the command itself in a process of its own, whose memory
is what the system says of it. Beside it, Polars alone counts the same queries, unfolded.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

GIGABYTES = 4.0
FILE_ROWS = 10_000_000
ASKED_ONCE = 0.2
"""How many rows have a query that nobody else asks; in public logs about a quarter of the queries differ."""
BARE = """
import sys, polars as pl
scan = pl.concat([pl.scan_parquet(path) for path in sys.argv[1:]])
print(scan.group_by("query").agg(pl.len()).collect(engine="streaming").height)
"""


def main() -> int:
    """Write the log, sample it, and judge the memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=float, nargs="?", default=1e7)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = _write(folder, int(given.rows), given.seed)
        size = sum(Path(path).stat().st_size for path in files) / 1e9
        print(f"{int(given.rows):,} rows in {len(files)} files, {size:.1f} GB")
        rankgate = str(Path(sys.executable).with_name("rankgate"))
        words = [rankgate, "suite", "sample", *files, "-n", "1000", "-o", str(folder / "s.suite.jsonl")]
        seconds, held = _timed(words)
        bare, _ = _timed([sys.executable, "-c", BARE, *files])
    per_second = given.rows / seconds
    said = f"{seconds:.0f} s, {per_second / 1e6:.1f} million rows a second, {held:.2f} GiB resident"
    print(f"suite sample: {said}, at most {GIGABYTES:g}; Polars counting alone {bare:.0f} s")
    return int(held > GIGABYTES)


def _write(folder: Path, rows: int, seed: int) -> list[str]:
    draw = np.random.default_rng(seed)
    files = []
    for start in range(0, rows, FILE_ROWS):
        many = min(FILE_ROWS, rows - start)
        number = np.minimum(draw.zipf(1.25, many), 2**40).astype(np.int64)
        alone = draw.random(many) < ASKED_ONCE
        number[alone] = draw.integers(2**41, 2**52, int(alone.sum()))
        frame = pl.DataFrame({"number": number, "market": draw.integers(0, 12, many)})
        text = pl.format("how to {} in {}", pl.col("number"), pl.col("number") % 97)
        files.append(str(folder / f"log-{start // FILE_ROWS:03d}.parquet"))
        frame.select(query=text, market=pl.col("market")).write_parquet(files[-1], compression="lz4")
    return files


def _timed(words: list[str]) -> tuple[float, float]:
    """Run a command; return its seconds and the most memory of any command so far."""
    began = time.perf_counter()
    subprocess.run(words, check=True)
    return time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20


if __name__ == "__main__":
    sys.exit(main())
