"""Objects with the methods and attributes that retrieval frameworks have, and nothing else of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class PageDocument:
    """LangChain's document."""

    page_content: str
    metadata: dict[str, Any] = field(default_factory=dict)
    id: str | None = None


@dataclass
class TextNode:
    """LlamaIndex's node."""

    node_id: str
    text: str
    metadata: dict[str, Any] = field(default_factory=dict)
    start_char_idx: int | None = None
    end_char_idx: int | None = None

    def get_content(self) -> str:
        """Return the text."""
        return self.text


@dataclass
class NodeWithScore:
    """LlamaIndex's hit."""

    node: TextNode
    score: float | None = None


@dataclass
class MetaDocument:
    """Haystack's document."""

    id: str
    content: str | None
    meta: dict[str, Any] = field(default_factory=dict)
    score: float | None = None


@dataclass
class BaseStore:
    """LangChain's base of vector stores: it has `search`, which takes no k, and scores that are not there."""

    documents: list[PageDocument]

    def search(self, query: str, search_type: str, **more: Any) -> list[PageDocument]:
        """Search in a way that is named."""
        if search_type != "similarity":
            message = f"search_type of {search_type} not allowed"
            raise ValueError(message)
        return self.similarity_search(query, **more)

    def similarity_search(self, query: str, k: int = 4, **more: Any) -> list[PageDocument]:
        """Return the first documents."""
        assert query
        assert not more
        return self.documents[:k]

    def similarity_search_with_score(self, *args: Any, **more: Any) -> list[tuple[PageDocument, float]]:
        """Refuse to answer."""
        raise NotImplementedError

    def as_retriever(self) -> object:
        """Return itself."""
        return self


class ScoredStore(BaseStore):
    """A store with scores."""

    def similarity_search_with_score(
        self, query: str, k: int = 4, **more: Any
    ) -> list[tuple[PageDocument, float]]:
        """Return the first documents, each with a score."""
        return [(one, 1 / (rank + 1)) for rank, one in enumerate(self.similarity_search(query, k, **more))]


@dataclass
class Socket:
    """An input or output of a Haystack component."""

    is_mandatory: bool = False


class Sockets:
    """All of them, as attributes."""

    def __init__(self, **sockets: Socket) -> None:
        self._sockets_dict = sockets
        vars(self).update(sockets)


class Component:
    """A Haystack component that answers with its documents."""

    def __init__(self, documents: list[MetaDocument], inputs: Sockets, outputs: Sockets) -> None:
        self.documents, self.warm, self.asked = documents, 0, [dict[str, Any]()]
        self.__haystack_input__, self.__haystack_output__ = inputs, outputs

    def warm_up(self) -> None:
        """Count how often it was warmed up."""
        self.warm += 1

    def run(self, **arguments: Any) -> dict[str, Any]:
        """Answer, once it is warm."""
        assert self.warm == 1
        self.asked.append(arguments)
        return {"documents": self.documents[: arguments.get("top_k")]}


@dataclass
class Pipeline:
    """A Haystack pipeline."""

    needed: dict[str, dict[str, dict[str, Any]]]
    given: dict[str, dict[str, Any]]
    answer: dict[str, Any] = field(default_factory=dict)
    asked: list[dict[str, Any]] = field(default_factory=list)

    def inputs(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Return what nothing is connected to."""
        return self.needed

    def outputs(self) -> dict[str, dict[str, Any]]:
        """Return what comes out."""
        return self.given

    def get_component(self, name: str) -> object:
        """Return what it is called."""
        return name

    def run(self, data: dict[str, Any]) -> dict[str, Any]:
        """Answer."""
        self.asked.append(data)
        return self.answer
