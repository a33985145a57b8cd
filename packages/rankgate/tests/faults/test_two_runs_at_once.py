"""Two processes and one folder: the second is told who has it, and the first notices nothing."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from rankgate.io.file_names import file_name
from rankgate.runs.store.run_folder import StoredRun
from support.forked import start
from support.http_servers import eventually

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.forked import Forked

# Whole runs in processes of their own are the same on every Python.
pytestmark = pytest.mark.once

COUNT = 40
SYSTEM = """
import pathlib, time

def search(query, k):
    # Waits until the test has seen enough, so that the run is under way for as long as it takes.
    pathlib.Path("asked").open("a").write(query + "\\n")
    while not pathlib.Path("go").exists():
        time.sleep(0.01)
    return [query]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    cases = [
        {"name": f"q{number}", "query": f"text-{number}", "id": f"text-{number}"} for number in range(COUNT)
    ]
    about = {"version": 1, "name": "small", "metrics": ["rr@10"]}
    text = "\n".join(map(json.dumps, [about, *cases]))
    (tmp_path / "small.suite.jsonl").write_text(text, encoding="utf-8")
    (tmp_path / "engine.py").write_text(SYSTEM, encoding="utf-8")
    return tmp_path


def command(project: Path, *words: str) -> Forked:
    args = [words[0], "small.suite.jsonl", "-s", "./engine.py:search", *words[1:]]
    return start("rankgate", args, folder=project, env=os.environ)


@contextmanager
def under_way(project: Path, *words: str) -> Iterator[Forked]:
    """Start a command and wait until it asks; what is still there at the end is killed."""
    with command(project, *words) as process:
        assert eventually((project / "asked").exists, 30)
        yield process


def ended(process: Forked) -> tuple[int, str, str]:
    with process:
        code = process.wait(60)
        return code, process.out().decode(), process.err().decode()


def check_whole(folder: Path) -> None:
    run = StoredRun.open(folder)
    run.verify()
    assert run.manifest.finished is not None
    queries = [query for shard in run.shards() for query in shard.queries["query"]]
    assert sorted(queries) == sorted(f"q{number}" for number in range(COUNT))


RUN = ("run", "-o", "out")
RESULTS = f".rankgate/{file_name('small.suite.jsonl')}/{file_name('./engine.py:search')}"
FOLDERS = {"run": "out", "test": f"{RESULTS}/run"}


@pytest.mark.parametrize("words", [RUN, (*RUN, "--resume"), (*RUN, "--replace"), ("test",)])
def test_a_second_process_is_refused_at_once_and_the_first_is_not_disturbed(
    project: Path, words: tuple[str, ...]
) -> None:
    first_words = RUN if words[0] == "run" else ("test",)
    with under_way(project, *first_words) as first:
        start = time.monotonic()
        code, out, err = ended(command(project, *words))
        assert time.monotonic() - start < 15
        assert (code, out) == (2, "")
        assert re.search(rf"found a run under way \(process {first.pid}, since \S+\), expected none", err), (
            err
        )
        assert "wait for it, or name another folder" in err
        assert first.poll() is None
        (project / "go").touch()
        code, _, err = ended(first)
        assert (code, err) == (0, "")
    check_whole(project / FOLDERS[words[0]])
    assert len((project / "asked").read_text().split()) == COUNT


@pytest.mark.skipif(os.name != "posix", reason="no SIGKILL")
@pytest.mark.parametrize("words", [(*RUN, "--resume"), ("test",)])
def test_a_lock_that_a_killed_process_left_is_in_nobodys_way(project: Path, words: tuple[str, ...]) -> None:
    folder = project / FOLDERS[words[0]]
    with under_way(project, *words) as first:
        first.kill()
        assert first.wait(10) == -signal.SIGKILL
    assert (folder / ".lock.txt").read_text().startswith(f"process {first.pid}, since ")
    (project / "go").touch()
    code, _, err = ended(command(project, *words))
    assert (code, err) == (0, "")
    check_whole(folder)
    assert not (folder / ".lock.txt").exists()


def test_of_many_that_start_together_one_runs_and_the_others_are_refused(project: Path) -> None:
    together = [command(project, *RUN) for _ in range(5)]
    assert eventually((project / "asked").exists, 30)
    assert eventually(lambda: sum(one.poll() is None for one in together) == 1, 60)
    (project / "go").touch()
    done = [ended(one) for one in together]
    assert sorted(code for code, _, _ in done) == [0, 2, 2, 2, 2]
    assert sum("a run under way" in err for _, _, err in done) == 4
    check_whole(project / "out")
    assert len((project / "asked").read_text().split()) == COUNT


def test_runs_in_folders_of_their_own_do_not_mind_each_other(project: Path) -> None:
    (project / "go").touch()
    both = [command(project, "run", "-o", name) for name in ("one", "other")]
    assert [ended(process)[0] for process in both] == [0, 0]
    for name in ("one", "other"):
        check_whole(project / name)
