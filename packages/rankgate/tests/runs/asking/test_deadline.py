"""The deadline of a run."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from rankgate.runs.asking.deadline import parse_length
from rankgate.runs.store.run_folder import StoredRun
from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path


CASES = "".join(f"  - {{query: {word}, id: a}}\n" for word in ("one", "two", "three", "four"))


SUITE = f"gates: [rr >= 0.1]\ncases:\n{CASES}"


APP = """\
import asyncio, threading
def search(query, k):
    if query == "two":
        threading.Event().wait()
    return ["a"]
async def later(query, k):
    if query == "two":
        await asyncio.Event().wait()
    return ["a"]
class Tree:
    def search(self, query, k):
        return ["a"]
    def documents(self):
        threading.Event().wait()
    tree = read = subtree = documents
"""


def project(folder: Path, options: str = "", target: str = "search", suite: str = SUITE) -> Path:
    (folder / "search.yaml").write_text(suite)
    (folder / "app.py").write_text(APP)
    (folder / "rankgate.toml").write_text(f'[systems.app]\nfunction = "./app.py:{target}"\n{options}\n')
    return folder


def test_queries_after_the_deadline_time_out_without_latency(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project(tmp_path, "deadline = '2s'"))
    assert rankgate("run", "search.yaml", "-o", "kept").code == 3
    (shard,) = StoredRun.open(tmp_path / "kept").shards()
    rows = {row["query"]: row for row in shard.queries.iter_rows(named=True)}
    assert [row["status"] for row in rows.values()] == ["ok", "timeout", "timeout", "timeout"]
    assert rows["two"]["latency_ms"] > 0
    assert rows["four"]["latency_ms"] is None
    assert "the deadline of 2s over before it was asked" in rows["four"]["error"]


def test_deadline_ends_a_wait_for_the_rate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project(tmp_path))
    (tmp_path / "app.py").write_text("def search(query, k):\n    return ['a']\n")
    begun = time.monotonic()
    assert rankgate("test", "search.yaml", "--deadline", "1s", "--rate", "0.01").code == 3
    assert time.monotonic() - begun < 90


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("20m", 1200), ("1h", 3600), ("1h30m5s", 5405)])
def test_parse_length_reads_units(text: str, seconds: int) -> None:

    assert parse_length(text) == seconds


@pytest.mark.parametrize("text", ["", "20", "20 minutes", "-1s", "0s", "m", "1s1m"])
def test_invalid_deadline_is_an_error(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project(tmp_path, f"deadline = '{text}'"))
    refused = rankgate("test", "search.yaml").refused()
    assert "rankgate.toml:3:12: " in refused
    assert ("such as 90s, 20m or 1h" if text else "the text is empty") in refused
    assert "--deadline: found" in rankgate("test", "search.yaml", f"--deadline={text}").refused() or not text
