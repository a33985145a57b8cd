"""A comment had no ranking before and after, no link to the report and no command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

SUITE = """corpus: docs/
gates: [lost(10 -> absent@10) = 0]
cases:
  - {query: rotate a key, at: keys.md}
  - {query: retry a webhook, at: hooks.md}
"""
APP = """
def search(query, k):
    return ["keys.md", "hooks.md"]
"""
CI = {"GITHUB_SERVER_URL": "https://git.example.org", "GITHUB_REPOSITORY": "a/b", "GITHUB_RUN_ID": "17"}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose search lost a page since its baseline."""
    monkeypatch.chdir(tmp_path)
    for name in CI:
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "docs").mkdir()
    for name in ("keys", "hooks"):
        (tmp_path / "docs" / f"{name}.md").write_text(f"# {name}\n")
    (tmp_path / "search.yaml").write_text(SUITE)
    (tmp_path / "app.py").write_text(APP)
    (tmp_path / "rankgate.toml").write_text('[systems.app]\nfunction = "./app.py:search"\n')
    assert rankgate("test", "search.yaml").code == 0
    rankgate("baseline", "set", "search.yaml").printed()
    (tmp_path / "app.py").write_text(APP.replace('"keys.md", ', ""))
    return tmp_path


def comment(project: Path, *words: str) -> str:
    """Test, and return the comment."""
    assert rankgate("test", "search.yaml", "-o", "github-comment=comment.md", *words).code == 1
    return (project / "comment.md").read_text(encoding="utf-8")


def test_it_has_the_ranking_before_and_now_and_a_command(project: Path) -> None:
    text = comment(project)
    assert "```diff\n- 1  keys.md  ← expected\n  1  hooks.md\n```" in text
    assert "`rankgate ask app --case rotate-a-key --suite search.yaml`" in text
    assert "](<" not in text


def test_it_links_to_the_run_of_the_workflow(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in CI.items():
        monkeypatch.setenv(name, value)
    assert "[Report](<https://git.example.org/a/b/actions/runs/17>)" in comment(project)
    settings = project / "rankgate.toml"
    settings.write_text('report_url = "https://ci.example.org/search"\n' + settings.read_text())
    assert "[Report](<https://ci.example.org/search>)" in comment(project)
    assert "[Report](<https://else.example.org/>)" in comment(
        project, "--report-url", "https://else.example.org/"
    )


def test_an_address_that_is_none_is_refused(project: Path) -> None:
    assert "--report-url" in rankgate("test", "search.yaml", "--report-url", "ftp://x").refused()
    settings = project / "rankgate.toml"
    settings.write_text('report_url = "javascript:x"\n' + settings.read_text())
    assert "report_url" in rankgate("test", "search.yaml").refused()
