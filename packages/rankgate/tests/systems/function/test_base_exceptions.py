"""Exceptions of a function that are no `Exception`: the system failed, not rankgate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.commands import Done, rankgate

if TYPE_CHECKING:
    from pathlib import Path


SUITE = "gates: [rr >= 0.1]\ncases:\n  - {query: one, id: a}\n  - {query: two, id: a}\n"


APP = """\
import asyncio

class Own(BaseException):
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
    "raise SystemExit(0)": "SystemExit: 0",
    "raise asyncio.CancelledError": "CancelledError",
    "raise Own('gone')": "Own: gone",
    "panic()": "PanicException: index out of bounds",
}


def project(folder: Path, what: str) -> Path:
    (folder / "search.yaml").write_text(SUITE)
    (folder / "app.py").write_text(APP.format(what=what))
    (folder / "rankgate.toml").write_text('[systems.app]\nfunction = "./app.py:search"\n')
    return folder


def failed_as(done: Done, said: str) -> None:
    assert done.code == 3, (done.code, done.out, done.err)
    assert said in done.out
    assert "app · 1 error (exit code 3)" in done.out
    assert done.err == ""


@pytest.mark.parametrize("what", RAISED)
def test_base_exception_of_a_system_is_exit_code_3(
    tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project(tmp_path, what))
    failed_as(rankgate("test", "search.yaml"), RAISED[what])
