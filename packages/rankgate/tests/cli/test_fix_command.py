"""``rankgate suite fix``: what is shown, asked and refused."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.cli.suite import fix as command
from support.commands import rankgate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

KEYS = "# Keys\n\n## Rotation\n\nRotate keys every 90 days.\nTell the team first.\nKeep the old one a day.\n"
LIMITS = (
    "# Limits\n\n## Rates\n\nA hundred calls a minute.\nAsk for more by mail.\nThey are counted by key.\n"
)
SUITE = """name: docs
corpus: docs
cases:
  - name: rotate
    query: rotate a key
    at: keys.md#Rotation   # read by Ann
  - name: rates
    query: how many calls
    at: {limits.md#Rates: 2, limits.md: 1}
  - name: team
    query: who is told
    quote: Tell the team first.
    path: keys.md
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text(KEYS, encoding="utf-8")
    (tmp_path / "docs" / "limits.md").write_text(LIMITS, encoding="utf-8")
    (tmp_path / "search.yaml").write_text(SUITE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert rankgate("suite", "fix", "search.yaml", "--yes").code == 0
    return tmp_path


def _edited(project: Path) -> None:
    """Rename a heading and a page, and edit a section."""
    (project / "docs" / "keys.md").rename(project / "docs" / "credentials.md")
    text = LIMITS.replace("A hundred", "A dozen").replace("by key", "by account")
    (project / "docs" / "limits.md").write_text(text, encoding="utf-8")


def test_a_project_reads_well(project: Path, golden: Callable[[str, str], None]) -> None:
    _edited(project)
    done = rankgate("suite", "fix", "search.yaml")
    assert (done.code, done.err) == (1, "")
    golden("suite_fix", done.out)
    assert max(map(len, done.out.splitlines())) <= 100
    assert (project / "search.yaml").read_text(encoding="utf-8") == SUITE


def test_answers_are_taken_one_by_one_and_written_once(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _edited(project)
    answers = iter(["nonsense.md", "1", "r", "y"])
    monkeypatch.setattr(command, "_has_terminal", lambda: True)
    monkeypatch.setattr("click.prompt", lambda *_, **__: next(answers))
    done = rankgate("suite", "fix", "search.yaml")
    assert done.code == 0
    assert "'nonsense.md'" in done.out
    written = (project / "search.yaml").read_text(encoding="utf-8")
    assert "at: credentials.md#Rotation   # read by Ann" in written
    assert "path: credentials.md" in written
    assert "limits.md: 1" not in written
    assert next(answers, None) is None
    assert rankgate("suite", "fix", "search.yaml", "--check").code == 0


def test_who_stops_and_says_no_has_changed_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _edited(project)
    before = {path: path.read_bytes() for path in project.glob("search.*")}
    answers = iter(["q", "n"])
    monkeypatch.setattr(command, "_has_terminal", lambda: True)
    monkeypatch.setattr("click.prompt", lambda *_, **__: next(answers))
    assert rankgate("suite", "fix", "search.yaml").code == 1
    assert {path: path.read_bytes() for path in project.glob("search.*")} == before


def test_json_has_every_target_that_changed(project: Path) -> None:
    _edited(project)
    found = json.loads(rankgate("suite", "fix", "search.yaml", "--format", "json").out)
    assert found["counts"]["moved"] == 2
    assert {each["location"]: each["new"] for each in found["changed"] if each["sure"]} == {
        "keys.md#Rotation": "credentials.md#Rotation",
        'keys.md "Tell the team first."': 'credentials.md "Tell the team first."',
    }
    assert found["written"] is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--check", "--yes"], "something to write"),
        (["--take", "nobody=keys.md"], "'nobody'"),
        (["--take", "rates=limits.md"], "a case of several locations"),
        (["--take", "rotate=keys.md#Nothing"], "'keys.md#Nothing'"),
        (["--from", "elsewhere"], "no git repository, and no such folder"),
    ],
)
def test_a_wrong_call_is_refused_in_words(project: Path, words: list[str], said: str) -> None:
    before = (project / "search.yaml").read_bytes()
    assert said in rankgate("suite", "fix", "search.yaml", *words).refused()
    assert (project / "search.yaml").read_bytes() == before


def test_a_suite_in_another_format_has_anchors_and_is_not_changed(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sys.argv
    assert rankgate("suite", "convert", "search.yaml", "search.jsonl").code == 0
    assert rankgate("suite", "fix", "search.jsonl", "--yes").code == 0
    assert (project / "search.jsonl.anchors.json").is_file()
    _edited(project)
    done = rankgate("suite", "fix", "search.jsonl", "--yes")
    assert done.code == 1
    assert "write it as YAML first" in done.out


def test_of_many_targets_the_commands_of_the_first_are_printed(project: Path) -> None:
    pages = [f"# Page {number}\n\n" for number in range(13)]
    cases = "".join(
        f"  - {{name: c{number}, query: about {number}, at: 'p{number}.md#Page {number}'}}\n"
        for number in range(13)
    )
    for number, page in enumerate(pages):
        text = f"{page}All of {number}.\nAnd {number} more.\n"
        (project / "docs" / f"p{number}.md").write_text(text, encoding="utf-8")
    (project / "many.yaml").write_text(f"corpus: docs\ncases:\n{cases}", encoding="utf-8")
    assert rankgate("suite", "fix", "many.yaml", "--yes").code == 0
    for number in range(13):
        (project / "docs" / f"p{number}.md").unlink()
    done = rankgate("suite", "fix", "many.yaml")
    assert done.code == 1
    assert done.out.count("rankgate suite fix many.yaml --take") == 10
    assert "  … and 3 more in the same way; --take may be repeated\n" in done.out


KEYS = "# Keys\n\n## Rotation\n\nRotate keys every 90 days.\nTell the team first.\nKeep the old one a day.\n"


LIMITS = (
    "# Limits\n\n## Rates\n\nA hundred calls a minute.\nAsk for more by mail.\nThey are counted by key.\n"
)


TWO_CASES = """name: docs
corpus: docs
cases:
  - {name: rotate, query: rotate a key, at: "keys.md#Rotation"}
  - {name: rates, query: how many calls, at: "limits.md#Rates"}
"""


@pytest.fixture
def two_cases(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text(KEYS, encoding="utf-8")
    (tmp_path / "docs" / "limits.md").write_text(LIMITS, encoding="utf-8")
    (tmp_path / "search.yaml").write_text(TWO_CASES, encoding="utf-8")
    return tmp_path / "search.yaml"


def _anchors(two_cases: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(two_cases.with_name("search.anchors.json").read_bytes())
    return found


def test_undecided_targets_keep_their_records(two_cases: Path) -> None:
    assert rankgate("suite", "fix", two_cases, "--yes").code == 0
    before = _anchors(two_cases)
    (two_cases.parent / "docs" / "keys.md").write_text(KEYS.replace("90", "30"), encoding="utf-8")
    (two_cases.parent / "docs" / "limits.md").write_text(LIMITS.replace("hundred", "dozen"), encoding="utf-8")
    done = rankgate("suite", "fix", two_cases, "--take", "rotate")
    assert done.code == 1
    assert "1 target still needs a decision; what was recorded of it is kept." in done.out
    after = _anchors(two_cases)
    assert after["fingerprint"] == before["fingerprint"]
    assert after["cases"]["rates"] == before["cases"]["rates"]
    assert after["texts"]["limits.md#Rates"] == before["texts"]["limits.md#Rates"]
    assert after["cases"]["rotate"] != before["cases"]["rotate"]
    assert after["texts"]["keys.md#Rotation"]["corpus"] not in (None, before["fingerprint"])
    # When all is decided, the file speaks of the documents of today.
    assert rankgate("suite", "fix", two_cases, "--keep").code == 0
    last = _anchors(two_cases)
    assert last["fingerprint"] == after["texts"]["keys.md#Rotation"]["corpus"]
    assert "corpus" not in last["texts"]["keys.md#Rotation"]
