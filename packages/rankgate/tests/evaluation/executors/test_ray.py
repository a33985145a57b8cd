"""A run on a real Ray is the run of this process: equal tables, one limit, one pause, an end that resumes.

`just test-ray` runs this where Ray is; elsewhere it is left out.
"""

from __future__ import annotations

import json
import signal
import subprocess
import time
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.runs.store.run_folder import StoredRun
from support.ray_nodes import BIN, cluster
from support.recording_server import most_in_a_second, recording_server
from support.same_runs import differing

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
    program = [str(BIN / "rankgate"), "run", "docs.suite.jsonl", *options]
    return subprocess.run(
        program, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )


def test_a_run_on_the_cluster_has_the_tables_of_a_local_run(tmp_path: Path, ray_here: dict[str, str]) -> None:
    project(
        tmp_path, [f"word {at}" for at in range(1500)], function="app:search", concurrency=4, thread_safe=True
    )
    local = called(tmp_path, ray_here, "-o", "local")
    there = called(tmp_path, ray_here, "-o", "there", "--executor", "ray")
    assert local.returncode == there.returncode == 3, there.stderr
    assert "1,485 queries answered, 15 failed" in there.stdout
    assert differing(tmp_path / "local", tmp_path / "there") == []


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
    wrong = {**ray_here, "RAY_AUTH_TOKEN_PATH": str(tmp_path / "token")}
    refused = called(tmp_path, wrong, "-o", "there", "--executor", "ray")
    assert refused.returncode == 2, refused.stdout
    assert "RAY_ADDRESS=127.0.0.1:" in refused.stderr
    assert not (tmp_path / "there").exists()


def test_a_system_that_rankgate_prepares_is_refused(tmp_path: Path, ray_here: dict[str, str]) -> None:
    project(tmp_path, ["word 1"], function="app:search", prepare="true")
    refused = called(tmp_path, ray_here, "-o", "there", "--executor", "ray")
    assert refused.returncode == 2
    assert "a system that every machine can open by itself" in refused.stderr
