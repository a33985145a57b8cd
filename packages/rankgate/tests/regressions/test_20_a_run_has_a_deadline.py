"""A run ends when it should: ``--deadline 20m`` for all of it, ``timeout`` for one call of a function."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import polars as pl
import pytest

from rankgate.model.search import Query
from rankgate.runs.store.run_folder import StoredRun
from rankgate.systems.function.system import FunctionOptions, FunctionSystem
from support.commands import rankgate, rankgate_alone
from support.pytest_sessions import run_pytest

if TYPE_CHECKING:
    from pathlib import Path

CASES = "".join(f"  - {{query: {word}, id: a}}\n" for word in ("one", "two", "three", "four"))
SUITE = f"gates: [rr >= 0]\ncases:\n{CASES}"
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


def test_the_deadline_of_a_command_ends_it_with_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project(tmp_path))
    done = rankgate_alone("test", "search.yaml", "--deadline", "5s", "-o", "json=out.json")
    assert done.code == 3, done.err
    assert "deadline of 5s" in done.out
    assert (tmp_path / "out.json").is_file()


@pytest.mark.parametrize(("concurrency", "late"), [(1, 3), (2, 1)])
def test_a_function_that_never_returns_ends_with_the_deadline(
    tmp_path: Path, concurrency: int, late: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = f"deadline = '3s'\nthread_safe = true\nconcurrency = {concurrency}"
    monkeypatch.chdir(project(tmp_path, options))
    done = rankgate("test", "search.yaml")
    assert done.code == 3, done.err
    assert "no answer before the deadline of 3s" in done.out
    assert f"System error on {late} of 4 queries" in done.out


def test_what_was_not_asked_before_the_deadline_is_told_and_has_no_latency(
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


def test_a_rate_is_not_waited_for_after_the_deadline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project(tmp_path))
    (tmp_path / "app.py").write_text("def search(query, k):\n    return ['a']\n")
    begun = time.monotonic()
    assert rankgate("test", "search.yaml", "--deadline", "1s", "--rate", "0.01").code == 3
    assert time.monotonic() - begun < 90


@pytest.mark.parametrize("target", ["search", "later"])
def test_a_function_that_never_returns_costs_one_query(
    tmp_path: Path, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project(tmp_path, "timeout = 0.5", target))
    done = rankgate("test", "search.yaml")
    assert done.code == 3, done.err
    assert "no answer after 0.5 s" in done.out
    assert "System error on 1 of 4 queries" in done.out
    assert "1 thread that did not answer in time and was left behind" in " ".join(done.out.split())
    (kept,) = tmp_path.glob(".rankgate/**/run/queries-*.parquet")
    late = pl.read_parquet(kept).filter(pl.col("status") == "timeout")
    assert late["latency_ms"].item() >= 500


def test_a_deadline_of_the_configuration_holds_for_pytest_too(tmp_path: Path) -> None:
    session = run_pytest(project(tmp_path, "deadline = '3s'"), "-rA", "search.yaml")
    assert session.code == 1
    assert session.outcomes()["search.yaml::one"] == "PASSED"
    assert session.outcomes()["search.yaml::two"] == "FAILED"
    assert "no answer before the deadline of 3s" in session.out


def test_steps_of_a_scenario_end_at_the_deadline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n")
    walk = "corpus: docs/\nscenarios:\n  - {name: walk, steps: [{tree: a.md, has: [a.md]}]}\n"
    cases = "gates: [rr >= 0]\ncases:\n  - {query: one, at: a.md}\n"
    monkeypatch.chdir(project(tmp_path, target="Tree", suite=walk + cases))
    done = rankgate("test", "search.yaml", "--deadline", "1.5s")
    assert done.code == 3, (done.out, done.err)
    assert "deadline of 1.5s" in done.out


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("20m", 1200), ("1h", 3600), ("1h30m5s", 5405)])
def test_a_length_of_time_has_units(text: str, seconds: int) -> None:
    from rankgate.runs.asking.deadline import parse_length

    assert parse_length(text) == seconds


@pytest.mark.parametrize("text", ["", "20", "20 minutes", "-1s", "0s", "m", "1s1m"])
def test_anything_else_is_no_length_of_time(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project(tmp_path, f"deadline = '{text}'"))
    refused = rankgate("test", "search.yaml").refused()
    assert "systems.app.deadline: found" in refused
    assert "such as 90s, 20m or 1h" in refused
    assert "--deadline: found" in rankgate("test", "search.yaml", f"--deadline={text}").refused() or not text


def test_a_call_within_its_limit_is_answered_from_one_thread() -> None:
    import threading

    seen = set()

    def search(query: str, k: int) -> list[str]:
        seen.add(threading.current_thread())
        return [query] * k

    system = FunctionSystem(search, FunctionOptions(timeout=30.0))
    assert [len(system.search(Query("a", k=2)).hits) for _ in range(3)] == [2, 2, 2]
    assert len(seen) == 1
    assert threading.current_thread() not in seen
    assert system.left_behind == 0
