"""Retrievers are recognised by the methods that they have, and asked by their framework's own call."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import InputError, SystemFailedError
from rankgate.model import Query
from rankgate.systems.function.system import FunctionSystem
from rankgate.testing import check_system
from support.retriever_doubles import (
    Component,
    MetaDocument,
    NodeWithScore,
    PageDocument,
    Pipeline,
    ScoredStore,
    Socket,
    Sockets,
    TextNode,
)

if TYPE_CHECKING:
    from collections.abc import Callable

DOCUMENTS = [MetaDocument(str(number), f"text {number}") for number in range(5)]
PAGES = [PageDocument(f"text {number}", id=str(number)) for number in range(5)]
NODES = [NodeWithScore(TextNode(str(number), f"text {number}"), 1.0) for number in range(5)]
NEEDED, OPTIONAL = {"is_mandatory": True}, {"is_mandatory": False}


class Invoked:
    """What has `invoke`, and `ainvoke` beside it."""

    def invoke(self, input: str, config: object = None, **more: Any) -> list[PageDocument]:  # noqa: A002
        assert (config, more) == (None, {})
        return [PageDocument(input)]

    async def ainvoke(self, input: str, config: object = None) -> list[PageDocument]:  # noqa: A002
        assert config is None
        return [PageDocument(f"{input}, later")]


class OnlyLater:
    """What has the asynchronous form alone."""

    async def aretrieve(self, query: str) -> list[NodeWithScore]:
        return [NodeWithScore(TextNode("n", query))]


class TakesK:
    """Somebody's own retriever, which takes a number."""

    def retrieve(self, query: str, top_k: int = 2) -> list[NodeWithScore]:
        assert query
        return NODES[:top_k]


class Index:
    """What makes retrievers."""

    def __init__(self) -> None:
        self.made: list[int] = []

    def as_query_engine(self) -> object:
        return self

    def as_retriever(self, *, similarity_top_k: int) -> object:
        self.made.append(similarity_top_k)
        return SimpleNamespace(retrieve=lambda _query: NODES[:similarity_top_k])


class Engine:
    """What has `retrieve` and answers in sentences besides."""

    def retrieve(self, query_bundle: object) -> list[NodeWithScore]:
        assert query_bundle == "rotate"
        return NODES

    def synthesize(self) -> None:
        raise AssertionError


def component(**inputs: bool) -> Component:
    sockets = Sockets(**{name: Socket(needed) for name, needed in inputs.items()})
    return Component(DOCUMENTS, sockets, Sockets(documents=Socket()))


def texts(found: object, k: int = 3) -> list[str | None]:
    return [hit.text for hit in FunctionSystem(found).search(Query("rotate", k)).hits]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (Invoked(), ["rotate"]),
        (Invoked().ainvoke, ["rotate, later"]),
        (OnlyLater(), ["rotate"]),
        (TakesK(), ["text 0", "text 1", "text 2"]),
        (Engine(), ["text 0", "text 1", "text 2"]),
        (Index(), ["text 0", "text 1", "text 2"]),
        (ScoredStore(PAGES), ["text 0", "text 1", "text 2"]),
        (component(query=True, top_k=False, filters=False), ["text 0", "text 1", "text 2"]),
        (component(text=True).run, ["text 0", "text 1", "text 2"]),
    ],
)
def test_each_is_asked_in_its_own_way(found: object, expected: list[str]) -> None:
    assert texts(found) == expected


def test_an_index_makes_a_retriever_for_each_number_once() -> None:
    index = Index()
    system = FunctionSystem(index)
    for k in (3, 3, 5):
        system.search(Query("rotate", k))

    assert index.made == [3, 5]


def test_a_component_gets_the_query_and_k_and_is_warmed_up_once() -> None:
    found = component(query=True, top_k=False)
    system = FunctionSystem(found)
    for _ in range(2):
        system.search(Query("rotate", 4))

    assert found.asked[1:] == [{"query": "rotate", "top_k": 4}] * 2


def test_a_pipeline_gets_the_query_wherever_it_is_needed_and_k_where_the_answer_is_made() -> None:
    inputs = {
        "embedder": {"text": NEEDED},
        "bm25": {"query": NEEDED, "top_k": OPTIONAL},
        "ranker": {"query": NEEDED, "top_k": OPTIONAL, "documents": OPTIONAL},
    }
    outputs: dict[str, dict[str, Any]] = {"ranker": {"documents": {}}, "embedder": {"meta": {}}}
    pipeline = Pipeline(inputs, outputs, {"ranker": {"documents": DOCUMENTS}})

    assert texts(pipeline) == ["text 0", "text 1", "text 2"]
    assert pipeline.asked == [
        {
            "embedder": {"text": "rotate"},
            "bm25": {"query": "rotate"},
            "ranker": {"query": "rotate", "top_k": 3},
        }
    ]
    described = FunctionSystem(pipeline).describe()["retriever"]
    assert "ranker.top_k=k), which returns ranker.documents" in str(described)


def test_a_pipeline_that_does_not_answer_fails_the_query() -> None:
    pipeline = Pipeline({"bm25": {"query": NEEDED}}, {"bm25": {"documents": {}}}, {})

    with pytest.raises(SystemFailedError, match="expected a dict with documents"):
        texts(pipeline)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: component(query_embedding=True), "which needs query_embedding"),
        (lambda: component(top_k=False), "which takes no query"),
        (
            lambda: Component([], Sockets(query=Socket(True)), Sockets(replies=Socket())),
            "which returns replies",
        ),
        (
            lambda: Pipeline({"llm": {"prompt": NEEDED}}, {"bm25": {"documents": {}}}),
            "a pipeline that needs llm.prompt",
        ),
        (lambda: Pipeline({}, {"bm25": {"documents": {}}}), "a pipeline that needs no input"),
        (lambda: Pipeline({"bm25": {"query": NEEDED}}, {"llm": {"replies": {}}}), "returns llm.replies"),
        (
            lambda: Pipeline({"bm25": {"query": NEEDED}}, {"a": {"documents": {}}, "b": {"documents": {}}}),
            "returns a.documents, b.documents",
        ),
        (lambda: SimpleNamespace(fetch=print, rows=3), "which has the methods fetch"),
        (object, "expected a function, an object with search, a LangChain vector store"),
    ],
)
def test_what_nobody_knows_how_to_ask_says_what_it_is_and_what_can_be_given(
    make: Callable[[], object], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        FunctionSystem(make())


def test_what_has_search_or_can_be_called_is_asked_so() -> None:
    class Own:
        def search(self, query: str, k: int) -> list[str]:
            return [query] * k

        def invoke(self, _query: str) -> None:
            raise AssertionError

    assert [hit.id for hit in FunctionSystem(Own()).search(Query("rotate", 2)).hits] == ["rotate", "rotate"]
    assert "retriever" not in FunctionSystem(Own()).describe()


def test_filters_are_refused_where_nobody_knows_how_to_pass_them_on() -> None:
    with pytest.raises(SystemFailedError, match="filters lang"):
        FunctionSystem(ScoredStore(PAGES)).search(Query("rotate", filters={"lang": "py"}))


def test_what_a_retriever_raises_is_the_error_of_its_query() -> None:
    class Broken:
        def invoke(self, query: str) -> None:
            raise ConnectionError(query)

    with pytest.raises(SystemFailedError, match="ConnectionError: rotate"):
        texts(Broken())


@pytest.mark.parametrize(
    "found", [Invoked(), ScoredStore(PAGES), TakesK(), component(query=True, top_k=False)]
)
def test_each_keeps_the_contract_of_systems(found: object) -> None:
    check_system(FunctionSystem(found))


def test_a_retriever_that_is_set_to_fewer_hits_says_so() -> None:
    found = Invoked()
    vars(found)["k"] = 4
    system = FunctionSystem(found)

    assert system.short_of(4) == ""
    assert system.short_of(10) == (
        "the retriever is set to 4 hits (k), and 10 are asked for: ranks 5 to 10 count as empty"
    )
    assert system.short_of(5).endswith(": rank 5 counts as empty")
    assert FunctionSystem(ScoredStore(PAGES)).short_of(10) == ""
    assert FunctionSystem(TakesK()).short_of(10) == ""


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Invoked(), "LangChain runnable, asked by invoke(query)"),
        (Invoked().ainvoke, "LangChain runnable, asked by ainvoke(query)"),
        (OnlyLater(), "object with aretrieve, asked by aretrieve(query)"),
        (TakesK(), "object with retrieve, asked by retrieve(query, k)"),
        (TakesK().retrieve, None),
    ],
)
def test_what_it_is_stands_in_the_description(found: object, said: str | None) -> None:
    assert FunctionSystem(found).describe().get("retriever") == said
