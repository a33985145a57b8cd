"""Ctrl-C, as a terminal sends it, to a run that waits for slow systems in every way there is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from rankgate.runs.store.run_folder import StoredRun
from support.http_servers import eventually

if TYPE_CHECKING:
    from pathlib import Path

# Whole runs in processes of their own are the same on every Python.
pytestmark = pytest.mark.once

APP = """\
import asyncio, time
from pathlib import Path
def wait(query):
    Path("asked").touch()
    return 60 if query == "slow" else 0
def search(query, k):
    time.sleep(wait(query))
    return ["a"]
async def later(query, k):
    await asyncio.sleep(wait(query))
    return ["a"]
"""
CONFIGURATION = """\
[systems.threads]
function = "app:search"
thread_safe = true
concurrency = 4
[systems.one]
function = "app:search"
[systems.asynchronous]
function = "app:later"
[systems.slowly]
function = "app:search"
rate = 0.01
[systems.commands]
command = ["sh", "-c", "touch asked; sleep 61", "{query}"]
concurrency = 3
[systems.warming]
function = "app:search"
thread_safe = true
concurrency = 2
warmup = 4
"""
SUITE = "cases:\n  - {query: fast, id: a}\n  - {query: slow, id: a}\n"


@pytest.mark.skipif(os.name != "posix", reason="no SIGINT to send")
@pytest.mark.parametrize("system", ["threads", "one", "asynchronous", "slowly", "commands", "warming"])
def test_an_interrupt_ends_a_run_soon_and_keeps_what_was_answered(tmp_path: Path, system: str) -> None:
    (tmp_path / "app.py").write_text(APP)
    (tmp_path / "rankgate.toml").write_text(CONFIGURATION)
    (tmp_path / "search.yaml").write_text(SUITE)
    process = subprocess.Popen(
        [sys.executable, "-m", "rankgate", "run", "search.yaml", "-s", system, "-o", "out"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert eventually((tmp_path / "asked").exists, 30)
        time.sleep(0.5)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    finally:
        process.kill()
    assert time.monotonic() - start < 10
    assert (process.returncode, out, err.strip()) == (130, "", "stopped")
    kept = [query for shard in StoredRun.open(tmp_path / "out").shards() for query in shard.queries["query"]]
    assert kept == ([] if system in ("commands", "warming") else ["fast"])
