"""The pieces of one document, each at its place in it: by lines, by characters, or by its text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from rankgate.locations import Characters, Lines
from rankgate.model import Document

_STATES = 16
"""The number of ways to place the pieces so far that are kept."""
_COPIES = 8
"""The number of copies of a piece that are tried from each."""
_SKIPPED = 2
"""The cost of a character of a piece that is not placed; one that is left between two pieces costs 1."""


class Pieces:
    r"""Cuts one document; the id of a piece says where it is.

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
        """The number of lines of the document."""

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

    def between(self, first: int, behind: int) -> Document:
        """Return the characters from `first` to the one before `behind`, counted from 0."""
        document = self._document
        lines = [min(self.count, bisect_right(self._ends, at) + 1) for at in (first, behind - 1)]
        return replace(
            document,
            id=f"{document.id}@{first}-{behind}",
            text=document.text[first:behind],
            lines=Lines(*lines),
            characters=Characters(first, behind),
        )

    def placed(
        self,
        texts: Sequence[str],
        *,
        starts: Sequence[int] = (),
        titles: Sequence[str] = (),
        overlap: int | None = None,
    ) -> Iterator[Document]:
        r"""Return the texts of a splitter, each with its lines and characters.

        A text that cannot be placed has no lines. Blank texts are left out.

        >>> pieces = Pieces(Document("a.md", "# Keys\n\n  Rotate them.\n", path="a.md"))
        >>> [(one.text, str(one.lines)) for one in pieces.placed(["# Keys", "Rotate them.", "Nowhere."])]
        [('# Keys', '1-1'), ('Rotate them.', '3-3'), ('Nowhere.', 'None')]

        Args:
            texts: The pieces, in the order of the document.
            starts: The first character of each, if the splitter knows it.
            titles: A title for each; by default the document's.
            overlap: How many characters a piece may begin before the end of the last, if the splitter tells.
        """
        document = self._document
        spans: list[tuple[int, int] | None] = [
            (start, start + len(text)) if start >= 0 and document.text.startswith(text, start) else None
            for text, start in zip(texts, starts or [-1] * len(texts), strict=True)
        ]
        if None in spans:
            searched = place_in_order(document.text, texts, overlap)
            spans = [known or found for known, found in zip(spans, searched, strict=True)]
        for number, (text, span) in enumerate(zip(texts, spans, strict=True)):
            title = (titles[number] if titles else "") or document.title
            if not text or text.isspace():
                continue
            if span is None:
                name = f"{document.id}@piece-{number + 1}"
                yield replace(document, id=name, text=text, title=title, lines=None)
                continue
            yield replace(self.between(*span), text=text, title=title)

    @property
    def whole(self) -> Document:
        """The document under its own id, with all of its lines, so that a hit on it has some."""
        return replace(self._document, lines=Lines(1, self.count))

    def blank(self, start: int, end: int) -> bool:
        """Check whether these lines are blank."""
        return not any(line.strip() for line in self._lines[start - 1 : end])

    @cached_property
    def _ends(self) -> list[int]:
        return [found.end() for found in re.finditer("\n", self._document.text)]


class _Way(NamedTuple):
    """One way to place the pieces so far."""

    cost: int
    start: int
    """The start of the last piece that was placed."""
    end: int
    """The end of the last piece."""
    span: tuple[int, int] | None
    before: _Way | None


def place_in_order(
    text: str, pieces: Sequence[str], overlap: int | None = None
) -> list[tuple[int, int] | None]:
    r"""Return the first character of each piece and the one behind its last; None if it is not found.

    Splitters trim, drop blank lines and join with other white space, so white space does not count. Of all
    ways to place the pieces, the one that leaves the least of the document between them is taken, so a line
    that occurs often, such as a closing brace, is placed by its neighbours. `overlap` is the number of
    characters that a piece may begin before the end of the last, if the splitter tells.

    >>> place_in_order("if a {\n  b\n}\nif c {\n  d\n}\n", ["if a {\n  b", "}", "if c {\n  d", "}"])
    [(0, 10), (11, 12), (13, 23), (24, 25)]
    >>> place_in_order("# Keys\n\nMake\none.", ["Make  \none.", "Gone."])
    [(8, 17), None]
    """
    whole, offsets = _printed(text)
    wanted = [_printed(piece)[0] for piece in pieces]
    if overlap is None and sum(map(len, wanted)) <= len(whole):
        overlap = 0
    ways = [_Way(0, -1, 0, None, None)]
    for piece in wanted:
        found = [way for last in ways for way in _next(whole, piece, last, overlap)]
        best: dict[tuple[int, int], _Way] = {}
        for way in sorted(found, key=lambda way: way[:3]):
            best.setdefault((way.start, way.end), way)
        ways = list(best.values())[:_STATES]
    last: _Way | None = min(ways, key=lambda way: (way.cost + len(whole) - way.end, way.start))
    spans: list[tuple[int, int] | None] = []
    for piece in reversed(pieces):
        span = None if last is None else last.span
        if span is not None:
            first, behind = offsets[span[0]], offsets[span[1] - 1] + 1
            # The white space around the piece belongs to it, if the document has the same.
            start = first - (len(piece) - len(piece.lstrip()))
            exact = start >= 0 and text.startswith(piece, start)
            span = (start, start + len(piece)) if exact else (first, behind)
        spans.append(span)
        last = None if last is None else last.before
    return spans[::-1]


def _next(whole: str, wanted: str, last: _Way, overlap: int | None) -> Iterator[_Way]:
    """Yield the ways to place one more piece: at the copies near the end of the last, and nowhere."""
    size = len(wanted)
    yield _Way(last.cost + _SKIPPED * size, last.start, last.end, None, last)
    if not size:
        return
    low = max(last.start, 0 if overlap is None else last.end - overlap, 0)
    # Nearly every piece has something that the one before it does not have; it may begin where that one does.
    inner = max(low, last.end - size + 1)
    found = {
        *_copies(whole, wanted, max(low, last.start + 1), inner),
        *_copies(whole, wanted, inner, last.end),
        *_copies(whole, wanted, last.end, len(whole), most=1),
    }
    for at in found:
        cost = max(0, at - last.end) + (at < inner)
        yield _Way(last.cost + cost, at, max(last.end, at + size), (at, at + size), last)


def _copies(whole: str, wanted: str, low: int, high: int, most: int = _COPIES) -> list[int]:
    """Return where the first copies of a text begin, from `low` on and before `high`."""
    found: list[int] = []
    at = whole.find(wanted, low, high + len(wanted) - 1)
    while at >= 0 and len(found) < most:
        found.append(at)
        at = whole.find(wanted, at + 1, high + len(wanted) - 1)
    return found


def _printed(text: str) -> tuple[str, list[int]]:
    """Return a text without white space and what does not print, and the place of each character."""
    kept = [(at, one) for at, one in enumerate(text) if one != " " and one.isprintable()]
    return "".join(one for _, one in kept), [at for at, _ in kept]
