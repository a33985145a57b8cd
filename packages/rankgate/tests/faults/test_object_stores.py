"""Runs in an object store whose writers and readers are killed, race each other, and have a bad line."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import polars as pl
import pytest

from rankgate.errors import InputError
from rankgate.files.stores.copies import new_copy
from rankgate.model import Hit, Ranking
from rankgate.runs.store.fetched import fetched_run
from rankgate.runs.store.manifest import Manifest
from rankgate.runs.store.run_folder import MANIFEST, StoredRun
from rankgate.runs.store.run_writer import RunWriter
from rankgate.runs.store.schemas import TEXTS
from rankgate.runs.store.tables import Shard
from support.bad_lines import BadLine, bad_line
from support.builders import run_of
from support.forked import run_module, start
from support.repository import SUPPORT
from support.seeded_engine import run as ask_seeded

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rankgate.runs.store.run_writer import Existing
    from support.s3_servers import S3Server

pytestmark = [pytest.mark.once, pytest.mark.skipif(os.name != "posix", reason="no SIGKILL")]
ENGINE = SUPPORT / "seeded_engine.py"
MINE = Manifest("mine", contents={"app.py": "0" * 16})


def tables(folder: Path) -> dict[str, pl.DataFrame]:
    """Read everything but latencies, in an order that does not depend on who was asked when."""
    run = StoredRun.open(folder)
    run.verify()
    assert run.manifest.finished is not None
    shards = list(run.shards())
    names = ["query", "rank", "id", "path", "start", "end", "score", "text", "tokens", "matches"]
    return {
        "queries": pl.concat(shard.queries.drop("latency_ms") for shard in shards).sort("query"),
        "hits": pl.concat(shard.scan_hits(names).collect() for shard in shards).sort("query", "rank"),
        "texts": pl.concat(shard.read_texts() for shard in shards).unique().sort("hash"),
    }


def check_same(local: Path, fetched: Path) -> None:
    first, second = tables(local), tables(fetched)
    for name, table in first.items():
        assert table.equals(second[name]), name


def stored(server: S3Server, address: str) -> int:
    """Count the tables of queries that the server has."""
    assert server.folder is not None
    return len(list((server.folder / address.rpartition("/")[2]).glob("queries-*.parquet")))


def kill_writers(server: S3Server, address: str, call: list[str], times: int, folder: Path) -> list[int]:
    """Start a run and kill it, again and again; return how many answers were safe each time."""
    chance, safe = random.Random(times), [0]
    for _ in range(times):
        wanted, delay = stored(server, address) + chance.randint(0, 2), chance.uniform(0, 0.05)
        with start(str(ENGINE), call, folder=folder, env=dict(os.environ)) as process:
            end = time.monotonic() + 60
            while stored(server, address) <= wanted and process.poll() is None and time.monotonic() < end:
                time.sleep(0.001)
            time.sleep(delay)
            process.kill()
            assert process.wait(10) == -signal.SIGKILL, f"it ended before it was killed: {process.err()!r}"
        run = StoredRun.open(fetched_run(address))
        run.verify()
        assert run.manifest.finished is None
        safe.append(sum(entry.queries.rows for entry in run.manifest.shards))
        assert safe[-1] >= safe[-2]
    return safe


def check_killed_writers(
    server: S3Server,
    address: str,
    tmp_path: Path,
    times: int,
    count: int,
    record: Callable[[str, object], None],
) -> None:
    ask_seeded(tmp_path / "local", count, 20, 2)
    call = [address, str(count), "20", "2"]
    safe = kill_writers(server, address, call, times, tmp_path)
    with start(str(ENGINE), call, folder=tmp_path, env=dict(os.environ)) as process:
        assert process.wait(240) == 0, process.err()
    fetched = fetched_run(address)
    check_same(tmp_path / "local", fetched)
    written = StoredRun.open(fetched).manifest.writer
    assert written is not None
    assert written.epoch > times // 2
    record(
        "figures",
        f"{times} kills, {count} queries, {safe[-1]} answers safe after the last, epoch {written.epoch}",
    )


def test_a_run_that_is_killed_ends_as_if_it_had_not_been(
    server: S3Server, address: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    check_killed_writers(server, address, tmp_path, 3, 500, record_property)


@pytest.mark.long
def test_a_run_that_is_killed_twenty_times_ends_as_if_it_had_not_been(
    server: S3Server, address: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    check_killed_writers(server, address, tmp_path, 20, 1500, record_property)


@pytest.mark.long
def test_a_run_that_is_killed_over_a_bad_line_ends_as_if_it_had_not_been(
    server: S3Server,
    address: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> None:
    line = BadLine(refused=0.05, unheard=0.02, unanswered=0.02, cut=0.01, seed=3)
    with bad_line(server, line) as bad:
        monkeypatch.setenv("AWS_ENDPOINT_URL", bad.url)
        check_killed_writers(server, address, tmp_path, 5, 800, record_property)
    record_property("figures", f"{line.requests} requests, {line.faults}")
    assert sum(line.faults.values()) > 20


def check_killed_readers(
    address: str, tmp_path: Path, times: int, count: int, record: Callable[[str, object], None]
) -> None:
    ask_seeded(tmp_path / "local", count, 20, 2)
    ask_seeded(new_copy(address), count, 20, 2)
    answered = tables(tmp_path / "local")["hits"].filter(pl.col("rank") == 2)
    lines = [f"{query} 0 {name} 1\n" for query, name in answered.select("query", "id").iter_rows()]
    (tmp_path / "qrels").write_text("".join(lines), encoding="utf-8")
    ask = ["score", "-q", "qrels", "--per-query", "--format", "csv", "-r"]
    env = {**os.environ, "RANKGATE_CACHE": str(tmp_path / "killed")}
    chance, partly = random.Random(times), 0
    whole = 3 * len(StoredRun.open(tmp_path / "local").manifest.shards)
    for number in range(times):
        wanted = chance.randint(0, whole * (number + 1) // (times + 1))
        with start("rankgate", [*ask, address], folder=tmp_path, env=env) as process:
            end = time.monotonic() + 60
            while _kept(tmp_path) <= wanted and process.poll() is None and time.monotonic() < end:
                time.sleep(0.001)
            process.kill()
            process.wait(10)
        partly += 0 < _kept(tmp_path) < whole
    remote = run_module("rankgate", [*ask, address], folder=tmp_path, env=env, timeout=120)
    local = run_module("rankgate", [*ask, "local"], folder=tmp_path, env=env, timeout=120)
    assert remote.returncode == local.returncode == 0, remote.stderr
    assert remote.stdout == local.stdout
    assert len(remote.stdout.splitlines()) > len(lines)
    assert partly > 0
    record("figures", f"{times} kills of a reader, {partly} with a part of {whole} objects fetched")


def _kept(tmp_path: Path) -> int:
    return sum(1 for path in (tmp_path / "killed").glob("objects/*/*") if path.suffix != ".tmp")


def test_a_reader_that_is_killed_leaves_nothing_that_another_trips_over(
    server: S3Server, address: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    check_killed_readers(address, tmp_path, 3, 500, record_property)


@pytest.mark.long
def test_twenty_killed_readers_leave_nothing_that_another_trips_over(
    server: S3Server, address: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    check_killed_readers(address, tmp_path, 20, 1500, record_property)


def shard(who: str) -> Shard:
    made = next(iter(run_of({"q0": Ranking((Hit(id=who),)), "q1": Ranking((Hit(id=who),))}).shards()))
    return Shard(made.queries, made.hits, TEXTS.empty())


def write_one(address: str, who: str, existing: Existing, barrier: threading.Barrier) -> bool:
    """Write a shard to a run, and return whether it was written."""
    folder = new_copy(address)
    barrier.wait()
    try:
        with RunWriter(folder, MINE, existing=existing) as writer:
            if "q0" in writer.done:
                return False
            writer.add(shard(who))
    except InputError:
        return False
    return True


def check_races(address: str, times: int, record: Callable[[str, object], None]) -> None:
    wins = {"a": 0, "b": 0}
    for number in range(times):
        place, existing = f"{address}-{number}", ("refuse", "resume")[number % 2]
        barrier = threading.Barrier(2)
        with ThreadPoolExecutor(2) as threads:
            both = {who: threads.submit(write_one, place, who, existing, barrier) for who in wins}  # type: ignore[arg-type]
        won = [who for who, one in both.items() if one.result()]
        run = StoredRun.open(fetched_run(place))
        run.verify()
        hits = pl.concat(one.scan_hits(["query", "id"]).collect() for one in run.shards())
        assert set(hits["id"]) == set(won), (number, existing, won)
        assert len(won) == 1
        assert sorted(hits["query"]) == ["q0", "q1"]
        wins[won[0]] += 1
    record("figures", f"{times} races, won by {wins}")


def test_of_two_writers_of_one_shard_one_wins(
    server: S3Server, address: str, record_property: Callable[[str, object], None]
) -> None:
    check_races(address, 10, record_property)


@pytest.mark.long
def test_of_two_writers_of_one_shard_one_wins_two_hundred_times(
    server: S3Server, address: str, record_property: Callable[[str, object], None]
) -> None:
    check_races(address, 200, record_property)


def check_bad_line(
    server: S3Server, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> BadLine:
    line = BadLine(refused=0.05, unheard=0.02, unanswered=0.02, cut=0.01, seed=count)
    ask_seeded(tmp_path / "local", count, 10, 2)
    with bad_line(server, line) as bad:
        monkeypatch.setenv("AWS_ENDPOINT_URL", bad.url)
        ask_seeded(new_copy(address), count, 10, 2)
        # What failed is asked again, and replaced.
        ask_seeded(new_copy(address), count, 10, 2)
        fetched = fetched_run(address)
    check_same(tmp_path / "local", fetched)
    monkeypatch.setenv("AWS_ENDPOINT_URL", server.url)
    check_same(tmp_path / "local", fetched_run(address))
    manifest = StoredRun.open(fetched).manifest
    assert server.folder is not None
    objects = [path.name for path in (server.folder / address.rpartition("/")[2]).iterdir()]
    assert sorted(objects) == sorted([MANIFEST, *(path.name for path in fetched.glob("*.parquet"))]), (
        "every object is one that the manifest names"
    )
    assert len(objects) == 1 + 3 * len(manifest.shards)
    return line


def test_over_a_bad_line_nothing_is_lost_and_nothing_mixed(
    server: S3Server, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = check_bad_line(server, address, tmp_path, monkeypatch, 200)
    assert sum(line.faults.values()) > 5


@pytest.mark.long
def test_over_a_bad_line_nothing_is_lost_and_nothing_mixed_in_a_long_run(
    server: S3Server,
    address: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> None:
    line = check_bad_line(server, address, tmp_path, monkeypatch, 1500)
    record_property("figures", f"{line.requests} requests, {line.faults}")
    assert min(line.faults.values()) > 5
