"""Pieces as chonkie's chunkers cut them, at the characters that it says."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from rankgate.chunks.library import LibraryChunker, check_sizes
from rankgate.chunks.pieces import Pieces

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankgate.model.search import Document


@dataclass(frozen=True)
class _ChonkieChunker(LibraryChunker):
    """What the three share."""

    libraries: ClassVar[tuple[str, ...]] = ("chonkie", "chonkie-core", "tokie")
    extra: ClassVar[str] = "chonkie"

    size: int = 1600
    """How many tokens a piece has at most; by default a character is one."""
    tokenizer: str = "character"
    """What counts them, as chonkie names it; one that is not carried is downloaded by chonkie."""

    def __post_init__(self) -> None:
        check_sizes(self.size, getattr(self, "overlap", 0))

    def cut(self, document: Document) -> Iterable[Document]:
        """Return the pieces."""
        found = self._chunker.chunk(document.text)
        texts, starts = [one.text for one in found], [one.start_index for one in found]
        return Pieces(document).placed(
            texts, starts=starts, overlap=None if getattr(self, "overlap", 0) else 0
        )

    @cached_property
    def _chunker(self) -> Any:
        return self._made(self._load("chonkie"))

    @abstractmethod
    def _made(self, chonkie: Any) -> Any:
        """Return chonkie's own chunker."""


@dataclass(frozen=True)
class ChonkieTokens(_ChonkieChunker):
    """chonkie's TokenChunker: as many tokens each, wherever that cuts."""

    overlap: int = 0
    """How many tokens the next begins with."""

    def _made(self, chonkie: Any) -> Any:
        return chonkie.TokenChunker(self.tokenizer, chunk_size=self.size, chunk_overlap=self.overlap)


@dataclass(frozen=True)
class ChonkieSentences(_ChonkieChunker):
    """chonkie's SentenceChunker: whole sentences, as many as fit."""

    overlap: int = 0
    """How many tokens the next may begin with."""

    def _made(self, chonkie: Any) -> Any:
        return chonkie.SentenceChunker(self.tokenizer, chunk_size=self.size, chunk_overlap=self.overlap)


@dataclass(frozen=True)
class ChonkieRecursive(_ChonkieChunker):
    """chonkie's RecursiveChunker: paragraphs, sentences, phrases, words, as large as fit."""

    def _made(self, chonkie: Any) -> Any:
        return chonkie.RecursiveChunker(self.tokenizer, chunk_size=self.size)
