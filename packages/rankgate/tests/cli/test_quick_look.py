"""``rankgate test --limit`` and ``--only``: some cases, no verdict, nothing kept."""

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


def test_a_quick_look_at_a_system_that_fails_its_gates_says_not_enforced_and_passes(project: Path) -> None:
    assert rankgate("test", "--limit", "1").code == 0
    said = rankgate("test", "--limit", "1").printed()
    assert "not enforced" in said.splitlines()[0]
    assert "Quick look at 1 of 3 cases" in said.splitlines()
    assert rankgate("test").code == 1
    assert (project / ".rankgate").is_dir()


@pytest.mark.parametrize("call", [("--limit", "2"), ("--only", LEAKED), ("--only", "*")], ids=" ".join)
def test_a_quick_look_keeps_nothing_and_changes_nothing_that_was_kept(
    project: Path, call: tuple[str, str]
) -> None:
    assert rankgate("test", *call).code == 0
    assert not (project / ".rankgate").exists()
    rankgate("test")
    before = _files(project / ".rankgate")
    assert rankgate("test", *call).code == 0
    assert rankgate("test", "--only", "no such case").code == 2
    assert _files(project / ".rankgate") == before


@pytest.mark.parametrize("pattern", [LEAKED, "revoke-*", "leaked KEY", "leak"])
def test_a_case_is_found_by_id_glob_or_words(project: Path, pattern: str) -> None:
    said = rankgate("test", "--only", pattern, "--details").printed()
    assert "Quick look at 1 of 3 cases" in said
    assert LEAKED in said


def test_an_id_means_its_case_alone(project: Path) -> None:
    suite = project / "search.yaml"
    suite.write_text(suite.read_text() + "  - {query: blockchain news, expect: empty}\n")
    assert "Quick look at 1 of 4 cases" in rankgate("test", "--only", "blockchain").printed()
    assert "Quick look at 2 of 4 cases" in rankgate("test", "--only", "blockch").printed()


def test_a_pattern_that_no_case_matches_names_the_nearest(project: Path) -> None:
    assert "did you mean blockchain?" in rankgate("test", "--only", "blokchain").refused()


def test_of_several_suites_those_with_such_a_case_are_asked(project: Path) -> None:
    other = project / "other.yaml"
    other.write_text("corpus: docs/\ncases:\n  - {query: retries, at: webhooks.md#Retries}\n")
    said = rankgate("test", "search.yaml", "other.yaml", "--only", "leaked").printed()
    assert "search · app" in said
    assert "other · app" not in said
    both = rankgate("test", "search.yaml", "other.yaml", "--only", "nothing").refused()
    assert "search.yaml, other.yaml" in both


def test_a_system_that_fails_is_exit_code_3(project: Path) -> None:
    (project / "app.py").write_text("def search(query, k):\n    raise ValueError('down')\n")
    done = rankgate("test", "--limit", "1")
    assert done.code == 3
    assert "Quick look at 1 of 3 cases. Gates are not enforced" in " ".join(done.out.split())


@pytest.mark.parametrize("call", [("--resume",), ("--report", "html=page.html")], ids=" ".join)
def test_what_needs_a_kept_run_is_refused(project: Path, call: tuple[str, ...]) -> None:
    assert "--limit" in rankgate("test", "--limit", "1", *call).refused()
    assert not (project / "page.html").exists()


def test_targets_that_are_gone_do_not_refuse_a_quick_look(project: Path) -> None:
    (project / "docs" / "keys.md").write_text("# Keys\n\nNothing is left.\n")
    assert rankgate("test", "--only", LEAKED).code == 0


def test_a_gate_on_a_baseline_is_not_judged(project: Path) -> None:
    suite = project / "search.yaml"
    suite.write_text(suite.read_text().replace("gates: [", "gates: [lost(10 -> absent@10) <= 0, "))
    rankgate("test")
    assert rankgate("baseline", "set", "--system", "app", "--failed").code == 0
    said = rankgate("test", "--limit", "2").printed()
    assert "⚪  lost(10 -> absent@10) <= 0" in said


def test_a_part_that_failed_is_not_told_to_go_on_from_what_was_not_kept(project: Path) -> None:
    (project / "app.py").write_text("def search(query, k):\n    raise OSError('down')\n")
    assert "--resume" in rankgate("test").out
    part = rankgate("test", "--limit", "1")
    assert (part.code, "System error" in part.out) == (3, True)
    assert "--resume" not in part.out
