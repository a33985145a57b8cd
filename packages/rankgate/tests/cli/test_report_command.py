"""``rankgate report``: what a test kept, laid out again; and `rankgate test` where GitHub runs it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from rankgate.cli.github import SUMMARY_LIMIT, fitted
from rankgate.reports.formats import FORMATS
from rankgate.reports.json_report import schema_text
from support.commands import rankgate
from support.projects import SUITE, write_project
from support.workflow_commands import obeyed

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = write_project(tmp_path / "repository" / "search")
    (tmp_path / "repository" / ".git").mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_every_format_comes_out_as_the_test_wrote_it(project: Path) -> None:
    files = [f"--report={style}=out/{style}" for style in FORMATS]
    tested = rankgate("test", *files)
    assert tested.code == 1
    assert rankgate("report").printed() == tested.out
    for style in FORMATS:
        written = (project / "out" / style).read_text(encoding="utf-8")
        assert written
        assert rankgate("report", "--format", style).printed() == written
        assert rankgate("report", "--format", style, "-o", f"again/{style}").printed() == ""
        assert (project / "again" / style).read_text(encoding="utf-8") == written


def test_a_stored_report_fits_the_schema_and_is_what_json_prints(project: Path) -> None:
    from jsonschema import Draft202012Validator

    rankgate("test")
    kept = (project / ".rankgate/search/app/report.json").read_text(encoding="utf-8")
    Draft202012Validator(json.loads(schema_text())).validate(json.loads(kept))
    assert rankgate("report", ".rankgate/search/app", "--format", "json").printed() == kept


def test_of_several_systems_one_must_be_named(project: Path) -> None:
    rankgate("test")
    rankgate("test", "--system", "good")
    said = rankgate("report").refused()
    assert ".rankgate/search/app, .rankgate/search/good" in said
    assert rankgate("report", ".rankgate/search/good").printed().startswith("✓")
    assert ".rankgate/search/app, .rankgate/search/good" in rankgate("report", ".rankgate/search").refused()


@pytest.mark.parametrize("style", FORMATS)
def test_several_reports_become_one_document(style: str, project: Path) -> None:
    rankgate("test")
    rankgate("test", "--system", "good")
    text = rankgate("report", ".rankgate/search/app", ".rankgate/search/good", "--format", style).printed()
    first, second = (
        rankgate("report", f".rankgate/search/{name}", "--format", style).printed()
        for name in ("app", "good")
    )
    if style == "json":
        both = [json.loads(first), json.loads(second)]
        assert json.loads(text) == {"version": 3, "exit_code": 1, "reports": both}
        return
    together = {
        "terminal": lambda: f"{first}\n{second}",
        "markdown": lambda: f"{first}\n{second}",
        "junit": lambda: first.replace("</testsuites>\n", "") + second.split("<testsuites>\n")[1],
        "github": lambda: first + second,
        "github-comment": lambda: text,
    }
    if style == "github-comment":
        lines = text.splitlines()
        assert lines[0] == "<!-- rankgate: search app; search good -->"
        heads = [one.splitlines()[2].removeprefix("### ") for one in (first, second)]
        assert lines[2:4] == [f"- {head}" for head in heads]
    if style in ("markdown", "github-comment"):
        assert "search · app" in text
        assert "search · good" in text
        assert text == together[style]()
        return
    # Of one suite with several systems, a title names the system as well.
    named = text
    for name in ("app", "good"):
        named = named.replace(f"search, {name}: ", "search: ").replace(f'="search, {name}', '="search')
    assert named == together[style]()
    between = " · " if style == "terminal" else ", "
    assert style == "github" or all(f"search{between}{name}" in text for name in ("app", "good"))


def test_without_a_report_the_way_to_one_is_told(project: Path) -> None:
    assert "run `rankgate test`" in rankgate("report").refused()
    assert "run `rankgate test`" in rankgate("report", "docs").refused()
    rankgate("report", "nowhere.json").refused()
    (project / "bad.json").write_text('{"schema": 1}')
    assert "bad.json: not a report" in rankgate("report", "bad.json").refused()


def test_a_wrong_format_names_the_right_ones(project: Path) -> None:
    assert "github-comment" in rankgate("test", "--report", "pdf=x").refused()


def test_github_gets_annotations_and_a_summary(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = project / "summary.md"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    monkeypatch.setenv("GITHUB_WORKSPACE", str(project.parent))
    summary.write_text("before\n")
    done = rankgate("test")
    assert done.code == 1
    gate = "::error file=search/search.yaml,line=2,title=rankgate%3A rr >= 0.9%3A failed::rr@10 = 0.417 "
    assert gate in done.out
    assert "::error file=search/search.yaml,line=9,title=rankgate%3A blockchain::" in done.out
    told = summary.read_text(encoding="utf-8")
    assert told.startswith("before\n### ✗ search · app · failed")
    assert told.index("revoke a leaked key") < told.index("<details>") < told.index("| metric |")
    report, _, annotations = done.out.partition("::error")
    assert obeyed(report) == []
    assert {command.name for command in obeyed(f"::error{annotations}")} == {"error"}


def test_a_summary_that_is_named_as_a_report_is_written_once(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = project / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    assert "::" not in rankgate("test", "--report", f"markdown={summary}").out
    assert summary.read_text(encoding="utf-8").count("# ✗ search") == 1


def test_a_wrong_suite_is_annotated_at_its_line_and_what_ran_before_it_is_told(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    (project / "wrong.yaml").write_text(SUITE.replace("at: keys.md", "ats: keys.md"))
    done = rankgate("test", "search.yaml", "wrong.yaml")
    assert done.code == 2
    annotated = r"^::error file=search/wrong\.yaml,line=\d,title=.*::unknown key `ats`"
    assert re.search(annotated, done.out, re.MULTILINE)
    assert "title=rankgate%3A rr >= 0.9%3A failed" in done.out


def test_a_long_summary_is_cut_at_a_line_and_says_so() -> None:
    text = "".join(f"line {number} {'é' * 50}\n" for number in range(20_000))
    cut = fitted(text, SUMMARY_LIMIT)
    assert SUMMARY_LIMIT - 700 < len(cut.encode()) <= SUMMARY_LIMIT
    kept = sum(line.startswith("line ") for line in cut.splitlines())
    assert f"Cut here: {20_000 - kept:,} more lines do not fit" in cut
    assert text.startswith(cut.partition("\n\nCut here")[0])
    assert fitted("short\n", 100) == "short\n"
    assert fitted("x" * 100, 10) == ""
