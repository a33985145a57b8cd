"""The texts that places point at: a whole file, some of its lines, or a record."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from rankgate.truth.lookup import Lookup, Spot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.model.places import Location
    from rankgate.truth.lookup import Miss

KEPT = 64_000_000
"""How many characters of documents are kept in memory."""


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    r"""A text that gives its lines by number.

    >>> Text.of("a\nb\nc").between(2, 3)
    'b\nc'
    """

    whole: str
    """All of it."""
    starts: Sequence[int]
    """Where each line begins, and where one more would."""

    @classmethod
    def of(cls, whole: str) -> Text:
        """Find the lines of a text."""
        return cls(whole, [0, *accumulate(len(line) + 1 for line in whole.split("\n"))])

    def span(self, start: int | None, end: int | None) -> tuple[int, int]:
        """Give the first offset of some lines and the one behind their last; without lines, of all of it."""
        if start is None or end is None:
            return 0, len(self.whole)
        last = len(self.starts) - 1
        return self.starts[min(start - 1, last)], min(self.starts[min(end, last)], len(self.whole))

    def between(self, start: int | None, end: int | None) -> str:
        """Give the text of some lines, both ends included; without lines, all of it."""
        first, behind = self.span(start, end)
        return self.whole[first:behind]


class Passages:
    """Finds places in a corpus and gives their texts; each place is looked up once."""

    def __init__(self, corpus: Corpus | None) -> None:
        self.corpus = corpus
        self.lookup = Lookup(corpus)
        self._found: dict[Location, Spot | Miss] = {}
        self._texts: dict[str, Text] = {}
        self._kept = 0

    def find(self, location: Location) -> Spot | Miss:
        """Find one location, as `Lookup.find` does."""
        found = self._found.get(location)
        if found is None:
            found = self._found[location] = self.lookup.find(location)
        return found

    def document(self, spot: Spot) -> str | None:
        """Name the document that a spot is in; None for an opaque id, and without a corpus."""
        if self.corpus is None:
            return None
        if spot.path is None and not self.corpus.records:
            return None
        name = spot.id if spot.path is None else spot.path
        return name if name is not None and name in self.corpus else None

    def text_of(self, document: str) -> Text:
        """Give the text of a document; those asked for last are kept."""
        known = self._texts.get(document)
        if known is None:
            if self._kept > KEPT:
                self._texts.clear()
                self._kept = 0
            whole = "" if self.corpus is None else self.corpus.text(document)
            known = self._texts[document] = Text.of(whole)
            self._kept += len(whole)
        return known

    def text(self, spot: Spot) -> str | None:
        """Give the text at a spot; None for an opaque id, and without a corpus."""
        document = self.document(spot)
        return None if document is None else self.text_of(document).between(spot.start, spot.end)
