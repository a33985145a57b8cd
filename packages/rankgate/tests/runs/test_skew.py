"""Skew: one query with very many hits, and one shard ten times the others, take the memory of even rows.

Every command is a process of its own, whose peak is read when it ends. The measure is the same number of hits
spread evenly over queries and shards: what skew takes beyond that is bounded, whatever the machine.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from contextlib import chdir
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

from rankgate.runs.store.run_folder import StoredRun
from rankgate.runs.store.run_writer import RunWriter
from rankgate.runs.store.schemas import HITS, QUERIES, TEXTS
from rankgate.runs.store.tables import Shard
from support.commands import rankgate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc"),
]
SHARE, MORE = 1.3, 30.0
"""How much of the memory of even rows skew may take, and how many MB besides."""
OF_A_QUERY = 200e-6
"""How many MB besides for each hit of the largest query: its hits are one unit of work, and held at once.

It was chosen after measuring: a query of a million hits took up to 220 MB more than even rows, which `SHARE`
and `MORE` alone do not allow. A baseline in one line of JSON took 480 MB more, which this refuses.
"""
_EACH, _FEW = 100, 50_000
_MEASURED = """
import sys
from rankgate.cli.main import main
try:
    main()
except SystemExit as ended:
    code = ended.code
peak = int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) / 1024
sys.stderr.write(f"\\n{code} {peak}")
"""
_APP = """
def search(query, k):
    return [document(at) for at in range(1, min(k, HITS[query]) + 1)]

def document(number):
    return f"src/package/module_{number * 7919 % 1000003:020}/ab.py"
"""
_SYSTEMS = '[systems.app]\nfunction = "./app.py:search"\n[systems.stored]\nrun = "kept"\n'
_COMMANDS = (
    "score -q qrels -r kept -m ndcg@10 -m rr --format csv",
    "test s.yaml -s stored",
    "runs merge part-1 part-2 -o merged",
    "baseline set s.yaml -s stored",
    "compare kept merged -u s.yaml",
    "compare baseline stored -u s.yaml",
)


def measured(folder: Path, command: str) -> float:
    """Run a command in a process of its own, and return its peak in MB."""
    call = [sys.executable, "-c", _MEASURED, *command.split()]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=False)
    code, peak = done.stderr.rsplit("\n", 1)[1].split()
    assert code == "0", done.stdout + done.stderr
    return float(peak)


def project(folder: Path, hits: Mapping[str, int], shards: Iterable[int]) -> None:
    """Write a suite, a run of it in shards of so many queries, and the same run in two parts."""
    folder.mkdir()
    (folder / f"{folder.name}_app.py").write_text(f"HITS = {dict(hits)!r}\n{_APP}")
    (folder / "rankgate.toml").write_text(_SYSTEMS.replace("app.py", f"{folder.name}_app.py"))
    target = f"src/package/module_{3 * 7919:020}/ab.py"
    cases = "".join(f"  - {{query: {query}, id: {target}}}\n" for query in hits)
    head = f"k: {max(hits.values())}\nmetrics: [ndcg@10, rr]\ngates: [rr >= 0.1]\ncases:\n"
    (folder / "s.yaml").write_text(head + cases)
    (folder / "qrels").write_text("".join(f"{query} 0 {target} 1\n" for query in hits))
    with chdir(folder):
        for words in ("whole", "part-1 --shard 1/2", "part-2 --shard 2/2"):
            rankgate("run", "s.yaml", "-s", "app", "-o", *words.split()).printed()
    cut(StoredRun.open(folder / "whole"), folder / "kept", shards)


def cut(run: StoredRun, into: Path, shards: Iterable[int]) -> None:
    """Write a run again, in shards of so many queries."""
    queries = pl.concat([shard.queries for shard in run.shards()])
    hits = pl.concat([shard.scan_hits(HITS.names).collect() for shard in run.shards()])
    at = 0
    with RunWriter(into, replace(run.manifest, shards=(), finished=None)) as writer:
        for size in shards:
            some = queries.slice(at, size)
            own = hits.filter(pl.col("query").is_in(some["query"].implode()))
            writer.add(Shard(QUERIES.conform(some, "queries"), own, TEXTS.empty()))
            at += size
    assert at == len(queries)


def peaks(folder: Path, hits: Mapping[str, int], shards: Iterable[int]) -> list[float]:
    """Return the peak of each command."""
    project(folder, hits, shards)
    return [measured(folder, command) for command in _COMMANDS]


@cache
def even_peaks(rows: int) -> list[float]:
    """Return the peaks of rows that are spread evenly over queries and ten shards."""
    with tempfile.TemporaryDirectory() as folder:
        hits = {f"q{number}": _EACH for number in range(rows // _EACH)}
        return peaks(Path(folder) / f"even_{rows}", hits, _rest(len(hits), 10))


def check(folder: Path, rows: int, usual: list[float], request: pytest.FixtureRequest) -> None:
    """Hold skewed rows against as many even ones."""
    most = 0
    if "query" in request.node.name:
        most = rows
        found = peaks(folder / "query", {"wide": rows, **{f"q{number}": 10 for number in range(9)}}, (10,))
    else:
        hits = {f"q{number}": _EACH for number in range(rows // _EACH)}
        large = len(hits) * 10 // 19
        found = peaks(folder / "shard", hits, (large, *_rest(len(hits) - large, 9)))
    told = [f"{one:.0f} for {other:.0f}" for one, other in zip(found, usual, strict=True)]
    request.node.user_properties.append(("figures", f"{rows:,} hits, MB: {', '.join(told)}"))
    for command, one, other in zip(_COMMANDS, found, usual, strict=True):
        assert one <= other * SHARE + MORE + most * OF_A_QUERY, (command, one, other)


def _rest(queries: int, shards: int) -> tuple[int, ...]:
    return tuple((queries + number) // shards for number in range(shards))


@pytest.fixture(scope="module")
def usual() -> list[float]:
    return even_peaks(_FEW)


@pytest.mark.parametrize("skewed", [pytest.param("query", marks=pytest.mark.long), "shard"])
def test_skewed_rows_take_the_memory_of_even_ones(
    skewed: str, usual: list[float], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    assert skewed in request.node.name
    check(tmp_path, _FEW, usual, request)


@pytest.mark.long
@pytest.mark.parametrize("skewed", ["query", "shard"])
def test_a_million_skewed_hits_take_the_memory_of_even_ones(
    skewed: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    assert skewed in request.node.name
    check(tmp_path, 1_000_000, even_peaks(1_000_000), request)
