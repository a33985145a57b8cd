"""Crashes of rankgate in a pytest session."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.pytest_sessions import Project, Session

if TYPE_CHECKING:
    from pathlib import Path

IMPORTS = "from rankgate import flow; from rankgate.project import settings"
CRASHES = {"running": "flow.evaluate_suite = crash\n", "collecting": "settings.read_rules = crash\n"}


def session(folder: Path, crash: str, error: str, *args: str) -> Session:
    project = Project.of(folder)
    (folder / "conftest.py").write_text(
        f"import pytest\n{IMPORTS}\ndef crash(*_, **__):\n    raise {error}\n{CRASHES[crash]}"
    )
    return project.run("search.yaml", *args)


@pytest.mark.parametrize("crash", CRASHES)
def test_crash_is_exit_code_70_and_one_line(tmp_path: Path, crash: str) -> None:
    done = session(tmp_path, crash, "KeyError('x')")
    assert done.code == 1
    assert "search.yaml: rankgate: exit code 70 (rankgate crashed)" in done.out
    assert done.out.count("rankgate crashed: KeyError: 'x' at conftest.py:4") in (1, 2, 3)
    assert "Traceback" not in done.out
    assert "def crash" not in done.out
    assert "INTERNALERROR" not in done.out + done.err


def test_crash_of_a_worker_is_exit_code_70(tmp_path: Path) -> None:
    done = session(tmp_path, "running", "KeyError('x')", "-n", "2")
    assert done.code == 1
    assert "search.yaml: rankgate: exit code 70" in done.out


@pytest.mark.parametrize("outcome", ["skip", "fail"])
def test_skip_and_fail_of_pytest_are_no_crash(tmp_path: Path, outcome: str) -> None:
    done = session(tmp_path, "running", f"pytest.{outcome}.Exception('later')")
    assert "rankgate crashed" not in done.out
    assert done.counts() == ({"skipped": 7} if outcome == "skip" else {"failed": 7})
