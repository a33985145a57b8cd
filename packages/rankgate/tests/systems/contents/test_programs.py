"""What a command is made of: its program, its files, its variables, its version."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import SystemFailedError
from rankgate.systems.command import CommandSystem, open_command
from rankgate.systems.mcp.opener import open_mcp
from support.repository import SUPPORT

if TYPE_CHECKING:
    from pathlib import Path


def command(folder: Path, *words: str, **options: Any) -> CommandSystem:
    """Open a command that runs in a folder."""
    return open_command("app", {"command": [*words, "{query}"], "cwd": str(folder), **options})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A script with a module, and a configuration of it."""
    (tmp_path / "search.py").write_text("import ranking\nimport click\n")
    (tmp_path / "ranking.py").write_text("boost = 1\n")
    (tmp_path / "app.toml").write_text("k1 = 1.2\n")
    return tmp_path


def test_program_and_files_of_its_arguments_are_known(folder: Path) -> None:
    system = command(folder, "sh", "run.sh", "app.toml", "--config=app.toml", "missing.toml")
    assert set(system.contents()) == {"app.toml"}
    (folder / "run.sh").write_text("echo '[]'")
    with_script = command(folder, "sh", "run.sh").contents()
    (folder / "run.sh").write_text("echo '[1]'")
    assert with_script["run.sh"] != command(folder, "sh", "run.sh").contents()["run.sh"]


def test_python_script_counts_with_the_python_files_of_the_project(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert set(command(folder, "python3", "search.py").contents()) == {"search.py", "ranking.py"}
    assert set(command(folder, "python3", "-m", "search").contents()) == {"search.py", "ranking.py"}


def test_program_of_the_project_counts(folder: Path) -> None:
    shutil.copy(folder / "search.py", folder / "tool")
    assert [name.rpartition("/")[2] for name in command(folder, "./tool").contents()] == ["tool"]


def test_variables_count_by_their_digests(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APP_TOKEN", "t0k3n-0123456789")
    before = command(folder, "sh", env=["APP_TOKEN"]).contents()
    monkeypatch.setenv("APP_TOKEN", "another")
    after = command(folder, "sh", env=["APP_TOKEN"]).contents()
    assert before["$APP_TOKEN"] != after["$APP_TOKEN"]
    assert "t0k3n" not in str(before)


def test_the_output_of_version_is_part_of_it_and_its_first_line_the_version(folder: Path) -> None:
    (folder / "version").write_text("app 1.2\nmodel 7\n")
    asked = {"version": ["cat", "version"]}
    before = command(folder, "sh", **asked)
    assert before.version == "app 1.2"
    assert before.describe()["version"] == ("cat", "version")
    (folder / "version").write_text("app 1.2\nmodel 8\n")
    after = command(folder, "sh", **asked)
    name = "output of cat version"
    assert before.contents()[name] != after.contents()[name]


@pytest.mark.parametrize("words", [["false"], ["no-such-program-here"]])
def test_a_version_that_cannot_be_asked_is_a_failure_of_the_system(folder: Path, words: list[str]) -> None:
    with pytest.raises(SystemFailedError, match=r"version|no-such-program"):
        command(folder, "sh", version=words)


def test_an_mcp_server_is_made_of_its_program_and_its_own_version(folder: Path) -> None:
    server = SUPPORT / "mcp_handbook_server.py"
    shutil.copy(server, folder / "server.py")
    given = {"command": [sys.executable, "server.py"], "tool": "search", "arguments": {"query": "{query}"}}
    system = open_mcp("handbook", {**given, "hits": "hits", "cwd": str(folder)})
    try:
        assert "server.py" in system.contents()
    finally:
        system.close()
