"""Retrievers of three frameworks given as they are; run in the environment of `just frameworks`."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import chdir
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

import rankgate as rg
from rankgate.runs.formats.load import load_run
from support.commands import rankgate
from support.retriever_projects import (
    QUERIES,
    bare_hits,
    haystack_hits,
    langchain_hits,
    llama_index_hits,
    make_project,
    stored_hits,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from support.retriever_projects import BareHit

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
for framework in ("langchain_core", "langchain_text_splitters", "llama_index.core", "haystack"):
    pytest.importorskip(framework, reason="the frameworks are not here: test by `just frameworks`")

K = 10
HYBRID = "embedder.text=query, bm25.query=query, joiner.top_k=k), which returns joiner.documents"


def _langchain(app: Any, name: str, query: str) -> list[BareHit]:
    found = {
        "store": lambda: app.store.similarity_search_with_score(query, k=K),
        "store.asimilarity_search": lambda: app.store.similarity_search(query, k=K),
        "retriever": lambda: app.retriever.invoke(query),
        "retriever.ainvoke": lambda: app.retriever.invoke(query),
        "chain": lambda: app.chain.invoke(query),
    }
    return langchain_hits(found[name]())


def _llama_index(app: Any, name: str, query: str) -> list[BareHit]:
    return llama_index_hits(app.retriever.retrieve(query))


def _haystack(app: Any, name: str, query: str) -> list[BareHit]:
    found = {
        "retriever": lambda: app.retriever.run(query=query, top_k=K),
        "retriever.run_async": lambda: app.retriever.run(query=query, top_k=K),
        "pipeline": lambda: app.pipeline.run({"bm25": {"query": query, "top_k": K}})["bm25"],
        "hybrid": lambda: _hybrid(app, query),
        "hybrid.run_async": lambda: _hybrid(app, query),
    }
    return haystack_hits(found[name]()["documents"])


def _hybrid(app: Any, query: str) -> Any:
    data = {"embedder": {"text": query}, "bm25": {"query": query}, "joiner": {"top_k": K}}
    return app.hybrid.run(data)["joiner"]


ASKED: dict[str, tuple[Callable[[Any, str, str], list[BareHit]], str]] = {
    "langchain_app:store": (
        _langchain,
        "LangChain vector store, asked by similarity_search_with_score(query, k)",
    ),
    "langchain_app:store.asimilarity_search": (
        _langchain,
        "LangChain vector store, asked by asimilarity_search(query, k)",
    ),
    "langchain_app:retriever": (_langchain, "LangChain retriever, asked by invoke(query)"),
    "langchain_app:retriever.ainvoke": (_langchain, "LangChain retriever, asked by ainvoke(query)"),
    "langchain_app:chain": (_langchain, "LangChain runnable, asked by invoke(query)"),
    "llama_index_app:retriever": (_llama_index, "LlamaIndex retriever, asked by retrieve(query)"),
    "llama_index_app:retriever.aretrieve": (_llama_index, "LlamaIndex retriever, asked by aretrieve(query)"),
    "llama_index_app:index": (
        _llama_index,
        "LlamaIndex index, asked by as_retriever(similarity_top_k=k).retrieve(query)",
    ),
    "llama_index_app:engine": (_llama_index, "LlamaIndex query engine, asked by retrieve(query)"),
    "llama_index_app:engine.aretrieve": (_llama_index, "LlamaIndex query engine, asked by aretrieve(query)"),
    "haystack_app:retriever": (_haystack, "Haystack component, asked by run(query=query, top_k=k)"),
    "haystack_app:retriever.run_async": (
        _haystack,
        "Haystack component, asked by run_async(query=query, top_k=k)",
    ),
    "haystack_app:pipeline": (
        _haystack,
        "Haystack pipeline, asked by run(bm25.query=query, bm25.top_k=k), which returns bm25.documents",
    ),
    "haystack_app:hybrid": (
        _haystack,
        f"Haystack pipeline, asked by run({HYBRID}",
    ),
    "haystack_app:hybrid.run_async": (
        _haystack,
        f"Haystack pipeline, asked by run_async({HYBRID}",
    ),
}


NUMBERED = ["langchain_app:store", "llama_index_app:index", "haystack_app:retriever", "haystack_app:pipeline"]
"""Those that take how many hits are wanted."""
RETRIEVERS = ["langchain_app:retriever", "llama_index_app:retriever", "llama_index_app:engine"]
"""Those that are set to 10."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = make_project(tmp_path_factory.mktemp("project"))
    sys.path.insert(0, str(folder))
    with chdir(folder):
        yield folder
    sys.path.remove(str(folder))


def _found(target: str) -> tuple[Any, Any, str]:
    module, _, name = target.partition(":")
    app = found = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return app, found, name


def _names() -> dict[str, str]:
    return {case.id: case.query for case in rg.load_suite("search.yaml").cases}


@pytest.mark.parametrize("target", ASKED)
def test_a_ranking_is_that_of_the_bare_call_and_every_hit_is_where_its_chunk_was_cut(
    target: str, project: Path, tmp_path: Path
) -> None:
    app, found, name = _found(target)
    bare = bare_hits(lambda query: ASKED[target][0](app, name, query))

    by_object = rg.evaluate(rg.load_suite("search.yaml"), found, k=K)
    done = rankgate("run", "search.yaml", "--system", target, "-o", tmp_path / "run", "--k", str(K))

    assert done.code == 0, done.err
    assert sum(map(len, bare.values())) == K * len(QUERIES)
    for run in (by_object.run, load_run(tmp_path / "run")):
        assert stored_hits(run, _names()) == bare
    for hits in bare.values():
        for hit in hits:
            text = (project / "docs" / hit.path).read_text(encoding="utf-8")
            assert text[hit.start : hit.end] == hit.text
    options = json.loads((tmp_path / "run" / "manifest.json").read_text(encoding="utf-8"))["options"]
    assert options.get("retriever", "") == ASKED[target][1]


def test_passages_that_stand_in_several_places_are_told_apart_by_their_offsets(project: Path) -> None:
    _, store, _ = _found("langchain_app:store")
    bare = bare_hits(lambda query: langchain_hits(store.similarity_search_with_score(query, k=K)))

    copies = [hit for hit in bare["read the terms twice"] if hit.path.startswith("terms/")]
    places = {
        text: {(one.path, one.start) for one in copies if one.text == text}
        for text in {one.text for one in copies}
    }

    assert max(map(len, places.values())) >= 2, "no text is returned from two places"


@pytest.mark.parametrize(
    "target", ["langchain_app:store", "llama_index_app:retriever", "haystack_app:pipeline"]
)
def test_framework_retriever_passes_the_suite(target: str, project: Path) -> None:
    assert rankgate("test", "search.yaml", "--system", target).code == 0


@pytest.mark.parametrize("target", NUMBERED + RETRIEVERS)
def test_no_more_hits_come_back_than_are_asked_for(target: str, project: Path) -> None:
    _, found, _ = _found(target)
    result = rg.evaluate(rg.load_suite("search.yaml"), found, metrics=["hit@3"], gates=[], k=3)

    assert [len(hits) for hits in stored_hits(result.run, _names()).values()] == [3] * len(QUERIES)


@pytest.mark.parametrize(
    "target",
    NUMBERED,
)
def test_what_takes_a_number_is_asked_for_as_many_hits_as_are_wanted(target: str, project: Path) -> None:
    _, found, _ = _found(target)
    result = rg.evaluate(rg.load_suite("search.yaml"), found, metrics=["hit@17"], gates=[], k=17)

    assert [len(hits) for hits in stored_hits(result.run, _names()).values()] == [17] * len(QUERIES)


@pytest.mark.parametrize(
    ("target", "setting"),
    [*zip(RETRIEVERS, ["search_kwargs k", "similarity_top_k", "similarity_top_k"], strict=True)],
)
def test_a_retriever_that_is_set_to_fewer_hits_says_so(target: str, setting: str, project: Path) -> None:
    _, found, _ = _found(target)
    result = rg.evaluate(rg.load_suite("search.yaml"), found, metrics=["hit@17"], gates=[], k=17)

    assert [len(hits) for hits in stored_hits(result.run, _names()).values()] == [10] * len(QUERIES)
    said = f"the retriever is set to 10 hits ({setting}), and 17 are asked for: ranks 11 to 17"
    assert said in " ".join(str(result).split())  # a narrow terminal breaks the line


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("langchain_app:splitter", "RecursiveCharacterTextSplitter"),
        ("langchain_app:store.search", "search of a vector store"),
        ("haystack_app:embedding_retriever", "InMemoryEmbeddingRetriever.run, which needs query_embedding"),
        ("haystack_app:document_store", "InMemoryDocumentStore"),
    ],
)
def test_what_cannot_be_asked_says_what_it_is_and_what_can(target: str, said: str, project: Path) -> None:
    done = rankgate("test", "search.yaml", "--system", target)

    assert done.code == 2
    assert said in done.err
    assert "expected" in done.err


def test_ask_shows_what_was_recognised_and_where_fields_were_read(project: Path) -> None:
    done = rankgate(
        "query", "llama_index_app:retriever", "rotate an API key", "--k", "2", "--suite", "search.yaml"
    )

    assert "LlamaIndex retriever, asked by retrieve(query)" in done.out
    assert "path from metadata.file_path, start_char from start_char_idx" in done.out


def test_a_function_may_return_documents_as_they_are(project: Path) -> None:
    app, store, _ = _found("langchain_app:store")

    async def search(query: str, k: int) -> Any:
        await asyncio.sleep(0)
        return store.similarity_search_with_score(query, k=k)

    result = rg.evaluate(rg.load_suite("search.yaml"), search, k=K)

    bare = bare_hits(lambda query: _langchain(app, "store", query))
    assert stored_hits(result.run, _names()) == bare
