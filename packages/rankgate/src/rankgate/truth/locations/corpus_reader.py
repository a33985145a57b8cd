"""The one reader of a corpus: texts, lines and locations, each document read once while it is in use."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from rankgate.io.text import split_lines
from rankgate.locations import Characters, Lines
from rankgate.truth.locations.lookup import Lookup, Miss, Spot

if TYPE_CHECKING:
    from rankgate.corpora.corpus import Corpus
    from rankgate.locations import Location

KEPT = 16_000_000
"""How many characters of documents are kept in memory."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Lines of a file."""

    path: str
    """The file."""
    start: int
    """The first line, from 1."""
    end: int
    """The last line, included."""

    def overlaps(self, other: Span) -> bool:
        """Check whether the two share a line."""
        return self.path == other.path and self.start <= other.end and other.start <= self.end

    def holds(self, other: Span) -> bool:
        """Check whether every line of the other lies in this one."""
        return self.path == other.path and self.start <= other.start and other.end <= self.end


class DocumentText:
    r"""The text of a document, by lines.

    >>> DocumentText("a\nb\nc").between(1, 2)
    'a\nb\n'
    """

    def __init__(self, whole: str) -> None:
        self.whole = whole
        """All of it."""

    @cached_property
    def lines(self) -> list[str]:
        """The lines, without their ends."""
        return split_lines(self.whole)

    @cached_property
    def _starts(self) -> list[int]:
        """Where each line begins, and where one more would."""
        return [0, *accumulate(len(line) + 1 for line in self.whole.split("\n"))]

    @property
    def last_line(self) -> int:
        """The number of the last line; behind a line feed at the end there is one more, which is empty."""
        return len(self._starts) - 1

    def offsets(self, start: int | None, end: int | None) -> tuple[int, int]:
        """Return the first offset of some lines and the one behind their last; by default of all of it."""
        last, whole = self.last_line, len(self.whole)
        first = self._starts[min((start or 1) - 1, last)]
        return first, whole if end is None else min(self._starts[min(end, last)], whole)

    def lines_of(self, start: int, end: int) -> Lines:
        r"""Return the lines of the characters from one offset to another, which is excluded.

        >>> DocumentText("a\nbc\nd").lines_of(2, 6)
        Lines(start=2, end=3)
        """
        return Lines(bisect_right(self._starts, start), bisect_right(self._starts, end - 1))

    def code_points(self, characters: Characters) -> tuple[int, int]:
        """Return offsets as Python counts characters; one behind the last where they lie behind the end.

        >>> DocumentText("größer").code_points(Characters(4, 7, "bytes"))
        (3, 5)
        """
        if characters.unit == "characters":
            return characters.start, characters.end
        encoding = "utf-8" if characters.unit == "bytes" else "utf-16-le"
        width = 1 if characters.unit == "bytes" else 2
        encoded = self.whole.encode(encoding, "surrogatepass")
        if characters.end * width > len(encoded):
            return characters.start, len(self.whole) + 1
        start = encoded[: characters.start * width].decode(encoding, "ignore")
        between = encoded[characters.start * width : characters.end * width].decode(encoding, "ignore")
        return len(start), len(start) + len(between)

    def between(self, start: int | None, end: int | None) -> str:
        """Return the text of some lines, both included, with the last line feed; by default all of it."""
        first, behind = self.offsets(start, end)
        return self.whole[first:behind]


class CorpusReader:
    """Reads documents of a corpus and finds locations in it; each location is looked up once.

    The texts that were asked for last are kept, up to `KEPT` characters. Without a corpus there are no texts,
    and only what needs none is found.
    """

    def __init__(self, corpus: Corpus | None) -> None:
        self.corpus = corpus
        self.lookup = Lookup(corpus)
        self._found: dict[Location, Spot | Miss] = {}
        self._texts: OrderedDict[str, DocumentText] = OrderedDict()
        self._kept = 0

    def find(self, location: Location) -> Spot | Miss:
        """Find one location, as `Lookup.find` does."""
        found = self._found.get(location)
        if found is None:
            found = self._found[location] = self.lookup.find(location)
        return found

    def span(self, location: Location) -> Span | None:
        """Find the lines that a location means; None for a whole file, an id, and where there are none."""
        spot = self.find(location)
        if not isinstance(spot, Spot) or spot.path is None or spot.start is None or spot.end is None:
            return None
        return Span(spot.path, spot.start, spot.end)

    def has(self, document: str) -> bool:
        """Check whether the corpus has a document."""
        return self.corpus is not None and document in self.corpus

    def absence(self, path: str) -> str:
        """Return why the corpus does not have a file that it had, in words."""
        why = None if self.corpus is None else self.corpus.skipped.get(path)
        return "the file is gone" if why is None else f"the file is there but {why}"

    def document(self, spot: Spot) -> str | None:
        """Return the document that a spot is in; None for an opaque id, and without a corpus."""
        if self.corpus is None or (spot.path is None and not self.corpus.records):
            return None
        name = spot.id if spot.path is None else spot.path
        return name if name is not None and name in self.corpus else None

    def text_of(self, document: str) -> DocumentText:
        """Read a document, unless it is kept.

        Raises:
            KeyError: for one that the corpus does not have.
            InputError: for one that changed since the corpus was opened.
        """
        known = self._texts.get(document)
        if known is not None:
            self._texts.move_to_end(document)
            return known
        known = self._texts[document] = DocumentText(
            "" if self.corpus is None else self.corpus.text(document)
        )
        self._kept += len(known.whole)
        while self._kept > KEPT and len(self._texts) > 1:
            self._kept -= len(self._texts.popitem(last=False)[1].whole)
        return known

    def text(self, spot: Spot) -> str | None:
        """Read the text at a spot; None for an opaque id, and without a corpus."""
        document = self.document(spot)
        if document is None:
            return None
        text = self.text_of(document)
        if spot.start_char is not None:
            return text.whole[spot.start_char : spot.end_char]
        return text.between(spot.start, spot.end)

    def lines(self, path: str) -> list[str]:
        """Read the lines of a file."""
        return self.text_of(path).lines
