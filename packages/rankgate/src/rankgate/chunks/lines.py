"""Pieces by lines alone: whole files, and windows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.chunks.pieces import Pieces
from rankgate.errors import Code, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.model.search import Document


@dataclass(frozen=True, slots=True)
class WholeFile:
    """A whole file, with all of its lines."""

    def cut(self, document: Document) -> tuple[Document, ...]:
        """Return the document."""
        return (Pieces(document).whole,)


@dataclass(frozen=True, slots=True)
class Window:
    r"""Windows of as many lines each, the last one shorter.

    >>> from rankgate.model.search import Document
    >>> [str(one.lines) for one in Window(3, 1).cut(Document("a.md", "1\n2\n3\n4\n5", path="a.md"))]
    ['1-3', '3-5']
    """

    lines: int = 40
    """How many lines each has."""
    overlap: int = 0
    """How many of them the next begins with."""

    def __post_init__(self) -> None:
        if not 0 <= self.overlap < self.lines:
            found = f"{self.lines} lines, overlap {self.overlap}"
            raise InputError(Code.WRONG_VALUE("", found, "0 <= overlap < lines"))

    def cut(self, document: Document) -> Iterator[Document]:
        """Return the windows."""
        pieces, start = Pieces(document), 1
        while True:
            end = min(pieces.count, start + self.lines - 1)
            yield pieces.cut(start, end)
            if end == pieces.count:
                return
            start = end + 1 - self.overlap
