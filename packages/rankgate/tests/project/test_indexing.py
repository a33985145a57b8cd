"""Engines that build an index of the suite's corpus: what is built, when, and what is said of it."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import polars as pl
import pytest

from rankgate.chunks.chunking import Chunking
from rankgate.corpora.folder import FolderCorpus
from rankgate.errors import InputError
from rankgate.flow import evaluate
from rankgate.model import Hit, Query, Ranking
from rankgate.project.indexing import have_index
from rankgate.runs.store.run_folder import StoredRun
from rankgate.runs.store.schemas import HITS
from rankgate.suites.formats import load_suite
from support.commands import rankgate
from support.memory_engine import MEMORY

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from rankgate.model import Document

SUITE = """\
corpus: docs/
gates: [hit@3 >= 1]
cases:
  - query: rotate a key
    at: keys.md#Rotation
  - query: blue widgets
    at: widgets.md
"""
KIND = f"kind = '{MEMORY}'"
KEYS = "# Keys\n\nMaking one.\n\n## Rotation\n\nTo rotate a key, make another.\n"


class Shelf:
    """A system that keeps what it is given, under its name."""

    name = "shelf"
    wants_documents = True

    def __init__(self) -> None:
        self.built: dict[str, list[Document]] = {}

    def build(self, documents: Iterable[Document], name: str) -> bool:
        if name in self.built:
            return False
        self.built[name] = list(documents)
        return True

    def search(self, query: Query) -> Ranking:
        found = [one for one in next(reversed(self.built.values())) if query.text.split()[0] in one.text]
        return Ranking(tuple(Hit(one.id, one.path, one.lines) for one in found))


class Asked:
    """A system that builds nothing."""

    name = "asked"

    def search(self, _query: Query) -> Ranking:
        return Ranking()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RANKGATE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text(KEYS)
    (tmp_path / "docs" / "widgets.md").write_text("# Widgets\n\nThe blue ones.\n")
    (tmp_path / "search.yaml").write_text(SUITE)
    return tmp_path


def corpus(project: Path) -> FolderCorpus:
    return FolderCorpus.open(project / "docs", root=project)


def configured(project: Path, *lines: str) -> None:
    (project / "rankgate.toml").write_text("\n".join(["[systems.app]", *lines]))


CUTTER = """
from dataclasses import dataclass
import rankgate as rg

@dataclass(frozen=True)
class Halves:
    lost: str = "nothing"

    def cut(self, document):
        half = document.text.index("rotate") if "rotate" in document.text else len(document.text) // 2
        texts = [document.text[:half], document.text[half:], "No such words, rotate a key."]
        if self.lost == "error":
            raise ValueError("no halves")
        return rg.Pieces(document).placed(texts[:2] if self.lost == "nothing" else texts)
"""


def test_a_chunker_of_the_project_says_the_characters_of_its_pieces(project: Path) -> None:
    (project / "cutting.py").write_text(CUTTER)
    configured(project, KIND, "chunks = './cutting.py:Halves'")
    printed = rankgate("test", "search.yaml", "--metric", "r@100tokens").printed()
    assert "2 documents cut by ./cutting.py:Halves into 4 pieces\n" in printed
    run = StoredRun.open(project / ".rankgate" / "search" / "app" / "run")
    hits = pl.concat([shard.scan_hits(HITS.names).collect() for shard in run.shards()])
    start = KEYS.index("rotate")
    found = hits.filter(pl.col("query").str.contains("rotate"), start_char=start).row(0, named=True)
    assert (found["path"], found["end_char"], found["class"]) == ("keys.md", len(KEYS), "exact")
    assert (found["start"], found["end"]) == (7, 7)
    # What is read is the piece, not the line that it begins in.
    assert found["tokens"] == -(-len(KEYS[start:]) // 4) == 7 < -(-len(KEYS.splitlines()[6]) // 4)


def test_pieces_that_cannot_be_placed_are_counted_found_and_paid_for(project: Path) -> None:
    (project / "cutting.py").write_text(CUTTER)
    configured(project, KIND, "chunks = { by = 'cutting:Halves', lost = 'one' }")
    for _ in range(2):
        printed = rankgate("test", "search.yaml", "--metric", "r@100tokens").printed()
        assert "2 pieces of 6 could not be placed in the documents: found, and without lines" in printed
    run = StoredRun.open(project / ".rankgate" / "search" / "app" / "run")
    hits = pl.concat([shard.scan_hits(HITS.names).collect() for shard in run.shards()])
    lost = hits.filter(pl.col("start").is_null())
    assert set(lost["id"]) == {"keys.md@piece-3", "widgets.md@piece-3"}
    assert set(lost["class"]) == {"file"}
    assert set(lost["tokens"]) == {7}


def test_a_chunker_that_raises_or_is_none_is_an_error_of_the_call(project: Path) -> None:
    (project / "cutting.py").write_text(CUTTER)
    configured(project, KIND, "chunks = { by = './cutting.py:Halves', lost = 'error' }")
    assert (
        "chunks './cutting.py:Halves': keys.md: found ValueError: no halves"
        in rankgate("test", "search.yaml").refused()
    )
    configured(project, KIND, "chunks = { by = './cutting.py:Halves', lose = 'error' }")
    assert "chunks.lose: unknown key `lose`" in rankgate("test", "search.yaml").refused()
    configured(project, KIND, "chunks = './cutting.py:CUTTER'")
    assert "has no attribute 'CUTTER'" in rankgate("test", "search.yaml").refused()
    configured(project, KIND, "chunks = 'cutting:__name__'")
    assert (
        "expected an object with chunk, split_text or get_nodes_from_documents"
        in rankgate("test", "search.yaml").refused()
    )


def test_a_chunker_that_was_changed_is_another_index(project: Path) -> None:
    shelf = Shelf()
    for source in (CUTTER, CUTTER.replace("// 2", "// 3")):
        counting = 'with open("loaded", "a") as file:\n    file.write("x")\n'
        (project / "cutting.py").write_text(source + counting)
        for _ in range(2):
            chunks = Chunking("./cutting.py:Halves", root=str(project))
            notes = have_index(shelf, corpus(project), chunks).notes
        assert notes[0].endswith("built before")
    assert len(shelf.built) == 2
    # Whatever it does when it is loaded is done once.
    assert (project / "loaded").read_text() == "xxxx"


def test_whole_files_are_indexed_where_nothing_is_said_and_no_target_lies_inside_one(project: Path) -> None:
    configured(project, KIND)
    (project / "search.yaml").write_text(SUITE.replace("#Rotation", ""))
    done = rankgate("run", "search.yaml", "-o", "kept").printed()
    assert "2 documents cut by file into 2 pieces" in done
    asked = rankgate("query", "app", "rotate", "--suite", "search.yaml").printed()
    assert "2 documents cut by file into 2 pieces" in asked
    assert "keys.md" in asked
    # The only suite would be taken; of two, neither is.
    (project / "other.yaml").write_text(SUITE)
    assert "a suite that has a corpus" in rankgate("query", "app", "rotate").refused()


def test_another_text_another_cut_or_another_option_is_another_index(project: Path) -> None:
    shelf = Shelf()
    for chunks in (Chunking(), Chunking("section"), Chunking("window", {"lines": 2, "overlap": 0})):
        have_index(shelf, corpus(project), chunks)
        assert have_index(shelf, corpus(project), chunks).notes[0].endswith("built before")
    assert len(shelf.built) == 3
    (project / "docs" / "keys.md").write_text(KEYS + "More.\n")
    assert have_index(shelf, corpus(project), None).notes[0].endswith("2 documents cut by file into 2 pieces")
    assert len(shelf.built) == 4


def test_files_that_could_not_be_cut_are_told_whenever_the_index_is_searched(project: Path) -> None:
    (project / "docs" / "broken.py").write_text("def (:\n")
    shelf = Shelf()
    for _ in range(2):
        notes = have_index(shelf, corpus(project), Chunking("section")).notes
        assert notes[1:] == ("1 file whose outline cannot be read, indexed whole",)


def test_an_index_that_was_built_elsewhere_is_said_to_be(project: Path) -> None:
    shelf = Shelf()
    have_index(shelf, corpus(project), None)
    shutil.rmtree(project / "cache")
    assert "not from this machine's cache" in have_index(shelf, corpus(project), None).notes[0]


def test_python_evaluates_a_system_that_builds(project: Path) -> None:
    shelf = Shelf()
    result = evaluate(load_suite(project / "search.yaml"), shelf, chunks="section")
    assert result["hit@3"] == 1.0
    assert [one.id for one in next(iter(shelf.built.values()))] == [
        "keys.md:1-4",
        "keys.md:5-7",
        "widgets.md:1-3",
    ]


def test_documents_that_nobody_takes_are_refused(project: Path) -> None:
    found = corpus(project)
    with pytest.raises(InputError, match=r"asked.chunks: found 'section' for no index that is built"):
        have_index(Asked(), found, Chunking("section"))
    named = Shelf()
    named.wants_documents = False
    with pytest.raises(InputError, match="'section' for an index of its own, expected no chunks"):
        have_index(named, found, Chunking("section"))
    with pytest.raises(InputError, match="no index, and no corpus to build one of"):
        have_index(Shelf(), None, None)
    assert have_index(named, None, None).notes == ()


def test_chunks_that_are_wrong_are_told_with_the_other_mistakes_of_the_file(project: Path) -> None:
    configured(project, KIND, "chunks = 'sections'", "concurrency = 0")
    said = rankgate("test", "search.yaml").refused()
    assert "expected one of file, section, window, found 'sections'. Did you mean section?" in said
    assert "expected 1 or more, found 0." in said
