"""Issue 20, found 3: a folder that is edited in place is mended, and its old state is found in git."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

ROUTES = (
    "Paths are matched against each route in order.\nList more specific routes first.\nThe first one wins.\n"
)
PAGE = (
    f"# Routing\n\nAn introduction.\n\n## Priority\n\n{ROUTES}\n## Lookups\n\nAsk for the name of a route.\n"
)
SUITE = """name: docs
corpus: {corpus}
cases:
  - {{name: priority, query: which route wins, at: "routing.md#Priority"}}
  - {{name: lines, query: first match, at: "routing.md:7-9"}}
"""


def _git(folder: Path, *words: str) -> str:
    about = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *about, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "routing.md").write_text(PAGE, encoding="utf-8")
    (tmp_path / "search.yaml").write_text(SUITE.format(corpus="docs"), encoding="utf-8")
    return tmp_path


def _edit(project: Path, routes: str = ROUTES) -> None:
    """Move the section to a page of its own."""
    (project / "docs" / "order.md").write_text(f"# Order\n\n## Priority\n\n{routes}", encoding="utf-8")
    text = PAGE.replace(f"## Priority\n\n{ROUTES}\n", "")
    (project / "docs" / "routing.md").write_text(text, encoding="utf-8")


def test_the_anchors_are_enough(project: Path) -> None:
    suite = project / "search.yaml"
    assert rankgate("suite", "fix", suite, "--yes").code == 0
    _edit(project)
    assert rankgate("suite", "fix", suite, "--yes").code == 0
    written = suite.read_text(encoding="utf-8")
    assert 'at: "order.md#Priority"' in written
    assert 'at: "order.md:5-7"' in written
    assert rankgate("suite", "lint", suite).code == 0


def test_the_commit_that_was_anchored_is_found_and_shown(project: Path) -> None:
    suite = project / "search.yaml"
    _git(project, "init", "-q")
    _git(project, "add", ".")
    _git(project, "commit", "-qm", "one")
    first = _git(project, "rev-parse", "HEAD")
    assert rankgate("suite", "fix", suite, "--yes").code == 0
    _edit(project, ROUTES.replace("List", "Write down"))
    _git(project, "add", ".")
    _git(project, "commit", "-qm", "two")
    shown = rankgate("suite", "fix", suite)
    assert shown.code == 1
    assert f"Documents before: commit {first[:12]}, found by the anchors (2 commits looked at)" in shown.out
    assert "1) order.md#Priority" in shown.out
    assert "--take 'priority=order.md#Priority'" in shown.out


def test_a_commit_stands_in_for_anchors_that_nobody_wrote(project: Path) -> None:
    suite = project / "search.yaml"
    _git(project, "init", "-q")
    _git(project, "add", ".")
    _git(project, "commit", "-qm", "one")
    _edit(project)
    assert rankgate("suite", "fix", suite, "--from", "HEAD", "--yes").code == 0
    assert 'at: "order.md#Priority"' in suite.read_text(encoding="utf-8")


def test_a_git_corpus_is_carried_to_the_working_tree_and_pinned_to_a_commit(project: Path) -> None:
    _git(project, "init", "-q")
    _git(project, "add", "docs")
    _git(project, "commit", "-qm", "one")
    first = _git(project, "rev-parse", "HEAD")
    suite = project / "search.yaml"
    before = SUITE.format(corpus=f"{{git: ., commit: {first}, under: docs}}")
    suite.write_text(before, encoding="utf-8")
    _edit(project)
    shown = rankgate("suite", "fix", suite, "--to", ".")
    assert shown.code == 1
    assert "→ order.md#Priority" in shown.out
    assert "Nothing is written: a suite can be pinned to a commit alone" in shown.out
    assert suite.read_text(encoding="utf-8") == before
    _git(project, "add", "docs")
    _git(project, "commit", "-qm", "two")
    second = _git(project, "rev-parse", "HEAD")
    assert rankgate("suite", "fix", suite, "--to", "HEAD", "--yes").code == 0
    written = suite.read_text(encoding="utf-8")
    assert second in written
    assert 'at: "order.md#Priority"' in written
