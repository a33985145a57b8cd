"""Files that are written together appear whole or not at all."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from rankgate.io.atomic import write_together

if TYPE_CHECKING:
    from pathlib import Path


def test_files_that_are_written_together_are_all_there_and_nothing_else_is(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    write_together(tmp_path / "new", {"a": b"1"})
    write_together(tmp_path, {"a": b"new", "b": b""})
    assert {one.name: one.read_bytes() for one in tmp_path.glob("?")} == {"a": b"new", "b": b""}
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a", "b", "new"]
    assert (tmp_path / "new" / "a").read_bytes() == b"1"


def test_where_one_cannot_be_written_none_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(OSError, match="too long"):
        write_together(tmp_path, {"a": b"new", "b" * 300: b""})
    assert [one.name for one in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_bytes() == b"old"


def test_a_content_that_the_disk_takes_in_parts_is_written_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda handle, content: real(handle, content[:3]))
    write_together(tmp_path, {"a": b"0123456789"})
    assert (tmp_path / "a").read_bytes() == b"0123456789"
