"""A suite says which of its cases are asked; every report says how many are not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rankgate as rg
from rankgate.errors import InputError
from rankgate.suites.asked_suite import asked_suite
from rankgate.suites.formats import load_suite
from rankgate.suites.native.yaml_suite import parse_suite
from support.commands import rankgate

CASES = """\
cases:
  - {query: one, id: a, tags: [half=development]}
  - {query: two, id: b, tags: [half=test]}
  - {query: three, id: c, tags: [half=development, hard]}
"""
TEXT = f"name: s\nasked: half=development\nmetrics: [hit@1]\ngates: [hit@1 >= 1]\n{CASES}"
NOTE = "1 case of 3 is not asked (asked: half=development)"
APP = """\
def search(query, k):
    with open("asked.txt", "a") as file:
        file.write(query + "\\n")
    return {"one": ["a"], "three": ["c"]}.get(query, [])
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("s.yaml").write_text(TEXT)
    Path("app.py").write_text(APP)
    Path("rankgate.toml").write_text('suites = ["s.yaml"]\n[systems.app]\nfunction = "./app.py:search"\n')
    return tmp_path


def test_only_the_cases_with_the_tag_are_asked_and_the_others_are_counted() -> None:
    whole = parse_suite(TEXT, Path("s.yaml"))
    assert [case.query for case in whole.cases] == ["one", "two", "three"]
    asked = asked_suite(whole)
    assert [case.query for case in asked.cases] == ["one", "three"]
    assert asked.notes == (NOTE,)
    # What was asked for once is not counted again.
    assert asked_suite(asked).notes == (NOTE,)


def test_all_are_asked_where_nothing_is_said_and_where_all_have_the_tag() -> None:
    plain = parse_suite(f"name: s\n{CASES}", Path("s.yaml"))
    assert asked_suite(plain) == plain
    tagged = parse_suite(TEXT.replace("half=test", "half=development"), Path("s.yaml"))
    assert asked_suite(tagged).notes == ()


def test_a_tag_that_no_case_has_is_an_error() -> None:
    wrong = parse_suite(TEXT.replace("asked: half=development", "asked: half=developent"), Path("s.yaml"))
    with pytest.raises(InputError, match=r"s\.yaml: asked.*did you mean half=development\?"):
        asked_suite(wrong)
    none = parse_suite("name: s\nasked: half=test\ncases: [{query: q, id: a}]\n", Path("s.yaml"))
    with pytest.raises(InputError, match="delete it to ask all"):
        asked_suite(none)


def test_a_test_by_the_command_line_asks_those_and_says_so(project: Path) -> None:
    done = rankgate("test", "-o", "json=report.json")
    assert done.code == 0, done.printed()
    assert (project / "asked.txt").read_text().split() == ["one", "three"]
    assert NOTE in json.loads((project / "report.json").read_text())["notes"]
    assert NOTE in rankgate("test", "--details").printed()


@pytest.mark.usefixtures("project")
def test_a_test_by_python_asks_those_and_says_so() -> None:
    result = rg.evaluate(rg.load_suite("s.yaml"), "app")
    assert result["hit@1"] == 1
    assert NOTE in str(result)


@pytest.mark.usefixtures("project")
def test_lint_looks_at_all_cases() -> None:
    assert "in 3 cases of 1 suite" in rankgate("suite", "lint", "s.yaml").printed()


def test_json_lines_are_asked_in_part_too(project: Path) -> None:
    done = rankgate("suite", "convert", "s.yaml", "large.jsonl")
    assert done.code == 0, done.printed()
    large = load_suite(project / "large.jsonl")
    assert large.asked == "half=development"
    assert [case.query for case in asked_suite(large).cases] == ["one", "three"]
