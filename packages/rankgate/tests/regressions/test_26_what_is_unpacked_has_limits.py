"""A small file does not become a large one in memory: limits on what is unpacked, told and adjustable."""

from __future__ import annotations

import gzip
import subprocess
import sys
from itertools import repeat
from typing import TYPE_CHECKING

import polars as pl
import pytest

from rankgate.files.compressed import write_text
from rankgate.files.parquet import read_table
from rankgate.truth.judgments.table import TARGETS
from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

LIMIT = "RANKGATE_MAX_UNPACKED"
MIB = 1 << 20
MEASURED = """
import resource, subprocess, sys
code = subprocess.call([sys.executable, "-m", "rankgate", *sys.argv[1:]])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""
"""Calls rankgate and prints the most memory that this one call took, in kB."""


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    return tmp_path / "qrels"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "run").write_text("q Q0 a 1 1 t\n")
    return tmp_path / "run"


def bomb(path: Path, line: bytes, size: int = 300 * MIB) -> Path:
    """Write a compressed file of one line again and again."""
    block = line * (MIB // len(line))
    write_text(path, repeat(block, size // len(block)))
    assert path.stat().st_size < MIB
    return path


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_small_file_of_judgments_does_not_take_gigabytes(tmp_path: Path, run: Path, suffix: str) -> None:
    path = bomb(tmp_path / f"qrels{suffix}", b"\n")
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, "score", "-q", path, "-r", run],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert f"set {LIMIT}" in done.stderr
    assert int(done.stdout) < 1000 * 1024


@pytest.mark.parametrize("name", ["run.gz", "run.jsonl.gz"])
def test_a_small_run_does_not_either(tmp_path: Path, qrels: Path, name: str) -> None:
    path = bomb(tmp_path / name, b'{"query": "q"}\n' if "json" in name else b"q Q0 a 1 1 t\n")
    assert "expected at most 33554432, uncompressed" in rankgate("score", "-q", qrels, "-r", path).refused()


def test_the_limit_can_be_raised_and_lowered(
    tmp_path: Path, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = bomb(tmp_path / "qrels.gz", b"# a comment of a file of judgments\n", size=40 * MIB)
    with gzip.open(path, "ab") as file:
        file.write(b"q 0 a 1\n")
    rankgate("score", "-q", path, "-r", run).refused()
    monkeypatch.setenv(LIMIT, "100M")
    assert "1.0000" in rankgate("score", "-q", path, "-r", run).printed()
    monkeypatch.setenv(LIMIT, "10k")
    assert "at most 10240," in rankgate("score", "-q", path, "-r", run).refused()
    monkeypatch.setenv(LIMIT, "much")
    assert f"{LIMIT}: found 'much'" in rankgate("score", "-q", path, "-r", run).refused()


def test_a_plain_file_of_empty_lines_is_refused_before_it_takes_room(tmp_path: Path, run: Path) -> None:
    path = tmp_path / "qrels"
    path.write_bytes(b"\n" * (20 * MIB))
    assert "20971520 lines in 20971520 bytes" in rankgate("score", "-q", path, "-r", run).refused()


def test_a_small_parquet_file_does_not_become_gigabytes(tmp_path: Path, run: Path) -> None:
    rows = 3_000_000
    column = pl.repeat("q", rows, eager=True)
    path = tmp_path / "qrels.parquet"
    frame = pl.DataFrame({"query": column, "id": column, "grade": pl.repeat(1, rows, eager=True)})
    pl.concat([frame] * 4).lazy().sink_parquet(path, row_group_size=rows)
    assert path.stat().st_size < 2 * MIB
    said = rankgate("score", "-q", path, "-r", run).refused()
    assert "expected at most 536870912, uncompressed" in said
    assert LIMIT in said


def test_columns_that_are_not_read_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "qrels.parquet"
    frame = pl.DataFrame({"query": ["q"], "id": ["a"], "grade": [1.0], "body": ["x" * MIB]})
    frame.write_parquet(path)
    monkeypatch.setenv(LIMIT, "100k")
    assert read_table(path, TARGETS).height == 1
