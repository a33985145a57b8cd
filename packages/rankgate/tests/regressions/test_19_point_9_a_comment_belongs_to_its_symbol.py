"""The comment directly above a symbol is part of it: for targets, anchors, drift and pieces alike."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from rankgate.chunks.chunking import Chunking
from rankgate.corpora.folder import FolderCorpus
from rankgate.model.locations import Location
from rankgate.model.search import Document
from rankgate.truth.locations.lookup import Lookup, Spot

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("tree_sitter_go", reason="the extra `code` is not installed")

ALONE = "func Acquire() {\n}\n"
SOURCE = (
    "package lease\n\n// Holder is who holds it.\ntype Holder struct{}\n\n// Acquire takes a lease.\n" + ALONE
)
SUITE = "corpus: docs/\ncases:\n  - query: take a lease\n    at: lease.go::Acquire\n"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "lease.go").write_text(SOURCE, encoding="utf-8")
    path = tmp_path / "search.yaml"
    path.write_text(SUITE, encoding="utf-8")
    return path


def opened(suite: Path, folder: str = "docs") -> FolderCorpus:
    return FolderCorpus.open(suite.parent / folder, root=suite.parent)


def test_a_hit_on_the_comment_reaches_the_symbol_and_no_other(suite: Path) -> None:
    lookup = Lookup(opened(suite))
    found = {name: lookup.find(Location(path="lease.go", symbol=name)) for name in ("Holder", "Acquire")}
    lines = {name: (one.start, one.end) for name, one in found.items() if isinstance(one, Spot)}
    assert lines == {"Holder": (3, 4), "Acquire": (6, 8)}


def test_pieces_begin_where_symbols_do(suite: Path) -> None:
    document = Document("lease.go", SOURCE, path="lease.go")
    pieces = Chunking("section").cut([document], Counter())
    assert [str(one.lines) for one in pieces if one.text.strip() != "package lease"] == ["3-4", "6-8"]
