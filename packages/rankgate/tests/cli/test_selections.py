"""``rankgate test --limit`` and ``--only``: which cases are selected; nothing is saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.projects import write_project

if TYPE_CHECKING:
    from pathlib import Path

LEAKED = "revoke-a-leaked-key"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(write_project(tmp_path))
    return tmp_path


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("call", [("--limit", "2"), ("--only", LEAKED), ("--only", "*")], ids=" ".join)
def test_a_selection_saves_and_changes_nothing(project: Path, call: tuple[str, str]) -> None:
    # The third case has a check that fails, which counts in a selection as well.
    code = 1 if "*" in call else 0
    assert rankgate("test", *call).code == code
    assert not (project / ".rankgate").exists()
    rankgate("test")
    before = _files(project / ".rankgate")
    assert rankgate("test", *call).code == code
    assert rankgate("test", "--only", "no such case").code == 2
    assert _files(project / ".rankgate") == before


@pytest.mark.parametrize("pattern", [LEAKED, "revoke-*", "leaked KEY", "leak"])
def test_a_case_is_selected_by_name_glob_or_words(project: Path, pattern: str) -> None:
    said = rankgate("test", "--only", pattern, "--details").printed()
    assert "1 of 3 queries selected" in said.splitlines()[0]
    assert "revoke a leaked key" in said


def test_a_name_selects_its_case_alone(project: Path) -> None:
    suite = project / "search.yaml"
    suite.write_text(suite.read_text() + "  - {query: blockchain news, expect: empty}\n")
    assert "1 of 4 queries selected" in rankgate("test", "--only", "blockchain").out
    assert "2 of 4 queries selected" in rankgate("test", "--only", "blockch").out


def test_a_pattern_without_cases_suggests_the_nearest(project: Path) -> None:
    assert "did you mean blockchain?" in rankgate("test", "--only", "blokchain").refused()


def test_only_suites_with_selected_cases_are_tested(project: Path) -> None:
    other = project / "other.yaml"
    other.write_text("corpus: docs/\ncases:\n  - {query: retries, at: webhooks.md#Retries}\n")
    said = rankgate("test", "search.yaml", "other.yaml", "--only", "leaked").printed()
    assert "search · app" in said
    assert "other · app" not in said
    both = rankgate("test", "search.yaml", "other.yaml", "--only", "nothing").refused()
    assert "search.yaml, other.yaml" in both
