"""Pieces of a document: its lines, cut once and handed out as often as wanted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.model.places import Lines

if TYPE_CHECKING:
    from rankgate.model.search import Document


class Pieces:
    r"""Cuts lines out of one document; the id of a piece says which.

    >>> from rankgate.model.search import Document
    >>> pieces = Pieces(Document("a.md", "1\n2\n3\n", path="a.md"))
    >>> pieces.count, pieces.cut(2, 3).id, pieces.cut(2, 3).text
    (3, 'a.md:2-3', '2\n3')
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._lines = document.text.split("\n")
        self.count = max(1, len(self._lines) - document.text.endswith("\n"))
        """How many lines the document has."""

    def cut(self, start: int, end: int, *, title: str = "", kind: str = "") -> Document:
        """Give the lines from `start` to `end`, counted from 1, both included."""
        document = self._document
        return replace(
            document,
            id=f"{document.id}:{start}-{end}",
            text="\n".join(self._lines[start - 1 : end]),
            title=title or document.title,
            lines=Lines(start, end),
            facets={**document.facets, "kind": kind} if kind else document.facets,
        )

    def blank(self, start: int, end: int) -> bool:
        """Tell whether nothing stands on these lines."""
        return not any(line.strip() for line in self._lines[start - 1 : end])
