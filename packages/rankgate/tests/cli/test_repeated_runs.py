"""Repeats of runs that fail, are merged and are resumed."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.commands import rankgate
from support.numbered import numbered_suite, write_here

APP = """\
from pathlib import Path
def search(query, k):
    log = Path("asked.txt")
    asked = len(log.read_text()) if log.exists() else 0
    log.write_text("." * (asked + 1))
    if asked >= 4:
        raise ConnectionError("no index")
    return ["d" + query.split()[1]]
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_here(numbered_suite(4), APP)


def test_errors_in_repeats_fail_the_run_and_its_test() -> None:
    assert rankgate("run", "search.yaml", "-s", "app", "-o", "out", "--repeat", "3").code == 3
    done = rankgate("test", "search.yaml", "-s", "stored")
    assert done.code == 3
    assert "4 errors (exit code 3)" in done.out
    assert "in repeat 2" in done.out


def test_merge_keeps_the_repeats_of_shards() -> None:
    for part in ("1", "2"):
        Path("asked.txt").unlink(missing_ok=True)
        folder, shard = f"p{part}", f"{part}/2"
        rankgate("run", "search.yaml", "-s", "app", "-o", folder, "--shard", shard, "--repeat", "3")
    rankgate("runs", "merge", "p1", "p2", "-o", "out")
    done = rankgate("test", "search.yaml", "-s", "stored")
    assert done.code == 3
    assert "4 errors (exit code 3)" in done.out


def test_resume_runs_failed_queries_of_repeats() -> None:
    rankgate("run", "search.yaml", "-s", "app", "-o", "out", "--repeat", "3")
    Path("asked.txt").unlink()
    assert rankgate("run", "search.yaml", "-s", "app", "-o", "out", "--resume").code == 3
    Path("asked.txt").unlink()
    assert rankgate("run", "search.yaml", "-s", "app", "-o", "out", "--resume").code == 0
    assert rankgate("test", "search.yaml", "-s", "stored").code == 0
