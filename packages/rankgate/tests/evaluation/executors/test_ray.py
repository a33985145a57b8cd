"""A run on a real Ray is the run of this process: equal tables, one limit, one pause, an end that resumes.

`just test-ray` runs this where Ray is, `just test-ray-short` what CI has time for; elsewhere it is left out.
"""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.runs.store.manifest import Manifest
from rankgate.runs.store.run_folder import StoredRun
from rankgate.runs.store.run_writer import RunWriter
from rankgate.runs.store.tables import Shard
from support.ray_nodes import BIN, cluster
from support.recording_server import most_in_a_second, recording_server
from support.same_runs import differing
from support.sweep_projects import asked, write_project

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(find_spec("ray") is None, reason="no Ray here: just test-ray")

APP = """
import os, time

def search(query: str, k: int):
    number = int(query.split()[1])
    if "slow" in query:
        time.sleep(0.02)
    if number % 100 == 7:
        raise ValueError(f"no {number}")
    if "deadly" in query and number == 50:
        os.kill(os.getpid(), 9)
    return [{"id": f"{query} {rank}", "text": f"text of {query}", "score": 1.0} for rank in range(k)]
"""


SCORED_ELSEWHERE = """
import sys
from rankgate.cli.main import main
from rankgate.scoring import evaluate

# Nothing that this process can score with: workers have modules of their own.
evaluate.one_ahead = None
main()
"""
PROCESSES = """
_before = _asked

def _asked(name):
    _before(name)
    with COUNT.with_name("processes.txt").open("a") as file:
        file.write(f"{os.getpid()}\\n")
"""


@pytest.fixture(scope="module")
def ray_here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Start a Ray of one node and two cores; yield the variables that lead there."""
    with cluster(tmp_path_factory.mktemp("ray"), 2) as nodes:
        yield nodes.environment


def project(folder: Path, words: list[str], **system: Any) -> None:
    """Write a project of one system and one suite."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in system.items() if not isinstance(value, dict)]
    tables = [
        f"{key} = {{ {', '.join(f'{name} = {json.dumps(one)}' for name, one in value.items())} }}"
        for key, value in system.items()
        if isinstance(value, dict)
    ]
    (folder / "rankgate.toml").write_text("\n".join(["[systems.app]", *lines, *tables, ""]), encoding="utf-8")
    (folder / "app.py").write_text(APP, encoding="utf-8")
    cases = [{"name": f"q{at}", "query": text, "id": f"{text} 0"} for at, text in enumerate(words)]
    about = {"version": 1, "name": "docs", "metrics": ["rr@10"]}
    text = "\n".join(map(json.dumps, [about, *cases]))
    (folder / "docs.suite.jsonl").write_text(text, encoding="utf-8")


def called(folder: Path, environment: dict[str, str], *options: str) -> subprocess.CompletedProcess[str]:
    return command(folder, environment, "run", "docs.suite.jsonl", *options)


def command(folder: Path, environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    program = [str(BIN / "rankgate"), *words]
    return subprocess.run(
        program, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )


def test_a_run_on_the_cluster_has_the_tables_of_a_local_run(tmp_path: Path, ray_here: dict[str, str]) -> None:
    project(
        tmp_path, [f"word {at}" for at in range(200)], function="app:search", concurrency=4, thread_safe=True
    )
    local = called(tmp_path, ray_here, "-o", "local")
    there = called(tmp_path, ray_here, "-o", "there", "--executor", "ray")
    assert local.returncode == there.returncode == 3, there.stderr
    assert "198 queries answered, 2 failed" in there.stdout
    assert differing(tmp_path / "local", tmp_path / "there") == []


def test_the_scores_of_a_run_are_the_same_to_the_last_digit(tmp_path: Path, ray_here: dict[str, str]) -> None:
    chance = random.Random(4)
    # Values such as 1/3, whose sum depends on the order in which they are added up carelessly.
    shards = [[f"q{at}" for at in range(begin, begin + 20)] for begin in range(0, 200, 20)]
    with RunWriter(tmp_path / "run", Manifest("app")) as writer:
        for queries in shards:
            writer.add(
                Shard.of_rankings({one: [f"d{chance.randrange(30)}" for _ in range(9)] for one in queries})
            )
    judged = [(at, one) for at in range(210) for one in chance.sample(range(30), 3)]
    grades = [f"q{at} 0 d{one} {chance.randrange(3)}" for at, one in judged]
    (tmp_path / "qrels").write_text("\n".join(grades), encoding="utf-8")
    words = ["score", "-q", "qrels", "-r", "run", "--format", "json", "--per-query"]
    words += ["-m", "ndcg@10", "-m", "rr", "-m", "ap", "-m", "r@5", "-m", "rbp"]
    here = command(tmp_path, ray_here, *words)
    program = [sys.executable, "-c", SCORED_ELSEWHERE, *words, "--executor", "ray"]
    there = subprocess.run(
        program, cwd=tmp_path, env=ray_here, capture_output=True, text=True, timeout=600, check=False
    )
    assert here.returncode == there.returncode == 0, there.stderr
    assert here.stdout == there.stdout
    assert "0.33333333333333" in here.stdout


@pytest.mark.long
def test_a_sweep_on_the_cluster_says_what_one_of_this_process_says(
    tmp_path: Path, ray_here: dict[str, str]
) -> None:
    environment = {**ray_here, "RANKGATE_CACHE": str(tmp_path / "cache")}
    said = []
    for folder, more in (("here", ()), ("there", ("--executor", "ray"))):
        (tmp_path / folder).mkdir()
        write_project(tmp_path / folder)
        with (tmp_path / folder / "app.py").open("a", encoding="utf-8") as file:
            file.write(PROCESSES)
        done = command(tmp_path / folder, environment, "sweep", "--format", "json", *more)
        assert done.returncode == 0, done.stderr
        said.append(done.stdout.replace(str(tmp_path / folder), ""))
        assert len(asked(tmp_path / folder)) == 20 * 4
        # A worker for each of the four systems that differ, or this process for all.
        processes = set((tmp_path / folder / "processes.txt").read_text(encoding="utf-8").split())
        assert len(processes) == (4 if more else 1)
    assert without_times(said[0]) == without_times(said[1])
    # What was asked before is not asked again, and needs no worker.
    again = command(tmp_path / "there", environment, "sweep", "--format", "json", "--executor", "ray")
    assert without_times(again.stdout.replace(str(tmp_path / "there"), "")) == without_times(said[1])
    assert len(asked(tmp_path / "there")) == 20 * 4


def without_times(text: str) -> Any:
    """Return a report without what depends on how long things took."""
    found = json.loads(text)
    for sweep in found["sweeps"]:
        for row in sweep["rows"]:
            row["numbers"] = {key: one for key, one in row["numbers"].items() if "second" not in key}
    return found


@pytest.mark.long
def test_an_interrupt_leaves_a_run_that_goes_on(tmp_path: Path, ray_here: dict[str, str]) -> None:
    words = [f"slow {at}" for at in range(3000)]
    project(tmp_path, words, function="app:search", concurrency=4, thread_safe=True, max_errors=100)
    program = [str(BIN / "rankgate"), "run", "docs.suite.jsonl", "-o", "there", "--executor", "ray"]
    with subprocess.Popen(program, cwd=tmp_path, env=ray_here, stderr=subprocess.PIPE, text=True) as process:
        shards = tmp_path / "there"
        end = time.monotonic() + 300
        while not list(shards.glob("**/*.parquet")) and time.monotonic() < end:
            time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        process.wait(120)
    stored = StoredRun.open(shards).manifest
    answered = sum(entry.queries.rows for entry in stored.shards)
    assert not stored.finished
    assert 0 < answered < 3000
    again = called(tmp_path, ray_here, "-o", "there", "--executor", "ray", "--resume")
    assert again.returncode == 0, again.stderr
    assert called(tmp_path, ray_here, "-o", "local").returncode == 0
    assert differing(tmp_path / "local", tmp_path / "there") == []


@pytest.mark.long
def test_a_question_that_ends_the_process_is_an_error_of_its_own(
    tmp_path: Path, ray_here: dict[str, str]
) -> None:
    words = [f"deadly {at}" for at in range(200) if at % 100 != 7]
    project(tmp_path, words, function="app:search", concurrency=2, thread_safe=True)
    there = called(tmp_path, ray_here, "-o", "there", "--executor", "ray")
    assert there.returncode == 3
    assert "197 queries answered, 1 failed" in there.stdout, there.stderr
    assert "the worker that asked it was lost 3 times" in there.stdout
    assert "3 workers of the cluster lost" in there.stdout


@pytest.mark.long
def test_all_workers_keep_one_limit_and_one_pause(tmp_path: Path, ray_here: dict[str, str]) -> None:
    rate, words = 150, [f"word {at}" for at in range(900)]
    words[450] += " busy"
    with recording_server(tmp_path) as server:
        project(
            tmp_path,
            words,
            kind="http",
            url=f"http://127.0.0.1:{server.port}/search",
            params={"q": "{query}"},
            hits="found",
            fields={"id": "id", "score": "score", "text": "text"},
            concurrency=8,
            rate=rate,
        )
        there = called(tmp_path, ray_here, "-o", "there", "--executor", "ray")
        came = server.ended()
    assert there.returncode == 0, there.stderr + there.stdout
    assert len(came) == 901
    times = [at for at, _ in came]
    assert most_in_a_second(times) <= rate * 1.05
    refused = next(at for at, query in came if query.endswith("busy"))
    # What was under way when the pause was asked for still comes; then nothing does for the rest of a second.
    assert not [at for at in times if refused + 0.4 < at < refused + 0.95]


def test_a_wrong_token_is_refused(tmp_path: Path, ray_here: dict[str, str]) -> None:
    project(tmp_path, ["word 1"], function="app:search")
    (tmp_path / "token").write_text("b" * 64, encoding="utf-8")
    # Ray knocks for 30 s otherwise.
    wrong = {**ray_here, "RAY_AUTH_TOKEN_PATH": str(tmp_path / "token"), "RAY_py_gcs_connect_timeout_s": "5"}
    refused = called(tmp_path, wrong, "-o", "there", "--executor", "ray")
    assert refused.returncode == 2, refused.stdout
    assert "RAY_ADDRESS=127.0.0.1:" in refused.stderr
    assert not (tmp_path / "there").exists()


@pytest.mark.long
def test_a_system_that_rankgate_prepares_is_refused(tmp_path: Path, ray_here: dict[str, str]) -> None:
    project(tmp_path, ["word 1"], function="app:search", prepare="true")
    refused = called(tmp_path, ray_here, "-o", "there", "--executor", "ray")
    assert refused.returncode == 2
    assert "a system that every machine can open by itself" in refused.stderr
