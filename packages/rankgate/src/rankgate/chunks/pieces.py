"""Pieces of one document, each where it stands in it: by lines, by characters, or by its text."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from rankgate.chunks.placing import place_in_order
from rankgate.model.locations import Characters, Lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.model.search import Document

_LINE_END = re.compile("\n")


class Pieces:
    r"""Cuts one document; the id of a piece says where it stands.

    >>> from rankgate.model.search import Document
    >>> pieces = Pieces(Document("a.md", "1\n2\n3\n", path="a.md"))
    >>> pieces.count, pieces.cut(2, 3).id, pieces.cut(2, 3).text
    (3, 'a.md:2-3', '2\n3')
    >>> pieces.between(2, 3).id, pieces.between(2, 3).lines
    ('a.md@2-3', Lines(start=2, end=2))
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._lines = document.text.split("\n")
        self.count = max(1, len(self._lines) - document.text.endswith("\n"))
        """How many lines the document has."""

    def cut(self, start: int, end: int, *, title: str = "", kind: str = "") -> Document:
        """Return the lines from `start` to `end`, counted from 1, both included."""
        document = self._document
        return replace(
            document,
            id=f"{document.id}:{start}-{end}",
            text="\n".join(self._lines[start - 1 : end]),
            title=title or document.title,
            lines=Lines(start, end),
            facets={**document.facets, "kind": kind} if kind else document.facets,
        )

    def between(self, first: int, behind: int, *, text: str | None = None, title: str = "") -> Document:
        """Return the characters from `first` to the one before `behind`, counted from 0.

        Args:
            first: The first character.
            behind: The one behind the last; more than `first`.
            text: What is indexed, where a library changed it; by default what stands there.
            title: What a person would call it; by default as the document.
        """
        document = self._document
        return replace(
            document,
            id=f"{document.id}@{first}-{behind}",
            text=document.text[first:behind] if text is None else text,
            title=title or document.title,
            lines=Lines(self._line(first), self._line(behind - 1)),
            characters=Characters(first, behind),
        )

    def placed(
        self,
        texts: Sequence[str],
        *,
        starts: Sequence[int] = (),
        overlap: int | None = 0,
        titles: Sequence[str] = (),
    ) -> Iterator[Document]:
        r"""Return the texts that a library cut, each where it stands.

        One that cannot be placed has no lines; nothing is left out but what is blank.

        >>> from rankgate.model.search import Document
        >>> pieces = Pieces(Document("a.md", "# Keys\n\n  Rotate them.\n", path="a.md"))
        >>> [(one.text, str(one.lines)) for one in pieces.placed(["# Keys", "Rotate them.", "Nowhere."])]
        [('# Keys', '1-1'), ('Rotate them.', '3-3'), ('Nowhere.', 'None')]

        Args:
            texts: The pieces, in the order of the document.
            starts: The first character of each, where the library knows it.
            overlap: How many characters the next may begin before the end of the last; None where only the
                library knows.
            titles: What a person would call each; by default as the document.
        """
        whole = self._document.text
        spans: list[tuple[int, int] | None] = [
            (start, start + len(text)) if start >= 0 and whole.startswith(text, start) else None
            for text, start in zip(texts, starts or [-1] * len(texts), strict=True)
        ]
        if None in spans:
            searched = place_in_order(whole, texts, overlap)
            spans = [known or found for known, found in zip(spans, searched, strict=True)]
        for number, (text, span) in enumerate(zip(texts, spans, strict=True)):
            title = titles[number] if titles else ""
            if not text or text.isspace():
                continue
            if span is not None:
                yield self.between(*span, text=text, title=title)
            else:
                name = f"{self._document.id}@piece-{number + 1}"
                yield replace(
                    self._document, id=name, text=text, title=title or self._document.title, lines=None
                )

    @property
    def whole(self) -> Document:
        """The document under its own id, with all of its lines, so that a hit on it has some."""
        return replace(self._document, lines=Lines(1, self.count))

    def blank(self, start: int, end: int) -> bool:
        """Check whether nothing stands on these lines."""
        return not any(line.strip() for line in self._lines[start - 1 : end])

    @cached_property
    def _ends(self) -> list[int]:
        return [found.end() for found in _LINE_END.finditer(self._document.text)]

    def _line(self, character: int) -> int:
        """Return the number of a character's line; what is behind the last line break is on that line."""
        return min(self.count, bisect_right(self._ends, character) + 1)
