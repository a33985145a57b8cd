"""Targets whose text changed since it was recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path


PAGE = "# Keys\n\n## Rotation\n\nRotate a key every ninety days.\n\n## Revocation\n\nRevoke a key at once.\n"


CHANGED = "the text of 1 target changed since it was judged: keys.md#Rotation of rotate"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a project with anchors, whose search finds one section."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text(PAGE)
    (tmp_path / "s.yaml").write_text(
        "corpus: docs/\ngates: [rr >= 0.5]\ncases:\n"
        "  - {name: rotate, query: rotate, at: 'keys.md#Rotation'}\n"
        "  - {name: revoke, query: revoke, at: 'keys.md#Revocation'}\n"
    )
    (tmp_path / "app.py").write_text(
        "LINES = {'rotate': '3-5', 'revoke': '7-9'}\n"
        "def search(query, k):\n    return [{'path': 'keys.md', 'lines': LINES[query]}]\n"
    )
    (tmp_path / "rankgate.toml").write_text(
        'suites = ["s.yaml"]\n[systems.app]\nfunction = "./app.py:search"\n'
    )
    rankgate("suite", "fix", "s.yaml", "--yes")
    assert (tmp_path / "s.anchors.json").exists()
    return tmp_path


def said(text: str) -> str:
    return " ".join(text.split())


def test_changed_text_of_a_target_names_the_command(project: Path) -> None:
    (project / "docs" / "keys.md").write_text(PAGE.replace("ninety", "thirty"))
    done = rankgate("test")
    assert done.code == 0
    assert f"{CHANGED}; to look at it: rankgate suite fix s.yaml" in said(done.out)
