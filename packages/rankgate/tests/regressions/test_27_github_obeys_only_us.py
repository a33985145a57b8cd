"""Where GitHub runs a command, no text of a suite, a system or a file becomes a workflow command."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rankgate.reports.evaluation.formats import FORMATS
from support.commands import rankgate, rankgate_alone
from support.workflow_commands import obeyed

if TYPE_CHECKING:
    from pathlib import Path

NOW, ONCE = "::error file=a::now", "##[error]once"
SUITE = f"""\
corpus: docs/
gates: [rr >= 0.9, "worst(category) rr >= 0.5"]
cases:
  - {{id: "{NOW}", query: "{NOW}", at: keys.md, tags: {{category: "{ONCE}"}}}}
  - {{id: "{ONCE}", query: "{ONCE}", at: keys.md, tags: {{category: "{NOW}"}}}}
  - {{id: error, query: error, at: keys.md}}
  - {{id: gone, query: gone, at: "no/{ONCE}"}}
"""
APP = f"""\
def search(query, k):
    if query == "error":
        raise ValueError({NOW!r} + "\\n" + {NOW!r} + "\\r" + {ONCE!r})
    return [{{"id": {NOW!r}, "text": {NOW!r}}}, {{"path": {ONCE!r}, "text": {ONCE!r}}}, "\\n" + {NOW!r}]
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text("# Keys\n")
    (tmp_path / "search.yaml").write_text(SUITE.replace(f', at: "no/{ONCE}"', ", at: keys.md"))
    (tmp_path / "wrong.yaml").write_text(SUITE)
    (tmp_path / "app.py").write_text(APP)
    (tmp_path / "rankgate.toml").write_text('[systems.app]\nfunction = "./app.py:search"\nmax_errors = 9\n')
    (tmp_path / "q.jsonl").write_text(
        "".join(json.dumps({"query": name, "id": name, "grade": 1}) + "\n" for name in (NOW, ONCE))
    )
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def named(*words: str) -> list[str]:
    """Call a command and list the names of the workflow commands on its two streams."""
    done = rankgate(*words)
    return [command.name for command in (*obeyed(done.out), *obeyed(done.err))]


def test_only_annotations_of_our_own_are_obeyed_of_a_test(project: Path) -> None:
    done = rankgate("test", "search.yaml")
    assert done.code == 1
    report, _, annotations = done.out.partition("::error file=search.yaml")
    assert NOW in report.replace(": :", "::")
    assert obeyed(report) == obeyed(done.err) == []
    commands = obeyed(f"::error file=search.yaml{annotations}")
    assert {command.name for command in commands} <= {"error", "warning"}


def test_the_error_line_of_a_test_holds_none(project: Path) -> None:
    done = rankgate("test", "wrong.yaml")
    # The target of that name is gone, and a gate fails on the others.
    assert done.code == 1
    assert "## [error]once" in done.out
    assert obeyed(done.err) == []
    assert {command.name for command in obeyed(done.out)} == {"error", "warning"}


CALLS = (
    ("run", "search.yaml", "--system", "app", "-o", "kept"),
    ("run", "wrong.yaml", "--system", "app", "-o", "kept"),
    ("run", f"{ONCE}.yaml", "-o", "kept"),
    ("run", "search.yaml", "--system", ONCE, "-o", "kept"),
    ("query", "app", NOW),
    ("query", "app", "error"),
    ("query", ONCE, "x"),
    ("suite", "lint", "search.yaml"),
    ("suite", "lint", "wrong.yaml"),
    ("suite", "lint", "wrong.yaml", "--format", "json"),
    ("suite", "lint", f"{ONCE}.yaml"),
    ("list", ONCE),
    (ONCE,),
    (f"--{ONCE}",),
    ("compare", ONCE, NOW, "--suite", "search.yaml"),
    ("score", "-q", ONCE, "-r", NOW),
)


@pytest.mark.parametrize("words", CALLS, ids=" ".join)
def test_no_command_prints_one(project: Path, words: tuple[str, ...]) -> None:
    assert named(*words) == []


def test_lint_prints_annotations_where_they_are_asked_for(project: Path) -> None:
    assert set(named("suite", "lint", "wrong.yaml", "--format", "github")) <= {"error", "warning", "notice"}
    assert named("suite", "lint", "wrong.yaml", "--format", "github")


def test_nothing_that_is_made_of_a_kept_run_prints_one(project: Path) -> None:
    rankgate("test", "search.yaml")
    for style in (*FORMATS, "html"):
        assert set(named("report", "--format", style)) <= (
            {"error", "warning"} if style == "github" else set()
        )
    run = ".rankgate/search/app/run"
    for style in ("table", "csv", "json", "trec"):
        assert named("score", "q.jsonl", run, "--per-query", "--format", style) == []
    assert named("compare", run, run, "--suite", "search.yaml") == []
    assert named("suite", "update", "search.yaml", "--system", "app") == []
    assert named("baseline", "set", "search.yaml", "--system", "app") == []
    assert named("baseline", "show", "search.yaml", "--system", "app") == []


def test_a_process_of_its_own_is_guarded_on_both_streams(project: Path) -> None:
    done = rankgate_alone("query", "app", "error")
    assert "## [error]once" in done.out + done.err
    assert obeyed(done.out) == obeyed(done.err) == []


def test_what_is_written_to_a_file_is_left_as_it_is(project: Path) -> None:
    rankgate("test", "search.yaml")
    rankgate("report", "--format", "json", "-o", "report.json")
    assert ONCE in (project / "report.json").read_text()


def test_elsewhere_nothing_is_changed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS")
    assert ONCE in rankgate("query", ONCE, "x").err
