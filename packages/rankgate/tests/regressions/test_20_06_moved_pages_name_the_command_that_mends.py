"""Issue 20, found 6: a page that moved is mended by the command that lint names, and keeps its heading."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

KEYS = "# Keys\n\n## Rotation\n\nRotate keys every 90 days.\nTell the team first.\nKeep the old one a day.\n"
SUITE = """name: docs
corpus: docs
cases:
  - {name: rotate, query: replace a credential, at: "keys.md#Rotation"}
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text(KEYS, encoding="utf-8")
    (tmp_path / "search.yaml").write_text(SUITE, encoding="utf-8")
    rankgate("suite", "mend", tmp_path / "search.yaml", "--yes")
    return tmp_path / "search.yaml"


def test_a_page_that_moved_is_not_offered_without_its_heading(suite: Path) -> None:
    (suite.parent / "docs" / "auth").mkdir()
    (suite.parent / "docs" / "keys.md").rename(suite.parent / "docs" / "auth" / "keys.md")
    said = rankgate("suite", "lint", suite)
    assert said.code != 0
    assert f"rankgate suite mend {suite}" in said.out
    assert "did you mean" not in said.out
    assert rankgate("suite", "mend", suite, "--yes").code == 0
    assert 'at: "auth/keys.md#Rotation"' in suite.read_text(encoding="utf-8")
    assert rankgate("suite", "lint", suite).code == 0
