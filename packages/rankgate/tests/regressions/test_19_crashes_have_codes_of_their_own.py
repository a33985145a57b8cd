"""What ends a thread or a process is told as what it is: 3 for the system, 2 for a file, 70 for ourselves."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

import pytest

from support.commands import Done, rankgate, rankgate_alone
from support.pytest_sessions import run_pytest

if TYPE_CHECKING:
    from pathlib import Path

SUITE = "gates: [rr >= 0]\ncases:\n  - {query: one, id: a}\n  - {query: two, id: a}\n"
APP = """\
import asyncio, os, threading
from os import _exit

class Own(BaseException):
    pass

def in_a_thread():
    thread = threading.Thread(target=os._exit, args=(0,))
    thread.start()
    thread.join()

def swallowed():
    try:
        os._exit(0)
    except:
        pass

def panic():
    import polars.exceptions
    raise polars.exceptions.PanicException("index out of bounds")

def search(query, k):
    if query == "two":
        {what}
    return ["a"]
"""
RAISED = {
    "raise GeneratorExit": "GeneratorExit",
    "raise asyncio.CancelledError": "CancelledError",
    "raise Own('gone')": "Own: gone",
    "panic()": "PanicException: index out of bounds",
}
EXITS = {
    "os._exit(0)": "ProcessExit: os._exit(0)",
    "os._exit(1)": "ProcessExit: os._exit(1)",
    "_exit(0)": "ProcessExit: os._exit(0)",
    "in_a_thread()": "ProcessExit: os._exit(0)",
    "swallowed()": "ProcessExit: os._exit(0)",
}


def project(folder: Path, what: str, *, options: str = "", word: str = "def") -> Path:
    (folder / "search.yaml").write_text(SUITE)
    (folder / "app.py").write_text(APP.format(what=what).replace("def search", f"{word} search"))
    (folder / "rankgate.toml").write_text(f'[systems.app]\nfunction = "./app.py:search"\n{options}\n')
    return folder


def failed_as(done: Done, said: str) -> None:
    assert done.code == 3, (done.code, done.out, done.err)
    assert said in done.out
    assert "System error on 1 of 2 queries" in done.out
    assert done.err == ""


@pytest.mark.parametrize("what", RAISED)
def test_what_is_no_exception_is_the_system_that_failed(
    tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project(tmp_path, what))
    failed_as(rankgate("test", "search.yaml"), RAISED[what])


@pytest.mark.parametrize(
    ("what", "options"),
    [
        *((what, "") for what in EXITS),
        ("os._exit(0)", "thread_safe = true\nconcurrency = 2"),
    ],
)
def test_a_function_cannot_end_the_process(
    tmp_path: Path, what: str, options: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project(tmp_path, what, options=options))
    failed_as(rankgate_alone("test", "search.yaml"), EXITS[what])


def test_an_asynchronous_function_cannot_end_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project(tmp_path, "os._exit(1)", word="async def"))
    failed_as(rankgate_alone("test", "search.yaml"), "os._exit(1)")


@pytest.mark.parametrize("child", ["os._exit(7)", "None", "int('x')"])
def test_a_process_that_a_function_forks_does_not_come_back(
    tmp_path: Path, child: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fork = f"pid = os.fork()\n        os.waitpid(pid, 0) if pid else {child}"
    monkeypatch.chdir(project(tmp_path, fork))
    done = rankgate_alone("test", "search.yaml")
    assert (done.code, done.err) == (0, "")
    assert done.out.count("1 gate passed") == 1


def test_what_ends_a_process_is_given_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = os._exit
    monkeypatch.chdir(project(tmp_path, "swallowed()"))
    assert rankgate("test", "search.yaml").code == 3
    assert os._exit is before


@pytest.mark.parametrize("what", ["raise GeneratorExit", "panic()", "os._exit(0)"])
def test_pytest_fails_the_query_and_goes_on(tmp_path: Path, what: str) -> None:
    project(tmp_path, what)
    session = run_pytest(tmp_path, "-rA", "search.yaml")
    assert session.code == 1, session.out
    outcomes = session.outcomes()
    assert (outcomes["search.yaml::one"], outcomes["search.yaml::two"]) == ("PASSED", "FAILED")
    assert {**RAISED, **EXITS}[what] in session.out


def test_a_module_that_ends_the_process_does_not_load(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project(tmp_path, "pass")
    (tmp_path / "app.py").write_text("import os\nos._exit(0)\n")
    monkeypatch.chdir(tmp_path)
    assert "os._exit(0)" in rankgate_alone("test", "search.yaml").refused()


def test_one_query_can_be_asked_of_what_ends_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project(tmp_path, "os._exit(0)"))
    done = rankgate_alone("ask", "app", "two")
    assert done.code == 3
    assert "os._exit(0)" in done.out


def test_a_flipped_bit_of_a_shard_is_refused_also_where_its_hash_was_computed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project(tmp_path, "pass"))
    assert rankgate("run", "search.yaml", "-o", "kept").code == 0
    (tmp_path / "qrels").write_text("one 0 a 1\ntwo 0 a 1\n")
    manifest, (hits,) = tmp_path / "kept" / "manifest.json", (tmp_path / "kept").glob("hits-*.parquet")
    whole, said = hits.read_bytes(), manifest.read_text()
    score = ("score", "-q", "qrels", "-r", "kept", "-m", "rr", "--format", "csv")
    assert rankgate(*score).printed()
    codes = set()
    known = hashlib.sha256(whole).hexdigest()
    assert known in said
    # The sizes of the first page: one of these bits made Polars end the process.
    for bit in range(36 * 8, 44 * 8):
        data = bytearray(whole)
        data[bit >> 3] ^= 1 << (bit & 7)
        hits.write_bytes(data)
        manifest.write_text(said.replace(known, hashlib.sha256(data).hexdigest()))
        done = rankgate(*score)
        assert done.code in (0, 2), (bit, done)
        codes.add(done.code)
        assert "Traceback" not in done.err
    assert 2 in codes
