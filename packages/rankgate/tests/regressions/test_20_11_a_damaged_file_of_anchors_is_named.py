"""Where documents changed and the file of anchors is damaged, a test names the file, as lint does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LINES = "".join(f"Line {one} says what topic {one} is about, and nothing else.\n" for one in range(1, 9))
SEARCH = """
def search(query, k):
    return [{"path": "page.md", "lines": "1-3"}]
"""
DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "cut short": lambda data: data[: len(data) // 2],
    "not JSON": lambda _: b"anchors: none",
    "another version": lambda data: data.replace(b'"version": 2', b'"version": 99'),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_the_file_is_named_and_not_the_baseline(
    damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    page, anchors = tmp_path / "docs" / "page.md", tmp_path / "s.anchors.json"
    page.write_text(LINES)
    (tmp_path / "app.py").write_text(SEARCH)
    (tmp_path / "s.yaml").write_text(
        "corpus: docs/\ngates: [lost(1 -> absent@10) = 0]\ncases:\n  - {query: topic, at: 'page.md:1-3'}\n"
    )
    (tmp_path / "rankgate.toml").write_text(
        'suites = ["s.yaml"]\n[systems.app]\nfunction = "./app.py:search"\n'
    )
    rankgate("suite", "mend", "s.yaml", "--yes")
    assert rankgate("test").code == 0
    rankgate("baseline", "set").printed()
    whole = anchors.read_bytes()
    anchors.write_bytes(DAMAGE[damage](whole))
    assert anchors.read_bytes() != whole
    page.write_text("All of it was written anew, in other words.\n" * 8)
    done = rankgate("test")
    assert done.code == 2, done.out
    assert "s.anchors.json" in done.err.splitlines()[1]
    lint = rankgate("suite", "lint", "s.yaml")
    assert (lint.code, "s.anchors.json" in lint.out + lint.err) == (2, True)
