"""Any object that splits text: of LangChain, LlamaIndex or chonkie, or a function of a text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rankgate.chunks.locate import Pieces
from rankgate.errors import Code, PluginError
from rankgate.model import Document


class Splitter:
    """Cuts documents by an object of another library.

    The object has a method `chunk` (chonkie), `split_text` (LangChain, LlamaIndex) or
    `get_nodes_from_documents` (LlamaIndex), or is a function. A piece is a text, or has its text as `text` or
    `page_content`.
    """

    def __init__(self, splitter: Any, name: str) -> None:
        self._split = _split_of(splitter, name)
        in_characters = getattr(splitter, "_length_function", None) is len
        self._overlap: int | None = getattr(splitter, "_chunk_overlap", None) if in_characters else None

    def cut(self, document: Document) -> Iterator[Document]:
        """Return the pieces, each at its place in the document."""
        found = list(self._split(document.text)) if document.text.strip() else []
        texts = [
            one if isinstance(one, str) else getattr(one, "page_content", None) or one.text for one in found
        ]
        # LangChain and LlamaIndex search for the start of a piece, and take the first copy in the overlap.
        starts = [getattr(one, "start_index", -1) for one in found]
        # The headings, if LangChain cut at headings.
        titles = [" / ".join(_words(getattr(one, "metadata", None))) for one in found]
        yield from Pieces(document).placed(texts, starts=starts, titles=titles, overlap=self._overlap)


def _words(metadata: Any) -> list[str]:
    return [one for one in metadata.values() if isinstance(one, str)] if isinstance(metadata, dict) else []


def _split_of(splitter: Any, name: str) -> Callable[[str], Any]:
    for method in ("chunk", "split_text"):
        if callable(getattr(splitter, method, None)):
            split: Callable[[str], Any] = getattr(splitter, method)
            return split
    if callable(getattr(splitter, "get_nodes_from_documents", None)):
        from llama_index.core.schema import Document as LlamaDocument

        return lambda text: splitter.get_nodes_from_documents([LlamaDocument(text=text)])
    if callable(splitter):
        return splitter  # type: ignore[no-any-return]
    expected = "an object with chunk, split_text or get_nodes_from_documents, or a function of a text"
    raise PluginError(Code.WRONG_SIGNATURE(f"chunks {name!r}", f"{splitter!r:.80}", expected))
