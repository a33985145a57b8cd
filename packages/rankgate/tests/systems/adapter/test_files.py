"""Files that options name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.errors import InputError
from rankgate.systems.adapter.options import read_text

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_of_text_is_read_without_the_mark_at_its_beginning(tmp_path: Path) -> None:
    (tmp_path / "query.sql").write_bytes("\ufeffSELECT 'größe'".encode())
    assert read_text(tmp_path / "query.sql", "app.sql_file") == "SELECT 'größe'"


@pytest.mark.parametrize("name", ["nowhere.sql", "folder", "bytes.sql", "a\0b"])
def test_what_cannot_be_read_is_told_with_its_name(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "bytes.sql").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=r"app\.sql_file: found .*expected a file of text") as raised:
        read_text(tmp_path / name, "app.sql_file")
    assert name.replace("\0", "\\x00") in str(raised.value)
