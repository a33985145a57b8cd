"""The queries that a server receives during a test: those of the suite, each once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from support.commands import rankgate
from support.http_servers import Server, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

QUERIES = [f"query {number}" for number in range(6)]
CASES = "gates: [hit@5 = 100%]\ncases:\n" + "".join(
    f"  - {{query: {one}, at: right.md}}\n" for one in QUERIES
)
INVARIANTS = """\
invariants:
  - {name: plural, same-results: [query 0, query 1]}
  - {name: again, same-results: [query 1, new]}
  - {name: other, same-results: [new, query 3]}
  - {name: filtered, filter-only: query 0, filters: {lang: en}, only: ["*.md"]}
  - {name: steady, stable: query 2, times: 3}
"""


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as found:
        found.answer = {"found": [{"path": "right.md"}]}
        yield found


@pytest.fixture
def project(tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "search.yaml").write_text(CASES)
    (tmp_path / "rankgate.toml").write_text(
        'suites = ["search.yaml"]\n[systems.app]\nkind = "http"\nhits = "found"\n'
        f'url = "{server.url}/search"\nwarmup = 0\n'
        'params = {q = "{query}", lang = "{filters.lang}"}\n'
    )
    return tmp_path


def sent(server: Server) -> list[str]:
    return [one["params"]["q"][0] for one in server.asked]


@pytest.mark.usefixtures("project")
def test_green_test_sends_each_query_once(server: Server) -> None:
    assert rankgate("test").code == 0
    assert sent(server) == QUERIES


@pytest.mark.usefixtures("project")
def test_red_test_sends_each_query_once(server: Server) -> None:
    server.answer = {"found": [{"path": "wrong.md"}]}
    assert rankgate("test", "-v").code == 1
    assert sent(server) == QUERIES


@pytest.mark.skipif(os.name != "posix", reason="no SIGINT for one process")
def test_interrupted_test_sends_no_query_twice(project: Path, server: Server) -> None:
    process: list[subprocess.Popen[bytes]] = []

    def answer(_: dict[str, Any]) -> object:
        if len(server.asked) == 3:
            process[0].send_signal(signal.SIGINT)
            time.sleep(0.5)
        return {"found": [{"path": "right.md"}]}

    server.answer = answer
    command = [sys.executable, "-m", "rankgate", "test"]
    process.append(subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
    text, _ = process[0].communicate(timeout=120)
    assert process[0].returncode == 130, text
    assert sent(server) == QUERIES[:3]


def test_equal_queries_of_cases_and_invariants_run_once(project: Path, server: Server) -> None:
    (project / "search.yaml").write_text(CASES + INVARIANTS)
    done = rankgate("test", "search.yaml", "--k", "10")
    assert done.code == 0, done.out + done.err
    unfiltered = [one["params"]["q"][0] for one in server.asked if not one["params"].get("lang")]
    assert Counter(unfiltered) == {**dict.fromkeys(QUERIES, 1), "new": 1, "query 2": 4}
    assert len(server.asked) == len(unfiltered) + 1
