"""`rankgate init` in a folder that has some of what it would write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_cases_that_are_not_written_are_not_said_to_be_proposed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text("# Keys\n\n## Rotation\n\nEvery 90 days.\n")
    mine = "corpus: docs\ncases: [{query: q, at: keys.md}]\n"
    (tmp_path / "search.yaml").write_text(mine)
    said = rankgate("init")
    assert said.code == 0, said.err
    assert "kept   search.yaml (it was there)" in said.out
    assert "proposed" not in said.out
    assert (tmp_path / "search.yaml").read_text() == mine
    (tmp_path / "search.yaml").unlink()
    again = rankgate("init").out
    assert "cases proposed from docs/, none reviewed yet." in again
    assert "rankgate.toml says so" not in again
