"""Runs that are killed again and again: what is left in the end is what an undisturbed run leaves."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from rankgate.runs.store.hits import errored_queries
from rankgate.runs.store.run_folder import MANIFEST, StoredRun
from support.forked import start
from support.repository import SUPPORT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.forked import Forked

ENGINE = SUPPORT / "seeded_engine.py"
COUNT = 10_000
FAILED = {"error": 331, "timeout": 161}
_NUMBERED = re.compile(r"queries-(\d+)\.parquet")
_WAYS = ("at any time", "while asking", "while writing", "between two files")

# Whole runs in processes of their own are the same on every Python.
pytestmark = [pytest.mark.once, pytest.mark.skipif(os.name != "posix", reason="no SIGKILL")]


@dataclass
class Victim:
    """A run that can be started again and again."""

    call: list[str]
    """The command."""
    folder: Path
    """Where it writes."""
    at_once: int
    """How many answers a kill may lose: those of a shard, and those on their way to it."""

    @property
    def asked(self) -> Path:
        return self.folder.with_name(f"{self.folder.name}.asked")

    def start(self) -> Forked:
        env = {**os.environ, "ASKED": str(self.asked)}
        name, *args = self.call
        return start(name, args, folder=self.folder.parent, env=env)

    def finish(self, code: int) -> StoredRun:
        with self.start() as process:
            assert process.wait(120) == code, process.err()
        return StoredRun.open(self.folder)

    def files(self) -> list[str]:
        return [path.name for path in self.folder.iterdir()] if self.folder.is_dir() else []

    def shards(self) -> int:
        return sum(bool(_NUMBERED.fullmatch(name)) for name in self.files())

    def named(self) -> set[int]:
        """Return the numbers of the shards that the manifest names."""
        if not (self.folder / MANIFEST).exists():
            return set()
        return {entry.number for entry in StoredRun.open(self.folder).manifest.shards}

    def half_done(self) -> set[tuple[str, int]]:
        """List what stands there of a shard or a manifest that was being written, with its time."""
        named = self.named()
        left = [
            self.folder / name
            for name in self.files()
            if name.endswith(".tmp") or ((one := _NUMBERED.fullmatch(name)) and int(one[1]) not in named)
        ]
        return {(path.name, path.stat().st_mtime_ns) for path in left}


@dataclass
class Kills:
    """What a row of kills came to."""

    total: int = 0
    half_done: int = 0
    before_the_first_shard: int = 0
    asked_again: int = 0
    """How many queries were stored as errors, and so asked again, in all that was resumed."""


def kill(victim: Victim, chance: random.Random, most: int) -> None:
    """Start the run and kill it, before it stores more than `most` shards."""
    way, before = chance.choice(_WAYS), victim.shards()
    wanted = before + chance.randint(0, max(0, most - 1))
    delay = chance.uniform(0, 1.0) if way == "at any time" else chance.uniform(0, 0.004)
    with victim.start() as process:
        begun = time.monotonic()

        def reached() -> bool:
            stored = victim.shards()
            if stored >= before + most or process.poll() is not None:
                return True
            if way == "at any time":
                return time.monotonic() - begun > delay
            if way == "between two files":
                return stored > wanted
            if stored < wanted:
                return False
            return way == "while asking" or any(name.endswith(".tmp") for name in victim.files())

        while not reached() and time.monotonic() < begun + 60:
            time.sleep(0.0002)
        if way in ("while asking", "while writing"):
            time.sleep(delay)
        process.kill()
        assert process.wait(10) == -signal.SIGKILL, "it ended before it was killed"


def killed(victim: Victim, times: int, most: int, seed: int) -> Kills:
    """Kill a run so many times; whatever is stored by then must be whole and never become less."""
    chance, kills, answers = random.Random(seed), Kills(), 0
    for _ in range(times):
        before = victim.half_done()
        kill(victim, chance, most)
        kills.total += 1
        kills.half_done += bool(victim.half_done() - before)
        if not (victim.folder / MANIFEST).exists():
            kills.before_the_first_shard += 1
            continue
        stored = StoredRun.open(victim.folder)
        stored.verify()
        assert stored.manifest.finished is None
        now = sum(shard.queries.height for shard in stored.shards())
        assert answers <= now < COUNT
        kills.asked_again += errored_queries(stored)
        kills.before_the_first_shard += not now
        answers = now
    return kills


def tables(run: StoredRun) -> dict[str, pl.DataFrame]:
    """Read everything but latencies, in an order that does not depend on who was asked when."""
    shards = list(run.shards())
    names = ["query", "rank", "id", "path", "start", "end", "score", "text", "tokens"]
    return {
        "queries": pl.concat(shard.queries.drop("latency_ms") for shard in shards).sort("query"),
        "hits": pl.concat(shard.scan_hits(names).collect() for shard in shards).sort("query", "rank"),
        "texts": pl.concat(shard.read_texts() for shard in shards).unique().sort("hash"),
    }


def about(run: StoredRun) -> Any:
    """Give what a manifest says beside times and files."""
    return json.loads(replace(run.manifest, started=None, finished=None, shards=()).to_json())


def check_same(undisturbed: StoredRun, disturbed: StoredRun) -> None:
    for run in (undisturbed, disturbed):
        run.verify()
        assert run.manifest.finished is not None
        assert not list(run.folder.glob(".*.tmp"))
        # Every Parquet file is one that the manifest names.
        assert len(list(run.folder.glob("*.parquet"))) == 3 * len(run.manifest.shards)
    first, second = tables(undisturbed), tables(disturbed)
    assert second["queries"]["query"].n_unique() == second["queries"].height == COUNT
    statuses = dict(second["queries"].group_by("status").len().iter_rows())
    assert {name: statuses[name] for name in FAILED} == FAILED
    for name, table in first.items():
        assert table.equals(second[name]), name
    assert about(undisturbed) == about(disturbed)


def check_killed(
    make: Callable[[str], Victim],
    times: int,
    most: int,
    code: int,
    record: Callable[[str, object], None],
) -> None:
    """Run once in peace and once with kills, compare, and keep the figures for the log."""
    undisturbed, victim = make("undisturbed"), make("killed")
    whole = undisturbed.finish(code)
    assert undisturbed.asked.stat().st_size == COUNT
    kills = killed(victim, times, most, seed=times)
    check_same(whole, victim.finish(code))
    asked = victim.asked.stat().st_size
    assert COUNT <= asked <= COUNT + kills.total * victim.at_once + kills.asked_again
    assert kills.half_done > 0
    record(
        "figures",
        f"{kills.total} kills, {kills.half_done} of them inside a write, {kills.before_the_first_shard} "
        f"before anything was stored; {asked:,} queries asked for {COUNT:,} needed and at most "
        f"{kills.asked_again:,} that had failed",
    )


def executing(tmp_path: Path, size: int, threads: int) -> Callable[[str], Victim]:
    def make(name: str) -> Victim:
        folder = tmp_path / name
        call = [str(ENGINE), str(folder), str(COUNT), str(size), str(threads)]
        # A thread has one answer under way and four in the queue while a shard is written.
        return Victim(call, folder, size + (5 * threads if threads > 1 else 0))

    return make


@pytest.mark.parametrize("threads", [pytest.param(1, marks=pytest.mark.long), 4])
def test_a_run_that_is_killed_ten_times_ends_as_if_it_had_not_been(
    tmp_path: Path, threads: int, record_property: Callable[[str, object], None]
) -> None:
    check_killed(executing(tmp_path, 100, threads), 10, 8, 0, record_property)


@pytest.mark.long
@pytest.mark.parametrize("threads", [1, 4])
def test_a_run_that_is_killed_a_hundred_times_ends_as_if_it_had_not_been(
    tmp_path: Path, threads: int, record_property: Callable[[str, object], None]
) -> None:
    check_killed(executing(tmp_path, 20, threads), 100, 4, 0, record_property)


def test_the_command_goes_on_with_resume_after_every_kill(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    threads = 4
    lines = ({"name": f"q{number}", "query": f"text {number}", "id": "doc-1-1"} for number in range(COUNT))
    about_it = {"version": 1, "name": "many", "metrics": ["rr@10"]}
    text = "\n".join(json.dumps(line) for line in (about_it, *lines))
    (tmp_path / "many.suite.jsonl").write_text(text, encoding="utf-8")
    (tmp_path / "rankgate.toml").write_text(
        f"[systems.seeded]\nfunction = '{ENGINE}:search'\nthread_safe = true\nconcurrency = {threads}\n",
        encoding="utf-8",
    )

    def make(name: str) -> Victim:
        call = ["rankgate", "run", "many.suite.jsonl", "-o", name, "--resume"]
        return Victim(call, tmp_path / name, 1000 + 5 * threads)

    check_killed(make, 4, 2, 3, record_property)
