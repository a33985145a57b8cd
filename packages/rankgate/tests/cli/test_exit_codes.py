"""Exit codes: one enumeration, from which the help of commands and the table of the documents come."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from rankgate.cli import main as command_line
from rankgate.errors import ExitCode, InputError, RankgateError, SystemFailedError
from support.commands import rankgate
from support.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable


def test_the_table_of_the_documents_is_the_enumeration() -> None:
    rows = [f"| {code:d} | {code.__doc__} |" for code in ExitCode]
    table = "\n".join(["| exit code | what happened |", "|---|---|", *rows, "", "Of several, the first"])
    assert table in (ROOT / "docs" / "verdicts.md").read_text(encoding="utf-8"), table


def test_a_crash_is_graver_than_anything_else() -> None:
    assert [int(code) for code in ExitCode if code < 128] == [70, 2, 3, 1, 4, 0]
    assert ExitCode.worst(ExitCode) is ExitCode.CRASHED


def test_errors_have_codes_of_the_enumeration() -> None:
    kinds = (RankgateError, InputError, SystemFailedError)
    assert [kind.exit_code for kind in kinds] == [
        ExitCode.WRONG_CALL,
        ExitCode.WRONG_CALL,
        ExitCode.SYSTEM_FAILED,
    ]


@pytest.mark.parametrize("command", ["test", "run", "suite lint", "suite fix", "suite update"])
def test_the_help_of_a_command_lists_its_codes(command: str) -> None:
    shown = " ".join(rankgate(*command.split(), "--help").printed().split())
    listed = re.search(r"Exit codes: ([^.]*)\.", shown)
    assert listed
    codes = [int(part.split()[0]) for part in re.split(r", (?=\d)", listed[1])]
    assert codes == sorted(map(int, map(ExitCode, codes)))
    assert codes[-1] == ExitCode.CRASHED


def _raising(error: BaseException) -> Callable[..., object]:
    def call(**_: object) -> object:
        raise error

    return call


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (TypeError("no\nsuch \x1b[31m thing"), 70),
        (GeneratorExit(), 70),
        (SystemExit(0), 70),
        (EOFError(), 70),
        (MemoryError(), 70),
        (KeyboardInterrupt(), 130),
        (InputError("x: found y, expected z"), 2),
        (SystemFailedError("x: found y, expected z"), 3),
        (OSError(28, "No space left on device", "file"), 2),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else str(value),
)
def test_what_a_command_raises_becomes_a_line_and_a_code(
    error: BaseException, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command_line.cli, "invoke", lambda _context: _raising(error)())
    monkeypatch.delenv("RANKGATE_TRACEBACK", raising=False)
    done = rankgate("list", "metrics")
    assert (done.code, done.out) == (code, "")
    assert done.err.count("\n") <= 2
    assert "Traceback" not in done.err
    assert "\x1b" not in done.err
    assert ("rankgate crashed" in done.err) == (code == 70)


def test_a_crash_shows_its_traceback_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_line.cli, "invoke", lambda _context: _raising(TypeError("no"))())
    monkeypatch.setenv("RANKGATE_TRACEBACK", "1")
    done = rankgate("list", "metrics")
    assert done.code == 70
    assert "Traceback (most recent call last)" in done.err
    assert done.err.rstrip().endswith(
        "this is a fault of rankgate itself: report it with this output [crashed]"
    )
