"""The comment directly above a symbol is part of it: for targets, anchors, drift and pieces alike."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest

import rankgate as rg
from rankgate.chunks.chunking import Chunking
from rankgate.corpora.folder import FolderCorpus
from rankgate.model.locations import Location
from rankgate.model.search import Document
from rankgate.truth.anchors import anchor_of, anchors_path, compare, read_anchors, updated
from rankgate.truth.drift.documents import DriftStatus
from rankgate.truth.drift.find import find_drift
from rankgate.truth.lint import lint
from rankgate.truth.locations.corpus_reader import CorpusReader
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


def keep(suite: Path, text: str) -> None:
    """Write the file of anchors as `suite anchor` did before comments were part of a symbol."""
    plain = {"version": 1, "cases": {"take-a-lease": {"lease.go::Acquire": anchor_of(text)}}}
    anchors_path(suite).write_text(json.dumps(plain), encoding="utf-8")


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


def test_an_anchor_from_before_is_not_told_as_a_change(suite: Path) -> None:
    keep(suite, ALONE)
    loaded, corpus = rg.load_suite(suite), opened(suite)
    assert [one.rule for one in lint(loaded, corpus)] == []
    drift = find_drift(loaded, corpus, corpus)
    assert [one.drift.status for one in drift.locations] == [DriftStatus.UNCHANGED]


def test_an_anchor_from_before_is_followed_when_its_symbol_moves(suite: Path) -> None:
    keep(suite, ALONE)
    (suite.parent / "moved").mkdir()
    moved = SOURCE.replace("package lease\n", "package lease\n\nvar held = 1\n")
    (suite.parent / "moved" / "lease.go").write_text(moved, encoding="utf-8")
    drift = find_drift(rg.load_suite(suite), opened(suite), opened(suite, "moved"))
    assert [one.drift.status for one in drift.locations] == [DriftStatus.MOVED]


def test_the_next_anchor_has_the_comment_in_it(suite: Path) -> None:
    keep(suite, ALONE)
    loaded, corpus = rg.load_suite(suite), opened(suite)
    kept = read_anchors(anchors_path(suite))
    assert kept is not None
    written = updated(compare(loaded, CorpusReader(corpus), kept), loaded, corpus.fingerprint)
    assert written.get("take-a-lease", "lease.go::Acquire") == anchor_of(
        "// Acquire takes a lease.\n" + ALONE
    )


def test_another_text_is_still_told(suite: Path) -> None:
    keep(suite, ALONE.replace("Acquire", "Take"))
    assert [one.rule for one in lint(rg.load_suite(suite), opened(suite))] == ["changed-anchor"]
