"""What differs on Windows and macOS, as far as it can be tried elsewhere."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import unicodedata
from pathlib import PureWindowsPath
from typing import TYPE_CHECKING

import filelock
import pytest

from rankgate.errors import InputError
from rankgate.runs.store.run_folder import locked
from support.commands import rankgate
from support.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path

KEYS = "# Keys\n\n## Rotation\n\nRotate it.\n\n## Revocation\n\nEnd it.\n"
SUITE = (
    "corpus: docs/\ngates: [rr@3 >= 1]\ncases:\n  - {query: rotate, at: sub/keys.md#Rotation}\n"
    "  - {query: end, at: 'sub/keys.md:7-9'}\n"
)
APP = """def search(query, k):
    return [{'path': PATH, 'start': 3 if query == 'rotate' else 7, 'end': 5 if query == 'rotate' else 9}]
"""
POSIX_ONLY = ("fcntl", "grp", "pwd", "resource", "termios", "tty")


def _project(folder: Path, path: str = "sub/keys.md", newline: str = "\n") -> Path:
    (folder / "docs" / "sub").mkdir(parents=True)
    texts = {"docs/sub/keys.md": KEYS, "search.yaml": SUITE, "app.py": APP.replace("PATH", repr(path))}
    for name, text in texts.items():
        (folder / name).write_bytes(text.replace("\n", newline).encode())
    return folder


def _report(folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    monkeypatch.chdir(folder)
    done = rankgate("test", "search.yaml", "--system", "./app.py:search", "--report", "json=report.json")
    assert done.code == 0, done.out + done.err
    report: dict[str, object] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return report


@pytest.mark.parametrize("path", [str(PureWindowsPath("sub", "keys.md")), ".\\sub\\keys.md"])
def test_paths_with_backslashes_are_those_of_the_corpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    found = _report(_project(tmp_path, path), monkeypatch)
    assert found["exit_code"] == 0


def test_a_checkout_with_the_newlines_of_windows_gives_the_same_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = _report(_project(tmp_path / "posix"), monkeypatch)
    there = _report(_project(tmp_path / "windows", newline="\r\n"), monkeypatch)
    assert here["metrics"] == there["metrics"]


def test_names_that_macos_takes_apart_are_those_of_the_suite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file system may keep an accent as a character of its own; suites and systems write it composed."""
    folder = _project(tmp_path, unicodedata.normalize("NFC", "sub/clés.md"))
    (folder / "docs/sub/keys.md").rename(folder / "docs/sub" / unicodedata.normalize("NFD", "clés.md"))
    suite = folder / "search.yaml"
    suite.write_text(suite.read_text().replace("keys.md", "clés.md"))
    assert _report(folder, monkeypatch)["exit_code"] == 0


def test_nothing_that_only_posix_has_is_needed(tmp_path: Path) -> None:
    _project(tmp_path)
    # A module that is None in sys.modules cannot be imported; filelock then locks by a file.
    start = (
        f"import sys\nsys.modules.update(dict.fromkeys({POSIX_ONLY!r}))\n"
        "from rankgate.cli.main import main\nsys.argv[0] = 'rankgate'\nmain()\n"
    )
    call = [sys.executable, "-c", start, "test", "search.yaml", "--system", "./app.py:search"]
    done = subprocess.run(call, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_run_keeps_others_out_where_locks_are_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filelock, "FileLock", filelock.SoftFileLock)
    with (
        locked(tmp_path / "run"),
        pytest.raises(InputError, match="a run under way"),
        locked(tmp_path / "run"),
    ):
        pass
    with locked(tmp_path / "run"):
        pass


def test_every_file_is_written_with_the_same_newlines_on_every_platform() -> None:
    """Text mode would write those of the platform: a baseline from Windows would differ in every line."""
    without = []
    for path in sorted((ROOT / "packages").glob("*/src/**/*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            if node.func.attr == "write_text" and all(word.arg != "newline" for word in node.keywords):
                without.append(f"{path.name}:{node.lineno}")
    assert without == []
