"""A pull request that edits documents is told what the edit does: to targets, to cases, to what is found."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

KEYS = """# Keys

## Rotation

Rotate a key every ninety days.
The old key works for one more hour.
Audit logs name whoever rotated it.

## Deletion

A deleted key stops at once.
Nothing brings it back, so ask twice.
"""
HOOKS = """# Webhooks

## Retries

A failed delivery is tried five times.
The pause doubles after each attempt.
Then the webhook is switched off.
"""
SUITE = """corpus: docs/
cases:
  - {query: rotate a key, at: keys.md#Rotation}
  - {query: deleted key stops, at: keys.md#Deletion}
  - {query: failed delivery attempt, at: hooks.md#Retries}
"""
CONFIGURATION = """suites = ["search.yaml"]

[systems.app]
kind = "support.memory_engine:open_memory"

[systems.fixed]
kind = "function"
target = "./app.py:search"
"""


def git(folder: Path, *words: str) -> None:
    """Run git as somebody who has no settings."""
    named = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *named, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a repository with two pages, a suite and a search that is made of the pages."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text(KEYS)
    (tmp_path / "docs" / "hooks.md").write_text(HOOKS)
    (tmp_path / "search.yaml").write_text(SUITE)
    (tmp_path / "rankgate.toml").write_text(CONFIGURATION)
    (tmp_path / "app.py").write_text("def search(query, k):\n    return []\n")
    git(tmp_path, "init")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "first")
    return tmp_path


def edit(project: Path) -> None:
    """Rename a heading, rewrite a section so that its words are gone, and add a page."""
    docs = project / "docs"
    (docs / "keys.md").write_text(KEYS.replace("## Rotation", "## Renewal"))
    (docs / "hooks.md").write_text(
        "# Webhooks\n\n## Retries\n\nWe send it again, up to five times.\nSee the status page.\n"
    )
    (docs / "news.md").write_text("# News\n\nEvery failed delivery attempt is in the news.\n")


def test_the_comment_names_what_moved_what_is_open_and_what_is_harder_to_find(project: Path) -> None:
    edit(project)
    said = rankgate(
        "suite", "changes", "search.yaml", "--from", "HEAD", "--system", "app", "--format", "github-comment"
    ).printed()
    lines = said.splitlines()
    assert lines[0].startswith("<!-- rankgate changes: search -->")
    assert "1 target moved by itself, 1 target needs a decision" in lines[2]
    assert "2 edited, 1 added" in said
    assert "`keys.md#Rotation` → `keys.md#Renewal`" in said
    assert "`hooks.md#Retries` (`failed-delivery-attempt`)" in said
    assert "`rankgate suite mend search.yaml`" in said
    assert "| `failed delivery attempt` | rank 1 |" in said
    assert len(lines) <= 40


def test_programs_get_the_same(project: Path) -> None:
    edit(project)
    found = json.loads(
        rankgate(
            "suite", "changes", "search.yaml", "--from", "HEAD", "--system", "app", "--format", "json"
        ).printed()
    )
    assert found["files"] == {"edited": ["hooks.md", "keys.md"], "added": ["news.md"], "removed": []}
    assert [(one["from"], one["to"]) for one in found["moved"]] == [("keys.md#Rotation", "keys.md#Renewal")]
    assert [one["location"] for one in found["open"]] == ["hooks.md#Retries"]
    assert found["touched"] == ["rotate-a-key", "failed-delivery-attempt"]
    assert found["findability"]["compared"] == 3
    ranks = {one["case"]: (one["before"], one["after"]) for one in found["findability"]["effects"]}
    assert ranks["failed-delivery-attempt"][0] == 1
    assert ranks["failed-delivery-attempt"][1] != 1


def test_a_suite_that_was_mended_with_the_documents_is_compared_by_what_it_said_then(project: Path) -> None:
    edit(project)
    rankgate("suite", "mend", "search.yaml", "--from", "HEAD", "--yes")
    assert "keys.md#Renewal" in (project / "search.yaml").read_text()
    call = ("suite", "changes", "search.yaml", "--from", "HEAD", "--system", "app", "--format", "json")
    assert json.loads(rankgate(*call).printed())["findability"]["compared"] == 3


def test_documents_that_did_not_change_touch_nothing(project: Path) -> None:
    said = rankgate("suite", "changes", "search.yaml", "--from", "HEAD", "--system", "app").printed()
    assert "nothing that the suite names is touched" in said
    assert "none changed" in said
    assert "1.0000 → 1.0000, 3 queries" in said


def test_a_system_that_is_not_made_of_the_documents_says_so(project: Path) -> None:
    edit(project)
    said = rankgate("suite", "changes", "search.yaml", "--from", "HEAD", "--system", "fixed").printed()
    assert "fixed was not asked over both states" in said


def test_targets_alone_are_looked_at_where_that_is_said(project: Path) -> None:
    edit(project)
    call = ("suite", "changes", "--from", "HEAD", "--targets-only", "--format", "json")
    found = json.loads(rankgate(*call).printed())
    assert found["findability"] is None
    assert len(found["open"]) == 1


def test_without_a_state_to_compare_with_the_call_says_what_to_name(project: Path) -> None:
    done = rankgate("suite", "changes", "search.yaml")
    assert done.code == 2
    assert "--from COMMIT" in done.err


def test_a_change_of_everything_still_has_a_comment_of_forty_lines(project: Path) -> None:
    cases = []
    for number in range(30):
        text = (
            f"# Page {number}\n\n## Part\n\nIt is about topic{number}.\nRead all of {number}.\nThat is it.\n"
        )
        (project / "docs" / f"page{number}.md").write_text(text)
        cases.append(f"  - {{query: about topic{number}, at: page{number}.md#Part}}\n")
        cases.append(f"  - {{query: read all of {number}, at: 'page{number}.md:5-7'}}\n")
    (project / "search.yaml").write_text(f"corpus: docs/\ncases:\n{''.join(cases)}")
    git(project, "add", ".")
    git(project, "commit", "-m", "more")
    for number in range(30):
        file = project / "docs" / f"page{number}.md"
        if number % 2:
            file.write_text("New on top.\n\n" + file.read_text())
        else:
            file.write_text(f"# Page {number}\n\n## Part\n\nNothing is left here.\n")
    said = rankgate(
        "suite", "changes", "search.yaml", "--from", "HEAD", "--system", "app", "--format", "github-comment"
    ).printed()
    assert "30 targets need a decision" in said
    assert "15 targets moved by themselves" in said
    assert 30 < len(said.splitlines()) <= 40


def test_hostile_names_make_no_markup(project: Path) -> None:
    (project / "search.yaml").write_text(SUITE.replace("rotate a key,", "'rotate <b>|`x` @team a key',"))
    edit(project)
    said = rankgate(
        "suite", "changes", "search.yaml", "--from", "HEAD", "--system", "app", "--format", "github-comment"
    ).printed()
    assert "<b>" not in said.replace("`` rotate <b>\\|`x` @team a key ``", "")
