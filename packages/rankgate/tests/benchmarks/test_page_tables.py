"""Tables in pages: written, read back, and the words around them left alone."""

from __future__ import annotations

import doctest
import shutil
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import page_tables
from files_by_id import FilesById
from page_tables import read_tables, rows_of, table_of, write_tables
from rankgate.locations import Lines
from rankgate.model import Document, Query

if TYPE_CHECKING:
    from pathlib import Path

_CELLS = st.text(st.characters(codec="ascii", categories=["L", "N", "S"], exclude_characters="|"), min_size=1)


@given(st.lists(st.lists(_CELLS, min_size=3, max_size=3)))
def test_what_is_laid_out_is_read_back(rows: list[list[str]]) -> None:
    columns = ["system", "nDCG", "MRR"]
    assert rows_of(table_of(columns, rows)) == [dict(zip(columns, row, strict=True)) for row in rows]


def test_tables_are_put_between_their_marks_and_nothing_else_changes(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "Before\n\n<!-- table: a -->\nold\n<!-- end -->\nmiddle\n<!-- table: b -->\n<!-- end -->\n"
    )
    tables = {name: table_of(["system"], [[name]]) for name in ("a", "b")}
    write_tables(page, tables)
    text = page.read_text()
    assert read_tables(text) == tables
    assert text.startswith("Before\n\n<!-- table: a -->\n| system |")
    assert "old" not in text
    assert "\nmiddle\n" in text
    with pytest.raises(SystemExit, match="has no mark <!-- table: c -->"):
        write_tables(page, {"c": ""})


def test_the_examples_hold() -> None:
    assert doctest.testmod(page_tables).failed == 0


@pytest.mark.skipif(shutil.which("rg") is None, reason="no rg")
def test_ripgrep_finds_pieces_whose_ids_are_no_names_of_files(tmp_path: Path) -> None:
    documents = [
        Document("a/keys.md:1-4", "rotate rotate", title="Keys", path="a/keys.md", lines=Lines(1, 4)),
        Document("getKey", "rotate", title="Get a key"),
    ]
    system = FilesById({"folder": str(tmp_path)}, documents)
    hits = system.search(Query("rotate", 10)).hits
    assert [(hit.id, hit.path, hit.lines, hit.score) for hit in hits] == [
        ("a/keys.md:1-4", "a/keys.md", Lines(1, 4), 2.0),
        ("getKey", None, None, 1.0),
    ]
    # Titles are searched as well.
    assert [hit.id for hit in system.search(Query("Get", 10)).hits] == ["getKey"]
