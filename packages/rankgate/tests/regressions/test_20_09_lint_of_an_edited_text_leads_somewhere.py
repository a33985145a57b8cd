"""Issue 20, found 9: what lint says of an edited text leads to the command that settles it."""

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


def test_an_edited_text_is_kept_by_the_command_that_lint_names(suite: Path) -> None:
    (suite.parent / "docs" / "keys.md").write_text(KEYS.replace("90", "30"), encoding="utf-8")
    said = rankgate("suite", "lint", suite)
    assert "changed-anchor" in said.out
    assert f"rankgate suite mend {suite}" in said.out
    assert rankgate("suite", "mend", suite, "--keep").code == 0
    assert rankgate("suite", "lint", suite).code == 0
    assert suite.read_text(encoding="utf-8") == SUITE
