"""`just bench-slices`: hits of a log with slices to nDCG@10 of each query and each slice, beside bare Polars.

Rows have a query, a rank, an id of 45 bytes and a slice, unsorted within files of 10^7; judgments are a file
of their own, about one for each 19 rows. Both write the value of every query to Parquet and return the means
by slice; the bare query is what a careful person writes: only ranks up to 10 are joined. They take turns in
one process; peak memory is that of a process that only scores.
"""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from statistics import median

import numpy as np
import polars as pl

FOLDER = Path(__file__).parent.parent / ".benchmarks"
HITS, FILE, SLICES, DOCUMENTS = 100, 10_000_000, 24, 200_003
Means = dict[str, float]


def generate(folder: Path, rows: int) -> None:
    """Write hits and judgments, unless they are there already."""
    if (folder / "done").exists():
        return
    (folder / "hits").mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(7)
    documents = "src/package/module_" + _padded(pl.Series(np.arange(DOCUMENTS)).hash(1), 20) + "/ab.py"
    slices = pl.Series([f"country-{number:02}" for number in range(SLICES)])
    judged = []
    for first in range(0, rows // HITS, FILE // HITS):
        queries = np.arange(first, min(first + FILE // HITS, rows // HITS))
        many = len(queries)
        names = "query-" + _padded(pl.Series(queries), 8)
        base, step = rng.integers(0, DOCUMENTS, (many, 1)), rng.integers(1, DOCUMENTS, (many, 1))
        returned = ((base + step * np.arange(HITS)) % DOCUMENTS).ravel()
        shuffled = rng.permutation(many * HITS)
        at = shuffled // HITS
        pl.DataFrame(
            {
                "query": names.gather(at),
                "rank": (shuffled % HITS + 1).astype(np.uint32),
                "id": documents.gather(returned[shuffled]),
                "slice": slices.gather((queries * 7919 % SLICES)[at]),
            }
        ).write_parquet(folder / "hits" / f"part-{first // (FILE // HITS):05}.parquet")
        many_judged = rng.integers(4, 7, many)
        row = np.repeat(np.arange(many), many_judged)
        place = np.minimum(rng.geometric(0.06, len(row)) - 1, HITS + 20)
        document = (base[row, 0] + step[row, 0] * place) % DOCUMENTS
        judged.append(
            pl.DataFrame(
                {
                    "query": names.gather(row),
                    "id": documents.gather(document),
                    "grade": rng.integers(0, 4, len(row)),
                }
            ).unique(["query", "id"], maintain_order=True)
        )
    whole = pl.concat(judged).with_columns(pl.col("grade").cast(pl.Float64))
    whole.sample(fraction=1, shuffle=True, seed=7).write_parquet(folder / "judged.parquet")
    (folder / "done").touch()


def _padded(numbers: pl.Series, width: int) -> pl.Series:
    return numbers.cast(pl.String).str.pad_start(width, "0")


def rankgate(folder: Path) -> Means:
    """Do what `rankgate score --by slice -o scores.parquet` does."""
    from rankgate.runs.formats.parquet import ParquetRun
    from rankgate.scoring.evaluate import score
    from rankgate.scoring.scores import write_scores
    from rankgate.truth.judgments.formats import load_judgments

    run = replace(ParquetRun.open(folder / "hits"), by="slice")
    judgments = run.counted_while(lambda: load_judgments(folder / "judged.parquet"))
    scores = score(judgments, run, ["ndcg@10"])
    write_scores([scores], folder / "rankgate.parquet")
    means = scores.by_slice("ndcg@10", run.slices_of(scores.queries))
    return {name: mean or 0.0 for name, (mean, *_) in means.items()}


def bare(folder: Path) -> Means:
    """Ask Polars for the same, without checks, counts or credit rules."""
    relevant = pl.scan_parquet(folder / "judged.parquet").filter(pl.col("grade") > 0)
    hits = pl.scan_parquet(folder / "hits" / "*.parquet")
    found = hits.filter(pl.col("rank") <= 10).select("query", "rank", "id").join(relevant, on=["query", "id"])
    gain = pl.col("grade") / (pl.col("rank") + 1).log(2)
    position = pl.int_range(2, pl.min_horizontal(pl.len(), 10) + 2)
    ideal = relevant.group_by("query").agg(
        ideal=(pl.col("grade").sort(descending=True).head(10) / position.log(2)).sum()
    )
    slices = hits.group_by("query").agg(pl.col("slice").first())
    per_query = (
        ideal.join(found.group_by("query").agg(dcg=gain.sum()), on="query", how="left")
        .select("query", ndcg=(pl.col("dcg") / pl.col("ideal")).fill_null(0))
        .join(slices, on="query", how="left")
        .collect(engine="streaming")
    )
    per_query.write_parquet(folder / "bare.parquet", compression="lz4")
    return dict(per_query.group_by("slice").agg(pl.col("ndcg").mean()).rows())


CONTENDERS = {"rankgate": rankgate, "bare Polars": bare}


def main() -> None:
    """Measure the size given."""
    if sys.argv[1] == "--alone":
        CONTENDERS[sys.argv[2]](Path(sys.argv[3]))
        print(int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 2**20)
        return
    rows, rounds = int(float(sys.argv[1])), int(sys.argv[2]) if len(sys.argv) > 2 else 3
    folder = FOLDER / f"slices-{rows:.2e}"
    generate(folder, rows)
    judged = pl.scan_parquet(folder / "judged.parquet").select(pl.len()).collect().item()
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in CONTENDERS}
    for _ in range(rounds):
        figures = []
        for name, contender in CONTENDERS.items():
            gc.collect()
            start, used = time.perf_counter(), time.process_time()
            figures.append(contender(folder))
            seconds[name].append((time.perf_counter() - start, time.process_time() - used))
        if any(abs(value - figures[1][name]) > 1e-6 for name, value in figures[0].items()):
            sys.exit(f"the means differ: {figures}")
    print(f"{rows:.2e} rows, {rows // HITS:,} queries, {judged:,} judgments, {SLICES} slices")
    for name, times in seconds.items():
        alone = [sys.executable, __file__, "--alone", name, str(folder)]
        memory = float(subprocess.run(alone, check=True, capture_output=True, text=True).stdout)
        clock, used = (median(one[by] for one in times) for by in (0, 1))
        print(
            f"  {name:12} {clock:8.2f} s, {used:8.2f} s of the processor, {memory:.2f} GiB (of {len(times)})"
        )
    ratios = [
        median(one[by] for one in seconds["rankgate"]) / median(one[by] for one in seconds["bare Polars"])
        for by in (0, 1)
    ]
    print(f"  rankgate / bare Polars: {ratios[0]:.2f}, by the processor {ratios[1]:.2f}")


if __name__ == "__main__":
    main()
