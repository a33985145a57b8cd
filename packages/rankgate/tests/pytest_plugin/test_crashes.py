"""Crashes of rankgate in a pytest session."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.pytest_sessions import Project, Session

if TYPE_CHECKING:
    from pathlib import Path


PLACE = "rankgate.evaluation.session.suite_session"


CRASHES = {
    "asking": f"import {PLACE} as place\nplace.SuiteSession.ask = crash\n",
    "judging": f"import {PLACE} as place\nplace.run_evaluation = crash\n",
    "verdict": f"import {PLACE} as place\nplace.SuiteSession.verdict = crash\n",
    "collecting": f"import {PLACE} as place\nplace.SuiteSession.of = crash\n",
}


OURS = "this is a fault of rankgate itself: report it with the output under RANKGATE_TRACEBACK=1"


def session(folder: Path, crash: str, error: str, *args: str, traceback: str = "") -> Session:
    project = Project.of(folder)
    raising = f"def crash(*_, **__):\n    raise {error}\n"
    imports = "import asyncio, pytest\nfrom polars.exceptions import PanicException\n"
    (folder / "conftest.py").write_text(f"{imports}{raising}{CRASHES[crash]}")
    return project.run("search.yaml", *args, env={"RANKGATE_TRACEBACK": traceback})


@pytest.mark.parametrize("crash", CRASHES)
def test_crash_is_exit_code_70_and_one_line(tmp_path: Path, crash: str) -> None:
    done = session(tmp_path, crash, "KeyError('x')")
    assert done.code == 1
    assert "search.yaml: rankgate: exit code 70 (rankgate crashed)" in done.out
    assert f"rankgate crashed: KeyError: 'x' at conftest.py:4; {OURS}" in done.out
    assert "Traceback" not in done.out
    assert "def crash" not in done.out
    assert "INTERNALERROR" not in done.out + done.err


def test_crash_outweighs_a_later_verdict(tmp_path: Path) -> None:
    project = Project.of(tmp_path)
    (tmp_path / "conftest.py").write_text(
        f"import {PLACE} as place\n"
        "real = place.SuiteSession.case\n"
        "def case(self, name, **rest):\n"
        "    if name == 'keys': raise KeyError(name)\n"
        "    return real(self, name, **rest)\n"
        "place.SuiteSession.case = case\n"
    )
    done = project.run("search.yaml")
    assert done.code == 1
    assert done.counts() == {"failed": 1, "passed": 6}
    assert "search.yaml: rankgate: exit code 70" in done.out


def test_crash_of_a_worker_is_exit_code_70(tmp_path: Path) -> None:
    done = session(tmp_path, "judging", "KeyError('x')", "-n", "2")
    assert done.code == 1
    assert "search.yaml: rankgate: exit code 70" in done.out


@pytest.mark.parametrize("outcome", ["pytest.skip.Exception('later')", "pytest.fail.Exception('no')"])
def test_skip_and_fail_of_pytest_are_no_crash(tmp_path: Path, outcome: str) -> None:
    done = session(tmp_path, "judging", outcome)
    assert "rankgate crashed" not in done.out
    assert done.counts() == ({"skipped": 7} if "skip" in outcome else {"failed": 7})
