"""Every piece that splitters with overlap cut is located where it was cut; run by `just frameworks`."""

from __future__ import annotations

import os
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.corpora.folder import FolderCorpus
from rankgate.model import Query
from rankgate.systems.function.system import FunctionOptions, FunctionSystem
from rankgate.truth.locate import Placer
from support.retriever_projects import haystack_hits, langchain_hits, llama_index_hits, make_project

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.retriever_projects import BareHit

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
for framework in ("langchain_text_splitters", "llama_index.core", "haystack"):
    pytest.importorskip(framework, reason="the frameworks are not here: test by `just frameworks`")


def _langchain(name: str, **more: Any) -> Callable[[], tuple[list[Any], list[BareHit]]]:
    def cut() -> tuple[list[Any], list[BareHit]]:
        import langchain_text_splitters as splitters
        from langchain_core.documents import Document

        pages = [Document(page_content=text, metadata={"source": name}) for name, text in _pages()]
        splitter = getattr(splitters, name)(**more, add_start_index=True)
        chunks = splitter.split_documents(pages)
        return chunks, langchain_hits(chunks)

    return cut


def _llama_index(name: str, **more: Any) -> Callable[[], tuple[list[Any], list[BareHit]]]:
    def cut() -> tuple[list[Any], list[BareHit]]:
        from llama_index.core import SimpleDirectoryReader, node_parser
        from llama_index.core.schema import NodeWithScore

        pages = SimpleDirectoryReader("docs", recursive=True).load_data()
        nodes = getattr(node_parser, name)(**more).get_nodes_from_documents(pages)
        return nodes, llama_index_hits(NodeWithScore(node=node) for node in nodes)

    return cut


def _haystack(name: str, **more: Any) -> Callable[[], tuple[list[Any], list[BareHit]]]:
    def cut() -> tuple[list[Any], list[BareHit]]:
        from haystack import Document
        from haystack.components import preprocessors

        pages = [Document(content=text, meta={"file_path": name}) for name, text in _pages()]
        splitter = getattr(preprocessors, name)(**more)
        if hasattr(splitter, "warm_up"):
            splitter.warm_up()
        chunks = splitter.run(documents=pages)["documents"]
        return chunks, haystack_hits(chunks)

    return cut


def _pages() -> Iterator[tuple[str, str]]:
    for path in sorted(Path("docs").rglob("*.md")):
        yield str(path), path.read_text(encoding="utf-8")


SPLITTERS = {
    "RecursiveCharacterTextSplitter": _langchain(
        "RecursiveCharacterTextSplitter", chunk_size=300, chunk_overlap=120
    ),
    "RecursiveCharacterTextSplitter, small": _langchain(
        "RecursiveCharacterTextSplitter", chunk_size=80, chunk_overlap=40
    ),
    "MarkdownTextSplitter": _langchain("MarkdownTextSplitter", chunk_size=400, chunk_overlap=150),
    "CharacterTextSplitter": _langchain("CharacterTextSplitter", chunk_size=500, chunk_overlap=200),
    "SentenceSplitter": _llama_index("SentenceSplitter", chunk_size=256, chunk_overlap=80),
    "TokenTextSplitter": _llama_index("TokenTextSplitter", chunk_size=200, chunk_overlap=60),
    "DocumentSplitter, words": _haystack(
        "DocumentSplitter", split_by="word", split_length=50, split_overlap=20
    ),
    "DocumentSplitter, passages": _haystack(
        "DocumentSplitter", split_by="passage", split_length=3, split_overlap=1
    ),
    "DocumentSplitter, lines": _haystack(
        "DocumentSplitter", split_by="line", split_length=8, split_overlap=3
    ),
    "RecursiveDocumentSplitter": _haystack(
        "RecursiveDocumentSplitter", split_length=60, split_overlap=20, split_unit="word"
    ),
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = make_project(tmp_path_factory.mktemp("splitters"))
    with chdir(folder):
        yield folder


@pytest.mark.parametrize("splitter", SPLITTERS)
def test_every_piece_is_located_where_it_was_cut(splitter: str, project: Path) -> None:
    chunks, cut = SPLITTERS[splitter]()
    options = FunctionOptions(str(project), corpus_folder=str(project / "docs"))
    system = FunctionSystem(lambda _query, _k: chunks, options)
    placer = Placer(FolderCorpus.open(project / "docs", root=project))

    placed = placer.place_hits(system.search(Query("all", len(chunks))).hits)

    assert len(placed) == len(cut) >= 100
    wrong = [
        (hit, one)
        for hit, one in zip(placed, cut, strict=True)
        if (hit.path, hit.start_char, hit.end_char) != (one.path, one.start, one.end)
    ]
    texts = {
        path: (project / "docs" / path).read_text(encoding="utf-8") for path in {one.path for one in cut}
    }
    assert [one for one in cut if texts[one.path][one.start : one.end] != one.text] == []
    assert not wrong, f"{len(wrong)} of {len(cut)}: {wrong[0]}"
