"""Splitters of LangChain, LlamaIndex and chonkie as chunkers; run by `just frameworks`."""

from __future__ import annotations

import pytest

from rankgate.chunks.chunking import read_chunking
from rankgate.model import Document
from support.repository import ROOT

for library in ("langchain_text_splitters", "llama_index.core", "chonkie"):
    pytest.importorskip(library, reason="the frameworks are not here: test by `just frameworks`")

RECURSIVE = "langchain_text_splitters:RecursiveCharacterTextSplitter"
SENTENCES = "llama_index.core.node_parser:SentenceSplitter"
SPLITTERS: dict[str, dict[str, object]] = {
    "recursive": {"by": RECURSIVE, "chunk_size": 1600, "chunk_overlap": 0},
    "recursive, overlapping": {"by": RECURSIVE, "chunk_size": 300, "chunk_overlap": 100},
    "recursive, small": {"by": RECURSIVE, "chunk_size": 80, "chunk_overlap": 40},
    "sentences": {"by": SENTENCES, "chunk_size": 400, "chunk_overlap": 0},
    "sentences, overlapping": {"by": SENTENCES, "chunk_size": 100, "chunk_overlap": 40},
    "Markdown nodes": {"by": "llama_index.core.node_parser:MarkdownNodeParser"},
    "chonkie's tokens": {"by": "chonkie:TokenChunker", "chunk_size": 300, "chunk_overlap": 100},
    "chonkie's sentences": {"by": "chonkie:SentenceChunker", "chunk_size": 300, "chunk_overlap": 100},
    "chonkie's recursive": {"by": "chonkie:RecursiveChunker", "chunk_size": 200},
}
"""Those that leave nothing out but white space."""


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    patterns = ("suites/handbook/corpus/**/*", "docs/*.md", "packages/rankgate/src/rankgate/gates/*.py")
    paths = sorted(path for pattern in patterns for path in ROOT.glob(pattern) if path.is_file())
    names = [path.relative_to(ROOT).as_posix() for path in paths]
    found = [
        Document(name, path.read_text(encoding="utf-8"), path=name)
        for name, path in zip(names, paths, strict=True)
    ]
    assert len(found) > 60
    return found


def printed(text: str) -> str:
    return "".join(one for one in text if one.isprintable() and one != " ")


@pytest.mark.parametrize("splitter", SPLITTERS)
def test_every_piece_of_real_files_is_placed_and_nothing_is_left_out(
    splitter: str, documents: list[Document]
) -> None:
    chunking = read_chunking(SPLITTERS[splitter], "chunks")
    count = 0
    for document in documents:
        seen = [False] * len(document.text)
        starts = []
        for one in chunking.cut([document]):
            assert one.lines is not None, one
            assert one.characters is not None, one
            first, behind = one.characters.start, one.characters.end
            assert printed(document.text[first:behind]) == printed(one.text)
            assert one.lines.start == document.text.count("\n", 0, first) + 1
            assert one.lines.end == document.text.count("\n", 0, behind - 1) + 1
            seen[first:behind] = [True] * (behind - first)
            starts.append(first)
        assert starts == sorted(starts)
        rest = [one for one, taken in zip(document.text, seen, strict=True) if not taken]
        assert printed("".join(rest)) == ""
        count += len(starts)
    assert count > 2 * len(documents)


def test_headings_that_langchain_leaves_out_are_titles(documents: list[Document]) -> None:
    headings = [("#", "h1"), ("##", "h2"), ("###", "h3")]
    by = "langchain_text_splitters:MarkdownHeaderTextSplitter"
    chunking = read_chunking({"by": by, "headers_to_split_on": headings}, "chunks")
    titled = 0
    for document in (one for one in documents if str(one.path).endswith(".md")):
        for one in chunking.cut([document]):
            if one.characters is not None and one.title != document.path:
                assert one.title.rpartition(" / ")[2] in document.text[: one.characters.start]
                titled += 1
    assert titled > 200


def test_langchains_own_start_is_the_same_but_for_marks_that_occur_twice(documents: list[Document]) -> None:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    for size, overlap, most in ((1600, 0, 0), (300, 100, 0), (80, 40, 20)):
        options = {"chunk_size": size, "chunk_overlap": overlap}
        splitter = RecursiveCharacterTextSplitter(**options, add_start_index=True)
        chunking = read_chunking({"by": RECURSIVE, **options}, "chunks")
        other = []
        for document in documents:
            theirs = [one.metadata["start_index"] for one in splitter.create_documents([document.text])]
            ours = list(chunking.cut([document]))
            starts = [-1 if one.characters is None else one.characters.start for one in ours]
            other += [one for one, start, said in zip(ours, starts, theirs, strict=True) if start != said]
        # They take the first copy inside the overlap, even of a bracket.
        assert len(other) <= most
        assert all(len(one.text) <= 3 for one in other)
