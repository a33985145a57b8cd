"""Retrievers of frameworks, recognised by the methods that they have; no framework is imported.

| what | told by | asked by |
|---|---|---|
| LangChain vector store | `similarity_search`, `as_retriever` | `similarity_search_with_score(query, k)` |
| LangChain retriever or runnable | `invoke`, `ainvoke` | `invoke(query)` |
| LlamaIndex index | `as_retriever`, `as_query_engine` | `as_retriever(similarity_top_k=k).retrieve(query)` |
| LlamaIndex query engine | `retrieve`, `synthesize` | `retrieve(QueryBundle(query))` |
| LlamaIndex retriever | `retrieve`, `aretrieve` | `retrieve(query)` |
| Haystack component | `run` and its sockets | `run(query=query, top_k=k)` |
| Haystack pipeline | `run`, `inputs`, `outputs` | `run({component: {"query": query}})` |

A bound method is asked as it is, such as `retriever.ainvoke` or `pipeline.run_async`. An object that has no
method but the asynchronous one is asked by that. A vector store that has
no scores is asked by `similarity_search`.
"""

from __future__ import annotations

import inspect
import sys
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, InputError, SystemFailedError
from rankgate.systems.adapter.failures import shown
from rankgate.systems.function.signature import FORMS, CallSignature

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

RETRIEVERS = (
    "a LangChain vector store, retriever or runnable, a LlamaIndex index, retriever or query engine, "
    "a Haystack component or pipeline"
)
"""What may be given as it is."""

_QUERIES = ("query", "text", "question")
"""The inputs of Haystack's components that take the query."""
_DOCUMENTS = "documents"
_TEXT_AND_K = CallSignature()
_MOST_METHODS = 8
_RETRIEVERS = (
    ("LangChain retriever", ("invoke", "ainvoke")),
    ("LlamaIndex retriever", ("retrieve", "aretrieve")),
)


@dataclass(frozen=True, slots=True)
class KnownRetriever:
    """A retriever, and how it is asked."""

    what: str
    """The framework, and what it is there."""
    call: str
    """How it is asked, in words."""
    function: Callable[..., Any]
    """What is called; what it returns may have to be awaited."""
    calling: CallSignature
    """What of a query it takes."""
    take: Callable[[Any], object] | None = None
    """Takes the documents out of what it returns; None where it returns them."""
    limit: tuple[str, int] | None = None
    """The setting that says how many hits it returns whatever is asked for, and how many; None for none."""

    def __str__(self) -> str:
        """Format what it is and how it is asked."""
        return f"{self.what}, asked by {self.call}"


def recognised(found: object, where: str) -> KnownRetriever | None:
    """Return what is known of a retriever; None for what is asked in another way.

    >>> class Store:
    ...     def as_retriever(self): ...
    ...     def similarity_search(self, query, k=4): return []
    >>> str(recognised(Store(), "app:store"))
    'LangChain vector store, asked by similarity_search(query, k)'

    Raises:
        InputError: for one that cannot be asked, with what it takes and returns.
    """
    if inspect.isclass(found) or inspect.isfunction(found):
        return None
    owner, method = found, ""
    if inspect.ismethod(found):
        owner, method = found.__self__, found.__name__
    for is_one, make in _KINDS:
        if is_one(owner):
            return make(owner, method, where)
    if callable(owner) or _has(owner, "search"):
        return None
    if not method and _has(owner, "as_retriever", "as_query_engine"):
        return _index(owner)
    for what, names in _RETRIEVERS:
        usable = [name for name in names if _has(owner, name) and method in ("", name)]
        if usable and not (method and not _has(owner, *names)):
            return _by_method(_kind(owner, what, names), owner, usable[0], where)
    return None


def unknown_object(found: object, where: str) -> InputError:
    """Return the error for an object of which nobody knows how to ask."""
    names = [name for name in dir(found) if not name.startswith("_") and _has(found, name)]
    told = ", ".join(names[:_MOST_METHODS]) + (", …" if len(names) > _MOST_METHODS else "")
    methods = f", which has the methods {told}" if names else ""
    fix = f"write a function that asks it: {FORMS}"
    expected = f"a function, an object with search, {RETRIEVERS}"
    return InputError(Code.WRONG_SIGNATURE(where, f"{shown(found)}{methods}", expected, fix))


def _has(found: object, *names: str) -> bool:
    try:
        return all(callable(getattr(found, name, None)) for name in names)
    except Exception:  # noqa: BLE001 - a property of an object that is not ours may raise anything
        return False


def _kind(found: object, usual: str, names: tuple[str, ...]) -> str:
    """Return what it is called: a chain of steps is no retriever, and one method makes no framework."""
    if not _has(found, *names):
        return f"object with {' or '.join(name for name in names if _has(found, name))}"
    if usual.startswith("LangChain") and not hasattr(found, "_get_relevant_documents"):
        return "LangChain runnable"
    return usual


def _by_method(what: str, owner: Any, name: str, where: str) -> KnownRetriever:
    function = getattr(owner, name)
    calling = CallSignature.of(function, where)
    limit = None if "k" in (*calling.positional, *dict(calling.keywords).values()) else _limit(owner)
    return KnownRetriever(what, f"{function.__name__}({_said(calling)})", function, calling, limit=limit)


def _limit(retriever: Any) -> tuple[str, int] | None:
    """Return how many hits a retriever is set to, by the settings that frameworks have for it."""
    given = getattr(retriever, "search_kwargs", None)
    if isinstance(given, dict):
        search = getattr(getattr(retriever, "vectorstore", None), "similarity_search", None)
        usual = inspect.signature(search).parameters.get("k") if callable(search) else None
        number = given.get("k", None if usual is None else usual.default)
        return ("search_kwargs k", number) if type(number) is int else None
    for name in ("similarity_top_k", "k"):
        number = getattr(retriever, name, None)
        if type(number) is int:
            return name, number
    return None


def _said(calling: CallSignature) -> str:
    words = {"text": "query", "k": "k", "filters": "filters"}
    named = (f"{name}={words[part]}" for name, part in calling.keywords)
    return ", ".join([*(words[part] for part in calling.positional), *named])


def _vector_store(store: Any, method: str, where: str) -> KnownRetriever:
    if method in ("search", "asearch"):
        fix = "give the vector store itself, or its similarity_search or max_marginal_relevance_search"
        raise InputError(
            Code.WRONG_SIGNATURE(where, f"{method} of a vector store", "a method that takes query and k", fix)
        )
    return _by_method("LangChain vector store", store, method or _scored(store), where)


def _scored(store: Any) -> str:
    """Return the method that also returns scores, unless the store has it from the base alone."""
    name = "similarity_search_with_score"
    for one in type(store).__mro__:
        if name in vars(one):
            # The base declares it and refuses to answer.
            return "similarity_search" if "as_retriever" in vars(one) else name
    return "similarity_search" if _has(store, "similarity_search") else "asimilarity_search"


def _index(index: Any) -> KnownRetriever:
    @cache
    def retriever(k: int) -> Any:
        return index.as_retriever(similarity_top_k=k)

    def ask(query: str, k: int) -> Any:
        return retriever(k).retrieve(query)

    return KnownRetriever(
        "LlamaIndex index", "as_retriever(similarity_top_k=k).retrieve(query)", ask, _TEXT_AND_K
    )


def _query_engine(engine: Any, method: str, _where: str) -> KnownRetriever | None:
    name = method or "retrieve"
    if name not in ("retrieve", "aretrieve"):
        return None

    def ask(query: str) -> Any:
        # Whoever has an engine has imported the module.
        bundle = getattr(sys.modules.get("llama_index.core.schema"), "QueryBundle", None)
        return getattr(engine, name)(query if bundle is None else bundle(query))

    calling = CallSignature(positional=("text",))
    limit = _limit(getattr(engine, "retriever", None))
    return KnownRetriever("LlamaIndex query engine", f"{name}(query)", ask, calling, limit=limit)


def _component(component: Any, method: str, where: str) -> KnownRetriever | None:
    name = method or ("run" if _has(component, "run") else "run_async")
    if name not in ("run", "run_async"):
        return None
    inputs = {
        one: bool(socket.is_mandatory) for one, socket in _sockets(component.__haystack_input__).items()
    }
    queries = _queries(inputs, where, f"{type(component).__name__}.run")
    outputs = list(_sockets(component.__haystack_output__))
    if _DOCUMENTS not in outputs:
        found = f"{type(component).__name__}, which returns {', '.join(outputs) or 'nothing'}"
        raise InputError(Code.WRONG_SIGNATURE(where, found, "a component that returns documents"))
    keywords = [(one, "text") for one in queries] + [("top_k", "k")] * ("top_k" in inputs)
    calling = CallSignature(positional=(), keywords=tuple(keywords))
    lock = Lock()
    warm: list[bool] = []

    def ask(**arguments: object) -> Any:
        with lock:
            if not warm and _has(component, "warm_up"):
                # A pipeline does so before its components run.
                component.warm_up()
            warm.append(True)
        return getattr(component, name)(**arguments)

    return KnownRetriever("Haystack component", f"{name}({_said(calling)})", ask, calling, _documents)


def _sockets(held: object) -> dict[str, Any]:
    """Return the inputs or outputs of a component, by name."""
    return {name: socket for name, socket in vars(held).items() if not name.startswith("_")}


def _queries(inputs: Mapping[str, bool], where: str, name: str) -> list[str]:
    """Return the inputs that take the query.

    Raises:
        InputError: where there is none, or something else is needed.
    """
    queries = [one for one in _QUERIES if inputs.get(one)] or [one for one in _QUERIES if one in inputs][:1]
    others = [one for one, needed in inputs.items() if needed and one not in queries]
    if others or not queries:
        found = f"{name}, which needs {', '.join(others)}" if others else f"{name}, which takes no query"
        fix = "give a pipeline that makes it of the query, or a function"
        raise InputError(
            Code.WRONG_SIGNATURE(
                where, found, f"{' or '.join(_QUERIES)}, which is the query, and no more", fix
            )
        )
    return queries


def _pipeline(pipeline: Any, method: str, where: str) -> KnownRetriever | None:
    name = method or ("run" if _has(pipeline, "run") else "run_async")
    if name not in ("run", "run_async"):
        return None
    inputs: Mapping[str, Mapping[str, Any]] = pipeline.inputs()
    answering = [one for one, sockets in pipeline.outputs().items() if _DOCUMENTS in sockets]
    if len(answering) != 1:
        given = [f"{one}.{socket}" for one, sockets in pipeline.outputs().items() for socket in sockets]
        fix = "leave out what follows the retrieval, join the documents, or give one of the components"
        found = f"a pipeline that returns {', '.join(given) or 'nothing'}"
        raise InputError(
            Code.WRONG_SIGNATURE(where, found, "one component whose documents are the answer", fix)
        )
    [last] = answering
    places = _places(inputs, where)
    depth = [(last, "top_k")] if "top_k" in inputs.get(last, {}) else []

    def ask(query: str, k: int) -> Any:
        data: dict[str, dict[str, object]] = {}
        for component, socket in places:
            data.setdefault(component, {})[socket] = query
        for component, socket in depth:
            data.setdefault(component, {})[socket] = k
        return getattr(pipeline, name)(data)

    said = [f"{'.'.join(one)}=query" for one in places] + [f"{'.'.join(one)}=k" for one in depth]
    call = f"{name}({', '.join(said)}), which returns {last}.{_DOCUMENTS}"
    return KnownRetriever(
        "Haystack pipeline", call, ask, _TEXT_AND_K, lambda answer: _documents(answer.get(last))
    )


def _places(inputs: Mapping[str, Mapping[str, Any]], where: str) -> list[tuple[str, str]]:
    """Return the inputs of a pipeline that take the query: those that are needed."""
    needed = [(one, name) for one, sockets in inputs.items() for name in _needed(sockets)]
    others = [".".join(one) for one in needed if one[1] not in _QUERIES]
    if others or not needed:
        found = f"a pipeline that needs {', '.join(others)}" if others else "a pipeline that needs no input"
        expected = f"inputs called {' or '.join(_QUERIES)}, which are the query, and no more"
        raise InputError(Code.WRONG_SIGNATURE(where, found, expected, "write a function that runs it"))
    return needed


def _needed(sockets: Mapping[str, Any]) -> Iterable[str]:
    return (name for name, socket in sockets.items() if socket.get("is_mandatory"))


def _documents(answer: Any) -> object:
    try:
        return answer[_DOCUMENTS]
    except (KeyError, TypeError):
        raise SystemFailedError(
            Code.WRONG_ANSWER("answer", shown(answer), f"a dict with {_DOCUMENTS}")
        ) from None


_KINDS: tuple[tuple[Callable[[Any], bool], Callable[[Any, str, str], KnownRetriever | None]], ...] = (
    (lambda one: _has(one, "similarity_search", "as_retriever"), _vector_store),
    (lambda one: hasattr(one, "__haystack_input__") and hasattr(one, "__haystack_output__"), _component),
    (lambda one: _has(one, "inputs", "outputs", "get_component"), _pipeline),
    (lambda one: _has(one, "retrieve", "synthesize"), _query_engine),
)
