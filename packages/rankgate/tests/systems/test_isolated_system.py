"""Systems in a process of their own: whatever they do costs one question, and no process is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import InputError, RetriableError, SystemFailedError
from rankgate.evaluation.configuration import find_configuration
from rankgate.evaluation.project.opening import opened
from rankgate.model import Query
from rankgate.runs.asking.ask import CaseQuery
from rankgate.runs.asking.execute import execute
from rankgate.runs.asking.workers import open_instances
from rankgate.runs.store.manifest import Manifest
from rankgate.systems.adapter.failures import TimedOutError
from rankgate.systems.isolated import IsolatedSystem
from rankgate.testing import check_system
from support.http_servers import eventually
from support.processes import ended, lives

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ENGINE = """
import os, signal, subprocess, sys, time
from rankgate.errors import Problem, RetriableError, SystemFailedError
from rankgate.model import Hit, Lines, Ranking

__version__ = "4.2"
OPENED = time.monotonic()
if os.path.exists(__file__ + ".slow"):
    time.sleep(1)

class Odd(Exception):
    def __str__(self):
        raise TypeError("no words")

def endless(query):
    while True:
        yield "a"

def deaf():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(60)

def forked():
    for _ in range(2):
        if os.fork() == 0:
            time.sleep(60)
    return [str(os.getpid())]

def started():
    child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"])
    return [str(child.pid)]

def printed():
    print("to standard output")
    os.write(1, b"and by its number\\n" * 10000)
    return [repr(sys.stdin.read()), subprocess.run("cat", capture_output=True).stdout.decode() or "nothing"]

def raising(error):
    raise error

DEEDS = {
    "hang": lambda: time.sleep(60),
    "deaf": deaf,
    "exit": lambda: os._exit(7),
    "leave": lambda: sys.exit("goodbye"),
    "crash": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "fork": forked,
    "start": started,
    "print": printed,
    "large": lambda: [{"id": "a", "text": "x" * 100_000_000}],
    "rather large": lambda: [{"id": "a", "text": "x" * 50_000_000}],
    "odd": lambda: raising(Odd()),
    "interrupt": lambda: raising(KeyboardInterrupt()),
    "memory": lambda: raising(MemoryError()),
    "late": lambda: raising(TimeoutError("9 s")),
    "busy": lambda: raising(RetriableError(Problem("index", "a lock", "none"), 2.5, 503)),
    "nonsense": lambda: 42,
    "huge number": lambda: Ranking((Hit("a", tokens=10 ** 5000),)),
    "half a pair": lambda: ["a\\ud800"],
    "whole": lambda: Ranking((Hit("a", "a.md", Lines(2, 3), 0.5, "words", 7, 2), Hit("b")), 9),
    "many": lambda: ["a"] * 50,
    "process": lambda: [str(os.getpid())],
}

def search(query, k, filters):
    if filters:
        return [f"{name}={value!r}" for name, value in filters.items()]
    return DEEDS.get(query, lambda: [query, str(k)])()

class Closing:
    def search(self, query):
        return [query]

    def close(self):
        open("closed", "a").write("x")

class Stubborn(Closing):
    def close(self):
        time.sleep(60)
"""


@pytest.fixture
def engine(tmp_path: Path) -> Callable[..., IsolatedSystem]:
    (tmp_path / "engine.py").write_text(ENGINE, encoding="utf-8")

    def opening(timeout: float = 1.0, target: str = "search") -> IsolatedSystem:
        described = {"kind": "function", "target": f"./engine.py:{target}", "root": str(tmp_path)}
        return IsolatedSystem("app", described, timeout)

    return opening


def ids(system: Any, text: str = "a key", **query: Any) -> list[str | None]:
    return [hit.id for hit in system.search(Query(text, **query)).hits]


def test_it_keeps_the_contract(engine: Callable[..., IsolatedSystem]) -> None:
    check_system(engine(5.0), ("rotate a key", "hook"), secrets=("s3cr3t",))


def test_an_answer_comes_through_whole(engine: Callable[..., IsolatedSystem]) -> None:
    with closing(engine()) as system:
        found = system.search(Query("whole"))
        assert (found.hits[0].id, found.hits[0].path, found.hits[0].score) == ("a", "a.md", 0.5)
        lines = found.hits[0].lines
        assert lines is not None
        assert (lines.start, lines.end) == (2, 3)
        assert (found.hits[0].text, found.hits[0].tokens, found.hits[0].matches) == ("words", 7, 2)
        assert (found.hits[1].id, found.tokens) == ("b", 9)
        assert ids(system, filters={"language": ("go", "c"), "year": "9"}) == [
            "language=('go', 'c')",
            "year='9'",
        ]
        assert len(ids(system, "many", k=3)) == 3
        assert system.dropped == 47
        assert ids(system, "größe 鍵 " * 5000) == ["größe 鍵 " * 5000, "10"]


def test_it_says_what_it_is(engine: Callable[..., IsolatedSystem]) -> None:
    with closing(engine(2.5)) as system:
        assert (system.name, system.version, system.thread_safe) == ("app", "4.2", False)
        said = system.describe()
        assert (said["kind"], said["isolate"], said["timeout"]) == ("function", "process", 2.5)
        assert said["target"] == "./engine.py:search"


@pytest.mark.parametrize("deed", ["hang", "deaf"])
def test_what_hangs_is_ended_in_time_and_the_next_question_is_answered(
    engine: Callable[..., IsolatedSystem], deed: str, tmp_path: Path
) -> None:
    (tmp_path / "engine.py.slow").touch()
    with closing(engine()) as system:
        (before,) = ids(system, "process")
        start = time.monotonic()
        with pytest.raises(TimedOutError, match=r"process of app: found no answer after 1 s.*restarted"):
            system.search(Query(deed))
        assert time.monotonic() - start < 15
        assert ended(int(before or 0))
        start = time.monotonic()
        assert ids(system) == ["a key", "10"]
        assert time.monotonic() - start < 0.9, "the start, a second long, is part of the latency"
        assert system.restarts == 1
        assert ids(system, "process") != [before]


@pytest.mark.parametrize(
    ("deed", "said"),
    [
        ("exit", "the end of the process (exit code 7)"),
        ("crash", f"the end of the process (signal {int(signal.SIGSEGV)})"),
        ("interrupt", "the end of the process ("),
    ],
)
def test_what_ends_its_process_costs_one_question(
    engine: Callable[..., IsolatedSystem], deed: str, said: str
) -> None:
    with closing(engine(10.0)) as system:
        for count in (1, 2):
            with pytest.raises(SystemFailedError) as caught:
                system.search(Query(deed))
            assert said in str(caught.value)
            assert not isinstance(caught.value, TimedOutError)
            assert ids(system) == ["a key", "10"]
            assert system.restarts == count


@pytest.mark.parametrize(
    ("deed", "kind", "said"),
    [
        ("leave", SystemFailedError, "SystemExit: goodbye"),
        ("odd", SystemFailedError, "Odd ("),
        ("memory", SystemFailedError, "MemoryError"),
        ("late", TimedOutError, "TimeoutError: 9 s"),
        ("busy", RetriableError, "index: found a lock, expected none"),
        ("nonsense", SystemFailedError, "int 42"),
        ("huge number", SystemFailedError, "answer[0].tokens: found int, expected a whole number"),
    ],
)
def test_what_it_raises_is_told_as_it_would_be_here_and_ends_nothing(
    engine: Callable[..., IsolatedSystem], deed: str, kind: type[SystemFailedError], said: str
) -> None:
    with closing(engine(10.0)) as system:
        (before,) = ids(system, "process")
        with pytest.raises(kind) as caught:
            system.search(Query(deed))
        assert said in str(caught.value)
        assert "\n" not in str(caught.value)
        if isinstance(caught.value, RetriableError):
            assert (caught.value.retry_after, caught.value.status) == (2.5, 503)
        assert ids(system, "process") == [before]
        assert system.restarts == 0


def test_what_it_prints_and_reads_is_kept_apart_from_questions_and_answers(
    engine: Callable[..., IsolatedSystem], capfd: pytest.CaptureFixture[str]
) -> None:
    with closing(engine(10.0)) as system:
        assert ids(system, "print") == ["''", "nothing"]
        assert ids(system) == ["a key", "10"]
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err.count("and by its number") == 10_000


def test_an_answer_without_measure_is_refused_and_one_of_50_mb_comes_soon(
    engine: Callable[..., IsolatedSystem],
) -> None:
    with closing(engine(30.0)) as system:
        with pytest.raises(SystemFailedError, match="an answer of more than 64 MB"):
            system.search(Query("large"))
        start = time.monotonic()
        assert ids(system, "rather large") == ["a"]
        assert time.monotonic() - start < 20


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.parametrize("deed", ["fork", "start", "hang"])
def test_no_process_is_left_after_it_is_closed(engine: Callable[..., IsolatedSystem], deed: str) -> None:
    system = engine()
    numbers = ids(system, "process")
    group = os.getpgid(int(numbers[0] or 0))
    if deed == "hang":
        with pytest.raises(TimedOutError):
            system.search(Query(deed))
        assert system._child is not None
        group = system._child._process.pid
    else:
        numbers += ids(system, deed)
    system.close()
    system.close()
    assert all(ended(int(number or 0)) for number in numbers)

    def gone() -> bool:
        told = subprocess.run(["ps", "-eo", "pgid=,stat="], capture_output=True, text=True, check=True)
        return not any(line.split()[0] == str(group) and "Z" not in line for line in told.stdout.splitlines())

    assert eventually(gone)


def test_a_class_is_closed_in_its_process_and_one_that_will_not_is_ended(
    engine: Callable[..., IsolatedSystem], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(engine(target="Closing")) as system:
        assert ids(system) == ["a key"]
    assert (tmp_path / "closed").read_text() == "x"
    system = engine(target="Stubborn")
    assert ids(system) == ["a key"]
    start = time.monotonic()
    system.close()
    assert time.monotonic() - start < 15


@pytest.mark.parametrize("deed", ["a key", "hang"])
def test_a_process_whose_owner_is_killed_ends_by_itself(
    engine: Callable[..., IsolatedSystem], tmp_path: Path, deed: str
) -> None:
    described = {"kind": "function", "target": "./engine.py:search", "root": str(tmp_path)}
    code = (
        "import time\nfrom rankgate.model import Query\n"
        "from rankgate.systems.isolated import IsolatedSystem\n"
        f"system = IsolatedSystem('app', {described!r})\n"
        "print(system.search(Query('process')).hits[0].id, flush=True)\n"
        f"system.search(Query({deed!r}))\ntime.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        number = int(owner.stdout.readline())
        time.sleep(0.2)
        assert lives(number)
        owner.kill()
    assert ended(number)


@pytest.mark.parametrize(
    ("target", "said"),
    [("nothere", "nothere"), ("OPENED", "a function")],
)
def test_what_does_not_open_is_refused_as_it_would_be_here(
    engine: Callable[..., IsolatedSystem], target: str, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        engine(target=target)


def test_a_file_that_ends_the_process_while_it_is_opened_is_refused(tmp_path: Path) -> None:
    (tmp_path / "dying.py").write_text("import os; os._exit(5)\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"system app: found the end of the process \(exit code 5\)"):
        IsolatedSystem("app", {"kind": "function", "target": "./dying.py:search", "root": str(tmp_path)})


def test_a_time_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match=r"app.timeout: found 0, expected more than 0"):
        IsolatedSystem("app", {}, 0.0)


def test_a_configuration_says_it_and_each_thread_has_a_process(
    engine: Callable[..., IsolatedSystem], tmp_path: Path
) -> None:
    (tmp_path / "rankgate.toml").write_text(
        "[systems.app]\nfunction = './engine.py:search'\nisolate = 'process'\ntimeout = 2\nconcurrency = 3\n",
        encoding="utf-8",
    )
    entry = find_configuration(tmp_path).entry("app")
    with opened(entry, tmp_path) as system:
        assert isinstance(system, IsolatedSystem)
        assert system.describe()["timeout"] == 2.0
        with open_instances(system, entry.pace.concurrency) as systems:
            numbers = [int(ids(one, "process")[0] or 0) for one in systems]
            assert len(set(numbers)) == 3
            assert os.getpid() not in numbers
    assert all(map(ended, numbers))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("timeout = true", "app.timeout: found True, expected a number of seconds"),
        ("timeout = -1", "app.timeout: found -1, expected more than 0"),
        ("unknown = 3", "app.unknown"),
    ],
)
def test_options_that_are_wrong_are_refused(
    engine: Callable[..., IsolatedSystem], tmp_path: Path, line: str, said: str
) -> None:
    engine().close()
    text = f"[systems.app]\nfunction = './engine.py:search'\nisolate = 'process'\n{line}\n"
    (tmp_path / "rankgate.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said), opened(find_configuration(tmp_path).entry("app"), tmp_path):
        pass


def test_a_run_goes_on_past_everything_that_it_does(engine: Callable[..., IsolatedSystem]) -> None:
    deeds = ["a", "hang", "b", "exit", "c", "crash", "d", "leave", "e", "late", "f", "nonsense", "g"]
    questions = [CaseQuery(f"{number:02d}", Query(text)) for number, text in enumerate(deeds)]
    with closing(engine()) as system, open_instances(system, 2) as systems:
        run = execute(questions, systems, manifest=Manifest("app"))
        assert sum(getattr(one, "restarts", 0) for one in systems) == 3
    (shard,) = run.shards()
    rows = shard.queries.sort("query").select("status", "latency_ms").rows()
    assert [status for status, _ in rows] == [
        *("ok", "timeout", "ok", "error", "ok", "error", "ok"),
        *("error", "ok", "timeout", "ok", "error", "ok"),
    ]
    assert all(latency < 500 for status, latency in rows if status == "ok")
