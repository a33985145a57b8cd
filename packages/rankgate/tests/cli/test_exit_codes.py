"""Exit codes: one enumeration, from which the help of commands and the table of the documents come."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from rankgate.cli import main as command_line
from rankgate.errors import ExitCode, InputError, RankgateError, SystemFailedError
from support.commands import rankgate
from support.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_the_table_of_the_documents_is_the_enumeration() -> None:
    rows = [f"| {code:d} | {code.__doc__} |" for code in ExitCode]
    table = "\n".join(["| exit code | what happened |", "|---|---|", *rows])
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


REPORTS = ("json", "markdown", "junit", "html", "github-comment")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a project in which a suite in a folder passes, and all of its reports."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "suites").mkdir()
    (tmp_path / "docs" / "keys.md").write_text("# Keys\n\n## Rotation\n\nRotate a key.\n")
    (tmp_path / "suites" / "s.yaml").write_text(
        "corpus: ../docs/\ngates: [rr >= 0.5]\ncases:\n  - {query: rotate, at: 'keys.md#Rotation'}\n"
    )
    (tmp_path / "app.py").write_text(
        "def search(query, k):\n    return [{'path': 'keys.md', 'lines': '3-5'}]\n"
    )
    (tmp_path / "rankgate.toml").write_text(
        'suites = ["suites/s.yaml"]\n[systems.app]\nfunction = "./app.py:search"\n'
    )
    assert exit_code() == 0
    return tmp_path


def exit_code() -> int | str | None:
    options = [f"--report={style}=out/report-{style}" for style in REPORTS]
    return rankgate("test", *options, "--report=html=out/{suite}-{system}.html").code


def wrong_suite(project: Path) -> None:
    suite = project / "suites" / "s.yaml"
    suite.write_text(suite.read_text() + "  - {query: 3, at: [}\n")


def wrong_gate(project: Path) -> None:
    suite = project / "suites" / "s.yaml"
    suite.write_text(suite.read_text().replace("rr >= 0.5", "rr >= 0.5 where category = none"))


def gone(project: Path) -> None:
    (project / "docs" / "keys.md").write_text("# Keys\n")


def no_documents(project: Path) -> None:
    (project / "docs" / "keys.md").unlink()
    (project / "docs").rmdir()


def failed(project: Path) -> None:
    (project / "app.py").write_text(
        "def search(query, k):\n    return [{'path': 'keys.md', 'lines': '1-2'}]\n"
    )


def down(project: Path) -> None:
    (project / "app.py").write_text("def search(query, k):\n    raise RuntimeError('down')\n")


@pytest.mark.parametrize(
    ("change", "code"),
    [(wrong_suite, 2), (wrong_gate, 2), (gone, 2), (no_documents, 2), (failed, 1), (down, 3)],
)
def test_every_exit_code_replaces_every_report(
    project: Path, change: Callable[[Path], None], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = project / ".rankgate"
    before = {path: path.read_bytes() for path in [*(project / "out").iterdir(), *kept.glob("*/*/report*")]}
    assert len(before) == len(REPORTS) + 1 + 2
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(project / "summary.md"))
    change(project)
    assert exit_code() == code
    stale = [path.name for path, content in before.items() if path.read_bytes() == content]
    assert stale == []
    assert {path.name for path in (project / "out").iterdir()} == {
        path.name for path in before if path.parent.name == "out"
    }
    for file in (project / "out" / "report-json", *kept.glob("*/*/report.json")):
        assert json.loads(file.read_text())["exit_code"] == code, file
    assert (project / "summary.md").read_text().startswith("### ✗ ")
