"""Where GitHub runs pytest, no name, hit or error of a suite becomes a workflow command."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from support.pytest_sessions import run_pytest
from support.workflow_commands import obeyed

if TYPE_CHECKING:
    from pathlib import Path

    from support.pytest_sessions import Session

NOW, ONCE = "::error file=a::now", "##[error]once"
TEXTS = (NOW, ONCE, f"a\n{NOW}", f"a\r{NOW}", f"\u200b{NOW}")
APP = f"""\
def search(query, k):
    print({NOW!r}, {ONCE!r}, sep="\\n")
    if "once" in query:
        raise ValueError({NOW!r} + "\\n" + {NOW!r} + "\\r" + {ONCE!r})
    return [{{"id": {NOW!r}, "text": {NOW!r}}}, {{"id": {ONCE!r}, "text": {ONCE!r}}}]
"""
FIXTURE = f"""\
def test_search(rankgate):
    results = rankgate("search.yaml", system="app", max_errors=9)
    assert results.query({NOW!r}).rank_of("gone") == 1
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    cases = [
        {"name": f"{number} {text}", "query": text, "id": "gone", "top": {"id": ONCE, "within": 1}}
        for number, text in enumerate(TEXTS)
    ]
    suite = {"gates": ["rr >= 0.9"], "cases": [{**cases[0], "name": NOW}, *cases[1:]]}
    (tmp_path / "search.yaml").write_text(json.dumps(suite))
    (tmp_path / "wrong.yaml").write_text(json.dumps({"cases": [{"query": "x", ONCE: NOW, NOW: ONCE}]}))
    (tmp_path / "app.py").write_text(APP)
    (tmp_path / "rankgate.toml").write_text('[systems.app]\nfunction = "./app.py:search"\n')
    (tmp_path / "test_own.py").write_text(FIXTURE)
    return tmp_path


def session(project: Path, *args: str, github: str = "true") -> Session:
    (project / "pytest.ini").write_text("[pytest]\n")
    # A process that is started anew prints to a pipe, as under a runner: what goes to a file is not guarded.
    return run_pytest(project, *args, env={"GITHUB_ACTIONS": github}, fresh=True)


CALLS = (
    ("search.yaml", "-v", "-rA"),
    ("search.yaml", "wrong.yaml", "--collect-only", "-q"),
    ("test_own.py", "-n", "1"),
    ("-o", "rankgate_suites=search.yaml", "-v"),
)


@pytest.mark.parametrize("args", CALLS, ids=" ".join)
def test_pytest_prints_no_workflow_command_of_a_suite(project: Path, args: tuple[str, ...]) -> None:
    done = session(project, *args)
    assert "now" in done.out
    assert obeyed(done.out) == obeyed(done.err) == []


def test_case_name_that_is_a_command_selects_its_case(project: Path) -> None:
    done = session(project, f"search.yaml::1 {ONCE}", "-v", "-n", "1")
    assert done.counts() == {"failed": 1}
    assert "## [error]once" in done.out
    assert obeyed(done.out) == []


def test_output_of_other_tests_is_unchanged(project: Path) -> None:
    (project / "test_other.py").write_text(f"def test_other():\n    print({NOW!r})\n    assert False\n")
    done = session(project, "test_other.py")
    assert [command.name for command in obeyed(done.out)] == ["error"]


def test_output_outside_github_is_unchanged(project: Path) -> None:
    assert ONCE in session(project, "search.yaml", github="").out
