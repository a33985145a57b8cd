"""`just bench-engines`: Polars, DuckDB and NumPy on the same work.

Hits are joined with judgments from the Parquet files of `generated`, and nDCG@10, RR, P@5, R@10 and AP
computed. A contender that gives other figures stops the benchmark. All run in one process, taking turns, on
two threads; rankgate itself, with its checks and counts, runs along. Peak memory is that of a fresh process
in which one contender runs once and loads only what it uses. Then what each engine weighs: files, imports.
"""

from __future__ import annotations

import gc
import math
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import duckdb
    import numpy as np
    import polars as pl

    Array = np.ndarray[Any, np.dtype[Any]]

ROUNDS, IMPORTS, THREADS = 3, 5, 2
FOLDER = Path(__file__).parent.parent / ".benchmarks"
TOLERANCE = 1e-12
ENGINES = {"Polars": "polars", "DuckDB": "duckdb", "NumPy": "numpy"}

Figures = tuple[float, ...]


@dataclass(frozen=True)
class Files:
    """The files of one size. Naming them loads no engine."""

    folder: Path
    rows: int

    @property
    def hits(self) -> str:
        """Where the hits are."""
        return str(self.folder / "hits-*.parquet")

    @property
    def judgments(self) -> str:
        """Where the judgments are."""
        return str(self.folder / "judgments" / "judgments.parquet")


@dataclass(frozen=True)
class Targets:
    """The relevant targets, their queries numbered from 0."""

    query: Array
    grade: Array


# Polars alone


def polars_in_memory(files: Files) -> Figures:
    """Ask Polars for everything, on its in-memory engine."""
    from bare import bare_polars

    return bare_polars(files.hits, files.judgments, "in-memory")


def polars_streaming(files: Files) -> Figures:
    """Ask Polars for everything, on its streaming engine."""
    from bare import bare_polars

    return bare_polars(files.hits, files.judgments, "streaming")


# DuckDB alone


def _connection() -> duckdb.DuckDBPyConnection:
    import duckdb

    # No row order is needed, and DuckDB holds less in memory where it may ignore it.
    return duckdb.connect(config={"threads": THREADS, "preserve_insertion_order": False})


def duckdb_alone(files: Files) -> Figures:
    """Ask DuckDB for everything, in one query."""
    query = """
        WITH relevant AS (SELECT query, id, grade FROM read_parquet($judgments) WHERE grade > 0),
        found AS (
            SELECT query, rank, grade, row_number() OVER (PARTITION BY query ORDER BY rank) AS nth
            FROM read_parquet($hits) JOIN relevant USING (query, id)
        ),
        per_query AS (
            SELECT query,
                sum(grade / log2(rank + 1)) FILTER (rank <= 10) AS dcg,
                1 / min(rank) AS rr,
                count(*) FILTER (rank <= 5) / 5 AS p,
                count(*) FILTER (rank <= 10) AS found,
                sum(nth / rank) AS precisions
            FROM found GROUP BY query
        ),
        placed AS (
            SELECT query, grade, row_number() OVER (PARTITION BY query ORDER BY grade DESC) AS position
            FROM relevant
        ),
        ideal AS (
            SELECT query, count(*) AS many, sum(grade / log2(position + 1)) FILTER (position <= 10) AS ideal
            FROM placed GROUP BY query
        )
        SELECT avg(coalesce(dcg / ideal, 0)), avg(coalesce(rr, 0)), avg(coalesce(p, 0)),
            avg(coalesce(found / many, 0)), avg(coalesce(precisions / many, 0))
        FROM ideal LEFT JOIN per_query USING (query)
    """
    with _connection() as connection:
        values = {"hits": files.hits, "judgments": files.judgments}
        row = connection.execute(query, values).fetchone()
    return tuple(row or ())


# One engine to match, NumPy for the metrics


def _metrics(targets: Targets, query: Array, rank: Array, grade: Array) -> Figures:
    """Compute the five means; each query's sums run in rank order, and the means are exactly rounded."""
    import numpy as np

    many = np.bincount(targets.query)
    best = np.lexsort((-targets.grade, targets.query))
    ideal = _gains(targets.query[best], _nth(many), targets.grade[best], len(many))
    order = np.argsort(query * (int(rank.max(initial=0)) + 1) + rank)
    query, rank, grade = query[order], rank[order], grade[order]
    nth = _nth(np.bincount(query, minlength=len(many)))
    rr = np.zeros(len(many))
    rr[query[nth == 1]] = 1 / rank[nth == 1]
    values = (
        _gains(query, rank, grade, len(many)) / ideal,
        rr,
        np.bincount(query[rank <= 5], minlength=len(many)) / 5,
        np.bincount(query[rank <= 10], minlength=len(many)) / many,
        np.bincount(query, weights=nth / rank, minlength=len(many)) / many,
    )
    return tuple(math.fsum(value.tolist()) / len(many) for value in values)


def _gains(query: Array, rank: Array, grade: Array, size: int) -> Array:
    import numpy as np

    top = rank <= 10
    return np.bincount(query[top], weights=grade[top] / np.log2(rank[top] + 1), minlength=size)


def _nth(many: Array) -> Array:
    """Number the rows of each query from 1, where rows are sorted by query."""
    import numpy as np

    numbers: Array = np.arange(1, many.sum() + 1) - np.repeat(np.cumsum(many) - many, many)
    return numbers


def polars_numpy(files: Files) -> Figures:
    """Join on Polars' streaming engine, and compute with NumPy, as rankgate does."""
    import numpy as np
    import polars as pl

    judged = pl.scan_parquet(files.judgments).select("query", "id", "grade").filter(pl.col("grade") > 0)
    relevant = judged.sort("query").with_row_index("t").collect(engine="streaming")
    targets = Targets(relevant["query"].rle_id().to_numpy().astype(np.int64), relevant["grade"].to_numpy())
    joined = (
        pl.scan_parquet(files.hits)
        .select("query", "rank", "id")
        .join(relevant.lazy().select("t", "query", "id"), on=["query", "id"])
        .select("t", "rank")
        .collect(engine="streaming")
    )
    t, rank = (joined[name].to_numpy().astype(np.int64) for name in ("t", "rank"))
    return _metrics(targets, targets.query[t], rank, targets.grade[t])


def duckdb_numpy(files: Files) -> Figures:
    """Join with DuckDB, and compute with NumPy."""
    import numpy as np

    number = """
        CREATE TEMP TABLE relevant AS
        SELECT query, id, grade, dense_rank() OVER (ORDER BY query) - 1 AS q
        FROM read_parquet($judgments) WHERE grade > 0
    """
    join = """
        SELECT q, rank::BIGINT AS rank, grade FROM read_parquet($hits) JOIN relevant USING (query, id)
    """
    with _connection() as connection:
        connection.execute(number, {"judgments": files.judgments})
        judged = connection.execute("SELECT q, grade FROM relevant").fetchnumpy()
        found = connection.execute(join, {"hits": files.hits}).fetchnumpy()
    judged, found = ({key: np.asarray(value) for key, value in rows.items()} for rows in (judged, found))
    return _metrics(Targets(judged["q"], judged["grade"]), found["q"], found["rank"], found["grade"])


# NumPy alone: Polars only reads the files, and lays strings out in columns of equal width


def _words(strings: pl.Series) -> Array:
    """Return strings as rows of 8-byte words, filled up with zeros."""
    import polars as pl

    width = -(-int(strings.str.len_bytes().to_numpy().max(initial=1)) // 8)
    filled = strings.str.pad_end(8 * width, "\0").cast(pl.Binary)
    return filled.bin.reinterpret(dtype=pl.Array(pl.UInt64, width), endianness="little").to_numpy()


def _hash(*columns: Array) -> Array:
    import numpy as np

    total = np.zeros(len(columns[0]), dtype=np.uint64)
    for words in columns:
        for word in words.T:
            total = (total ^ word) * np.uint64(0x9E3779B97F4A7C15)
            total ^= total >> np.uint64(29)
    return total


@dataclass(frozen=True)
class _Index:
    """The targets by the hash of query and id, with a bit table that turns most other hits away."""

    query: Array
    id: Array
    order: Array
    hashes: Array
    taken: Array
    shift: np.uint64

    @classmethod
    def of(cls, query: Array, document: Array) -> _Index:
        import numpy as np

        hashes = _hash(query, document)
        bits = max(1, int(len(hashes) * 16).bit_length())
        shift = np.uint64(64 - bits)
        taken = np.zeros(1 << bits, dtype=bool)
        taken[hashes >> shift] = True
        order = np.argsort(hashes)
        return cls(query, document, order, hashes[order], taken, shift)

    def find(self, path: Path) -> tuple[Array, Array]:
        """Find the hits of one file that are targets: which target, at which rank."""
        import numpy as np
        import polars as pl

        hits = pl.read_parquet(path, columns=["query", "rank", "id"])
        query, document = _words(hits["query"]), _words(hits["id"])
        hashes = _hash(query, document)
        rows = np.flatnonzero(self.taken[hashes >> self.shift])
        place = np.minimum(np.searchsorted(self.hashes, hashes[rows]), len(self.hashes) - 1)
        same = self.hashes[place] == hashes[rows]
        rows, target = rows[same], self.order[place[same]]
        if (query[rows] != self.query[target]).any() or (document[rows] != self.id[target]).any():
            sys.exit("two different keys with one hash: NumPy alone would need another way here")
        return target, hits["rank"].to_numpy()[rows].astype(np.int64)


def numpy_alone(files: Files) -> Figures:
    """Match by hashes with the strings compared afterwards, and compute, with NumPy."""
    import numpy as np
    import polars as pl

    judged = pl.read_parquet(files.judgments, columns=["query", "id", "grade"])
    judged = judged.filter(pl.Series(judged["grade"].to_numpy() > 0))
    names = _words(judged["query"])
    order = np.lexsort(names.T)
    new = np.ones(len(names), dtype=bool)
    new[1:] = (names[order][1:] != names[order][:-1]).any(axis=1)
    number = np.empty(len(names), dtype=np.int64)
    number[order] = np.cumsum(new) - 1
    targets = Targets(number, judged["grade"].to_numpy())
    index = _Index.of(names, _words(judged["id"]))
    if (index.hashes[1:] == index.hashes[:-1]).any():
        sys.exit("two targets with one hash: NumPy alone would need another way here")
    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(index.find, sorted(files.folder.glob("hits-*.parquet"))))
    t, rank = (np.concatenate(column) for column in zip(*found, strict=True))
    return _metrics(targets, targets.query[t], rank, targets.grade[t])


def rankgate(files: Files) -> Figures:
    """Score as `rankgate score` does."""
    from generated import Generated
    from scoring import rankgate as scored

    return scored(Generated(files.folder, files.rows))


CONTENDERS: dict[str, Callable[[Files], Figures]] = {
    "Polars streaming join, NumPy metrics": polars_numpy,
    "Polars alone, streaming": polars_streaming,
    "Polars alone, in memory": polars_in_memory,
    "DuckDB alone": duckdb_alone,
    "DuckDB join, NumPy metrics": duckdb_numpy,
    "NumPy alone": numpy_alone,
    "rankgate, with checks and counts": rankgate,
}
BASE = next(iter(CONTENDERS))


@dataclass
class Measured:
    """What one contender took and gave, round by round."""

    seconds: list[float]
    answers: list[Figures]


def measure(files: Files, rounds: int) -> dict[str, Measured]:
    """Time the contenders in turn, and hold their figures together."""
    measured = {name: Measured([], []) for name in CONTENDERS}
    for _ in range(rounds):
        for name, contender in CONTENDERS.items():
            gc.collect()
            start = time.perf_counter()
            figures = contender(files)
            measured[name].seconds.append(time.perf_counter() - start)
            measured[name].answers.append(figures)
            expected = measured[BASE].answers[0]
            if any(abs(a - b) > TOLERANCE for a, b in zip(figures, expected, strict=True)):
                sys.exit(f"{name} gives {figures}, {BASE} {expected}")
    return measured


def peak_memory(name: str, files: Files) -> float:
    """Run one contender once in a fresh process, and give its peak memory in GiB."""
    code = [sys.executable, __file__, "--alone", name, str(files.folder), str(files.rows)]
    return float(subprocess.run(code, check=True, capture_output=True, text=True).stdout)


def report_work(files: Files) -> None:
    """Measure the work and print it."""
    measured = measure(files, ROUNDS)
    base, bits = median(measured[BASE].seconds), set(measured[BASE].answers)
    print(f"{files.rows:.0e} rows, {files.rows // 100:,} queries, {os.cpu_count()} cores, load {_load()}")
    print(f"  {'':38} {'time':>7}  {'median of ' + str(ROUNDS):>13}  peak memory  the same bits")
    for name, result in measured.items():
        taken, same = median(result.seconds), "yes" if set(result.answers) == bits else "no"
        spread = f"({min(result.seconds):.2f} to {max(result.seconds):.2f})"
        memory = f"{peak_memory(name, files):7.2f} GiB"
        print(f"  {name:38} {taken / base:6.2f}x  {taken:11.2f} s  {memory}  {same:13}  {spread}", flush=True)


def _load() -> str:
    return f"{os.getloadavg()[0]:.1f}"


def distributions(name: str) -> list[str]:
    """Name a distribution and all that it requires, extras apart."""
    found = [name]
    for one in found:
        for needed in metadata.requires(one) or []:
            other = re.split(r"[^\w.-]", needed, maxsplit=1)[0]
            if "extra ==" not in needed and other not in found:
                found.append(other)
    return found


def installed_bytes(name: str) -> int:
    """Add up the files of a distribution, without bytecode."""
    paths = (Path(str(file.locate())) for file in metadata.files(name) or [] if file.suffix != ".pyc")
    return sum(path.stat().st_size for path in paths if path.is_file())


def wheel_tags(name: str) -> str:
    """Return the tags of the wheel that was installed."""
    text = metadata.distribution(name).read_text("WHEEL") or ""
    return ", ".join(re.findall(r"^Tag: (\S+)", text, re.MULTILINE)[:1])


def import_seconds() -> dict[str, float]:
    """Time imports in fresh processes, in turn, after one that compiles."""
    statements = {"nothing": "pass"} | {name: f"import {module}" for name, module in ENGINES.items()}
    seconds: dict[str, list[float]] = {name: [] for name in statements}
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": ""}
    for turn in range(IMPORTS + 1):
        for name, statement in statements.items():
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", statement], check=True, env=environment)
            if turn:
                seconds[name].append(time.perf_counter() - start)
    return {name: median(times) for name, times in seconds.items()}


def report_weight() -> None:
    """Print what each engine weighs."""
    seconds = import_seconds()
    print(f"\nimport, beside `python -c pass` ({seconds['nothing'] * 1000:.0f} ms), and installed files")
    for name, module in ENGINES.items():
        parts = distributions(module)
        size = sum(map(installed_bytes, parts)) / 1e6
        named = ", ".join(f"{part} {metadata.version(part)} ({wheel_tags(part)})" for part in parts)
        print(f"  {name:8} {seconds[name] / seconds['nothing']:5.1f}x  {size:6.1f} MB  {len(parts)}: {named}")


def main() -> None:
    """Measure the size given."""
    if sys.argv[1:2] == ["--alone"]:
        CONTENDERS[sys.argv[2]](Files(Path(sys.argv[3]), int(sys.argv[4])))
        status = Path("/proc/self/status").read_text()  # ru_maxrss would count the parent's memory
        print(int(status.split("VmHWM:")[1].split()[0]) / 2**20)
        return
    from generated import generate

    rows = int(float(sys.argv[1] if len(sys.argv) > 1 else "1e7"))
    for many in (10**5, rows):
        generate(FOLDER / f"{many:.0e}", many)
    measure(Files(FOLDER / f"{10**5:.0e}", 10**5), 1)  # loads every module
    report_work(Files(FOLDER / f"{rows:.0e}", rows))
    report_weight()


if __name__ == "__main__":
    main()
