"""An outage in a repeat is exit 3 when a run is made, and when it is read again."""

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


def test_the_run_and_the_test_of_its_folder_agree() -> None:
    assert rankgate("run", "search.yaml", "-s", "app", "-o", "out", "--repeat", "3").code == 3
    done = rankgate("test", "search.yaml", "-s", "stored")
    assert done.code == 3
    assert "errors on 4 of 4 queries in repeat 2" in done.out
    assert "errors on 4 of 4 queries in repeat 3" in done.out


def test_a_repeat_that_was_damaged_is_refused() -> None:
    rankgate("run", "search.yaml", "-s", "app", "-o", "out", "--repeat", "2")
    path = Path("out/repeat-2/queries-00000.parquet")
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    assert "another SHA-256" in rankgate("test", "search.yaml", "-s", "stored").refused()


def test_repeats_of_parts_are_merged_with_them() -> None:
    for part in ("1", "2"):
        Path("asked.txt").unlink(missing_ok=True)
        folder, shard = f"p{part}", f"{part}/2"
        rankgate("run", "search.yaml", "-s", "app", "-o", folder, "--shard", shard, "--repeat", "3")
    rankgate("runs", "merge", "p1", "p2", "-o", "out")
    done = rankgate("test", "search.yaml", "-s", "stored")
    assert done.code == 3
    assert "errors on 4 of 4 queries in repeat 3" in done.out


def test_a_run_that_goes_on_asks_what_failed_in_its_repeats_too() -> None:
    rankgate("run", "search.yaml", "-s", "app", "-o", "out", "--repeat", "3")
    Path("asked.txt").unlink()
    assert rankgate("run", "search.yaml", "-s", "app", "-o", "out", "--resume").code == 3
    Path("asked.txt").unlink()
    assert rankgate("run", "search.yaml", "-s", "app", "-o", "out", "--resume").code == 0
    assert rankgate("test", "search.yaml", "-s", "stored").code == 0
