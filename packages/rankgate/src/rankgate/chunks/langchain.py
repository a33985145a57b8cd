"""Pieces as LangChain's text splitters cut them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, ClassVar

from rankgate.chunks.library import LibraryChunker, check_sizes
from rankgate.chunks.pieces import Pieces
from rankgate.errors import Code, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankgate.model.search import Document

_DEEPEST = 6
_MARKDOWN = {".md", ".markdown", ".mdx"}


@dataclass(frozen=True)
class LangChainRecursive(LibraryChunker):
    """LangChain's RecursiveCharacterTextSplitter, which cuts at paragraphs, lines, words, characters.

    Its own `start_index` is a search that takes the first copy of a piece inside the overlap, so that pieces
    are placed here.
    """

    libraries: ClassVar[tuple[str, ...]] = ("langchain-text-splitters",)
    extra: ClassVar[str] = "langchain"

    size: int = 1600
    """How many characters a piece has at most."""
    overlap: int = 0
    """How many of them the next may begin with."""

    def __post_init__(self) -> None:
        check_sizes(self.size, self.overlap)

    def cut(self, document: Document) -> Iterable[Document]:
        """Return the pieces."""
        return Pieces(document).placed(self._splitter.split_text(document.text), overlap=self.overlap)

    @cached_property
    def _splitter(self) -> Any:
        made = self._load("langchain_text_splitters").RecursiveCharacterTextSplitter
        return made(chunk_size=self.size, chunk_overlap=self.overlap)


@dataclass(frozen=True)
class LangChainMarkdown(LibraryChunker):
    """LangChain's MarkdownHeaderTextSplitter: the text below each heading of Markdown.

    It trims lines and leaves headings out of pieces; they become the titles. It joins what stands below two
    headings of one name that follow each other, and such a piece cannot be placed. Other files stay whole.
    """

    libraries: ClassVar[tuple[str, ...]] = ("langchain-text-splitters",)
    extra: ClassVar[str] = "langchain"

    levels: int = 3
    """The deepest heading that is cut at, 1 to 6."""
    strip_headers: bool = True
    """False to leave headings in the pieces."""

    def __post_init__(self) -> None:
        if not 1 <= self.levels <= _DEEPEST:
            raise InputError(Code.WRONG_VALUE("levels", str(self.levels), f"1 to {_DEEPEST}"))

    def cut(self, document: Document) -> Iterable[Document]:
        """Return the pieces."""
        pieces = Pieces(document)
        if PurePosixPath(str(document.path)).suffix.lower() not in _MARKDOWN:
            self.notes["that are not Markdown, indexed whole"] += 1
            return (pieces.whole,)
        found = self._splitter.split_text(document.text)
        titles = [" / ".join(one.metadata.values()) for one in found]
        return pieces.placed([one.page_content for one in found], titles=titles)

    @cached_property
    def _splitter(self) -> Any:
        headings = [("#" * level, f"h{level}") for level in range(1, self.levels + 1)]
        made = self._load("langchain_text_splitters").MarkdownHeaderTextSplitter
        return made(headings, strip_headers=self.strip_headers)
