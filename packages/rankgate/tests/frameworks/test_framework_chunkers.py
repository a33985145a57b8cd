"""Chunkers of other libraries say where each piece stands; run by `just frameworks`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.chunks.chunking import Chunking, missing_libraries, read_chunking
from rankgate.model.search import Document
from support.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

for library in ("langchain_text_splitters", "llama_index.core", "chonkie", "tree_sitter_python"):
    pytest.importorskip(library, reason="the frameworks are not here: test by `just frameworks`")

SPLITTERS: dict[str, object] = {
    "recursive": "langchain_recursive",
    "recursive, overlapping": {"by": "langchain_recursive", "size": 300, "overlap": 100},
    "recursive, small": {"by": "langchain_recursive", "size": 80, "overlap": 40},
    "sentences": "llama_index_sentence",
    "sentences, overlapping": {"by": "llama_index_sentence", "size": 100, "overlap": 40},
    "chonkie's tokens": "chonkie_token",
    "chonkie's tokens, overlapping": {"by": "chonkie_token", "size": 300, "overlap": 100},
    "chonkie's sentences": "chonkie_sentence",
    "chonkie's sentences, overlapping": {"by": "chonkie_sentence", "size": 300, "overlap": 100},
    "chonkie's recursive": {"by": "chonkie_recursive", "size": 200},
    "code": {"by": "llama_index_code", "size": 200},
    "headings": {"by": "langchain_markdown", "strip_headers": False},
}
"""Those that leave nothing out but white space."""


def _documents(*patterns: str) -> list[Document]:
    paths = sorted(path for pattern in patterns for path in ROOT.glob(pattern) if path.is_file())
    names = [path.relative_to(ROOT).as_posix() for path in paths]
    return [
        Document(name, path.read_text(encoding="utf-8"), path=name)
        for name, path in zip(names, paths, strict=True)
    ]


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    found = _documents(
        "suites/handbook/corpus/**/*", "docs/*.md", "packages/rankgate/src/rankgate/gates/*.py"
    )
    assert len(found) > 60
    return found


def printed(text: str) -> str:
    return "".join(one for one in text if one.isprintable() and one != " ")


def check(document: Document, pieces: Sequence[Document], *, whole: bool) -> None:
    """Every piece stands where it says, in order; with `whole`, nothing but white space is left out."""
    seen = [False] * len(document.text)
    starts = []
    for one in pieces:
        assert one.lines is not None, one
        if one.characters is None:
            assert list(pieces) == [one]
            assert one.text == document.text
            return
        first, behind = one.characters.start, one.characters.end
        assert printed(document.text[first:behind]) == printed(one.text)
        assert one.lines.start == document.text.count("\n", 0, first) + 1
        assert one.lines.end == document.text.count("\n", 0, behind - 1) + 1
        seen[first:behind] = [True] * (behind - first)
        starts.append(first)
    assert starts == sorted(starts)
    assert len({one.id for one in pieces}) == len(pieces)
    if whole:
        rest = [one for one, taken in zip(document.text, seen, strict=True) if not taken]
        assert printed("".join(rest)) == ""


@pytest.mark.parametrize("splitter", SPLITTERS)
def test_every_piece_of_real_files_is_placed_and_nothing_is_left_out(
    splitter: str, documents: list[Document]
) -> None:
    chunking = read_chunking(SPLITTERS[splitter], "chunks")
    assert missing_libraries(chunking.kind) == []
    pieces = 0
    for document in documents:
        cut = list(chunking.cut([document]))
        check(document, cut, whole=True)
        pieces += len(cut)
    assert pieces > 2 * len(documents)


def test_headings_that_are_left_out_are_titles(documents: list[Document]) -> None:
    chunking = Chunking("langchain_markdown")
    cut = 0
    for document in documents:
        pieces = list(chunking.cut([document]))
        check(document, pieces, whole=False)
        for one in pieces:
            if one.characters is not None and one.title != document.path:
                assert one.title.rpartition(" / ")[2] in document.text[: one.characters.start]
                cut += 1
    assert cut > 200


def test_two_headings_of_one_name_are_joined_by_langchain_and_not_placed() -> None:
    text = "# Keys\n\n## Note\n\nMake one.\n\n## Note\n\nRotate it.\n"
    (piece,) = Chunking("langchain_markdown").cut([Document("a.md", text, path="a.md")])
    assert (piece.text, piece.lines) == ("Make one.  \nRotate it.", None)


def test_langchains_own_start_is_the_same_but_for_marks_that_stand_twice(documents: list[Document]) -> None:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    for size, overlap, most in ((1600, 0, 0), (300, 100, 0), (80, 40, 20)):
        splitter = RecursiveCharacterTextSplitter(
            chunk_size=size, chunk_overlap=overlap, add_start_index=True
        )
        chunking = Chunking("langchain_recursive", {"size": size, "overlap": overlap})
        other = []
        for document in documents:
            theirs = [one.metadata["start_index"] for one in splitter.create_documents([document.text])]
            ours = list(chunking.cut([document]))
            starts = [-1 if one.characters is None else one.characters.start for one in ours]
            other += [one for one, start, said in zip(ours, starts, theirs, strict=True) if start != said]
        # They take the first copy inside the overlap, though nothing but a bracket is in it.
        assert len(other) <= most
        assert all(len(one.text) <= 3 for one in other)


def test_files_that_a_splitter_is_not_for_stay_whole_and_are_counted(documents: list[Document]) -> None:
    from collections import Counter

    for name, words in (
        ("langchain_markdown", "that are not Markdown, indexed whole"),
        ("llama_index_code", "that are no code, indexed whole"),
    ):
        notes: Counter[str] = Counter()
        pieces = list(Chunking(name).cut(documents, notes))
        assert (
            0
            < notes[words]
            == sum(one.characters is None and _is_other(name, str(one.path)) for one in pieces)
        )


def _is_other(name: str, path: str) -> bool:
    return not path.endswith(".md") if name == "langchain_markdown" else path.endswith(".md")
