"""`just bench-scoring`: rankgate beside the bare engine, pytrec_eval, ir_measures and ranx.

Every contender starts from the same Parquet files, with string ids of 45 bytes and unsorted rows, and gives
the same five figures; a contender that gives others stops the benchmark. All run in one process, taking
turns. A stored run, as `rankgate run` writes it, is scored twice: once with its
files checked against the manifest's hashes each time, as a new process does, and once with files that the
process has checked before. Peers run at up to 10^7 rows. Times are of the clock and, in ratios, of the
processor, too: a busy machine delays whoever waits. Peak memory is that of a fresh process that only scores.
"""

from __future__ import annotations

import gc
import math
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import polars as pl

from bare import bare_polars
from generated import Generated, generate, store

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankgate.runs.store.tables import Run

METRICS = ("ndcg@10", "rr", "p@5", "r@10", "ap")
ROUNDS = 3
FOLDER = Path(__file__).parent.parent / ".benchmarks"
PEER_ROWS = 10_000_000

Figures = tuple[float, ...]
Times = tuple[float, float]
"""Seconds of the clock and of the processor."""
STRINGS, STORED, CHECKED = "bare Polars query", "stored run", "stored run, new"


def rankgate(made: Generated, run: Run | None = None) -> Figures:
    """Score as `rankgate score` does."""
    from rankgate.scoring.evaluate import score
    from rankgate.truth.judgments.table import read_judgments

    scores = score(read_judgments(made.folder / "judgments"), run or made, METRICS)
    return tuple(scores[metric] or 0.0 for metric in METRICS)


def stored_run(made: Generated) -> Figures:
    """Score a stored run whose files were checked before."""
    from rankgate.runs.store.run_folder import StoredRun

    return rankgate(made, StoredRun.open(made.stored))


def stored_run_checked(made: Generated) -> Figures:
    """Score a stored run as a new process does, which knows nothing of its files."""
    from rankgate.io import parquet
    from rankgate.runs.store import run_folder

    for known in (run_folder._SOUND, parquet._SCANNED, parquet._HELD):  # noqa: SLF001
        known.clear()
    return stored_run(made)


def bare_engine(made: Generated) -> Figures:
    """Ask Polars for the same five measures in one query."""
    return bare_polars(made.hits, made.judgments, "streaming")


def _dictionaries(made: Generated) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    judged = pl.read_parquet(made.judgments, columns=["query", "id", "grade"])
    for query, document, grade in zip(
        judged["query"], judged["id"], judged["grade"].cast(pl.Int64), strict=True
    ):
        qrels.setdefault(query, {})[document] = grade
    hits = pl.read_parquet(made.hits, columns=["query", "id", "score"])
    columns = (hits[name].to_list() for name in ("query", "id", "score"))
    for query, document, value in zip(*columns, strict=True):
        run.setdefault(query, {})[document] = value
    return qrels, run


def _with_relevant(qrels: dict[str, dict[str, int]]) -> int:
    return sum(any(grade > 0 for grade in grades.values()) for grades in qrels.values())


def pytrec_eval(made: Generated) -> Figures:
    """Build the dictionaries that pytrec_eval wants, and ask it."""
    import pytrec_eval as peer

    qrels, run = _dictionaries(made)
    names = ("ndcg_cut_10", "recip_rank", "P_5", "recall_10", "map")
    values = peer.RelevanceEvaluator(
        qrels, {"ndcg_cut.10", "recip_rank", "P.5", "recall.10", "map"}
    ).evaluate(run)
    many = _with_relevant(qrels)
    return tuple(math.fsum(scores[name] for scores in values.values()) / many for name in names)


def ir_measures(made: Generated) -> Figures:
    """Build the same dictionaries, and ask ir_measures."""
    import ir_measures as peer
    from ir_measures import AP, RR, P, R, nDCG

    qrels, run = _dictionaries(made)
    measures = [nDCG @ 10, RR, P @ 5, R @ 10, AP]
    means = peer.calc_aggregate(measures, qrels, run)
    share = len(qrels) / _with_relevant(qrels)
    return tuple(means[measure] * share for measure in measures)


def ranx(made: Generated) -> Figures:
    """Return ranx the data frames it reads fastest."""
    import pandas as pd
    import ranx as peer

    judged = pl.read_parquet(made.judgments, columns=["query", "id", "grade"]).with_columns(
        pl.col("grade").cast(pl.Int64)
    )
    hits = pl.read_parquet(made.hits, columns=["query", "id", "score"])
    names = {"q_id_col": "query", "doc_id_col": "id"}
    strings = {"query": object, "id": object}
    frames = [pd.DataFrame(table.to_dict(as_series=False)).astype(strings) for table in (judged, hits)]
    qrels = peer.Qrels.from_df(frames[0], score_col="grade", **names)
    run = peer.Run.from_df(frames[1], score_col="score", **names)
    measures = ["ndcg@10", "mrr", "precision@5", "recall@10", "map"]
    means = peer.evaluate(qrels, run, measures)
    relevant = judged.filter(pl.col("grade") > 0)["query"].n_unique()
    return tuple(float(means[name]) * judged["query"].n_unique() / relevant for name in measures)


CONTENDERS: dict[str, Callable[[Generated], Figures]] = {
    "rankgate": rankgate,
    STRINGS: bare_engine,
    STORED: stored_run,
    CHECKED: stored_run_checked,
    "pytrec_eval": pytrec_eval,
    "ir_measures": ir_measures,
    "ranx": ranx,
}


def measure(made: Generated, names: list[str], rounds: int) -> dict[str, list[Times]]:
    """Time the contenders in turn, and hold their figures together."""
    seconds: dict[str, list[Times]] = {name: [] for name in names}
    expected: Figures | None = None
    for _ in range(rounds):
        for name in names:
            gc.collect()
            start, used = time.perf_counter(), time.process_time()
            figures = CONTENDERS[name](made)
            seconds[name].append((time.perf_counter() - start, time.process_time() - used))
            expected = expected or figures
            if any(abs(a - b) > 1e-6 for a, b in zip(figures, expected, strict=True)):
                sys.exit(f"{name} gives {figures}, {names[0]} {expected}")
    return seconds


def peak_memory(made: Generated) -> float:
    """Score once in a fresh process, and give its peak memory in GiB."""
    code = [sys.executable, __file__, "--alone", str(made.folder), str(made.rows)]
    return float(subprocess.run(code, check=True, capture_output=True, text=True).stdout)


def report(rows: int, per_row: dict[int, float]) -> None:
    """Measure one size and print it."""
    made, warm = (generate(FOLDER / f"{size:.0e}", size) for size in (rows, 10**5))
    for one in (made, warm):
        store(one)
    ours, peers = list(CONTENDERS)[:4], list(CONTENDERS)[4:] if rows <= PEER_ROWS else []
    measure(warm, [*ours, *peers], 1)  # compiles ranx, and loads every module
    seconds = measure(made, ours, ROUNDS if rows >= PEER_ROWS else 3 * ROUNDS)
    seconds |= measure(made, peers, 1 if rows >= PEER_ROWS else ROUNDS)
    base = _median(seconds["rankgate"])
    per_row[rows] = base / rows
    print(f"\n{rows:.0e} rows, {rows // 100:,} queries; peak memory {peak_memory(made):.2f} GiB")
    for name, times in seconds.items():
        clock, used = _median(times), _median(times, 1)
        print(
            f"  {name:18} {clock:8.2f} s {used:8.2f} s of the processor  {clock / base:6.2f} x rankgate",
            end="",
        )
        print(f"  (of {len(times)})")
    for name, other in (("rankgate", STRINGS), (STORED, STRINGS), (CHECKED, STRINGS)):
        clock, used = (_median(seconds[name], by) / _median(seconds[other], by) for by in (0, 1))
        print(f"  {name} / {other}: {clock:.2f}, by the processor {used:.2f}")
    if peers:
        told = [
            f"{_median(seconds['pytrec_eval']) / _median(seconds[name]):.1f}" for name in ("rankgate", STORED)
        ]
        print(f"  pytrec_eval / rankgate: {told[0]} from strings, {told[1]} from a stored run", flush=True)


def _median(times: list[Times], by: int = 0) -> float:
    return median(one[by] for one in times)


def main() -> None:
    """Measure the sizes given."""
    if sys.argv[1] == "--alone":
        rankgate(Generated(Path(sys.argv[2]), int(sys.argv[3])))
        status = Path("/proc/self/status").read_text()  # ru_maxrss would count the parent's memory
        print(int(status.split("VmHWM:")[1].split()[0]) / 2**20)
        return
    per_row: dict[int, float] = {}
    for size in sys.argv[1:]:
        report(int(float(size)), per_row)
    base = per_row[min(per_row)]
    print("\ntime per row: " + ", ".join(f"{rows:.0e} {value / base:.2f}" for rows, value in per_row.items()))


if __name__ == "__main__":
    main()
