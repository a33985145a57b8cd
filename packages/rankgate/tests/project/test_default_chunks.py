"""Chunks of an index when the configuration names none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.memory_engine import MEMORY

if TYPE_CHECKING:
    from pathlib import Path


FILES = {
    "keys.md": "# Keys\n\nMaking one.\n\n## Rotation\n\nTo rotate a key, make another.\n",
    "hooks.md": "# Webhooks\n\nSigned with a key.\n\n## Retries\n\nFive times.\n",
}


HEADINGS = """\
corpus: docs/
gates: [hit@1 >= 1]
cases:
  - query: rotate
    at: keys.md#Rotation
  - query: five
    at: hooks.md:7
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RANKGATE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "docs").mkdir()
    for name, text in FILES.items():
        (tmp_path / "docs" / name).write_text(text)
    (tmp_path / "search.yaml").write_text(HEADINGS)
    return tmp_path


def test_index_for_headings_is_cut_by_section(project: Path) -> None:
    (project / "rankgate.toml").write_text(f"[systems.app]\nkind = '{MEMORY}'\n")
    said = rankgate("test", "search.yaml").printed()
    assert "2 documents cut by section into 4 pieces" in said
