"""From the words of a passage to where it stands in a corpus, to the character.

A quote that stands as it is comes before one that stands only folded, and that before one of which most
stands (`rankgate.truth.locations.passages`). Of several equal places the one nearest to `start_char` is meant
where the quote says one; otherwise each of them will do, up to five.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.locations import Lines
from rankgate.truth.locations.folding import folded_offsets
from rankgate.truth.locations.passages import Passage, PassageIndex

if TYPE_CHECKING:
    from rankgate.corpora.corpus import Corpus
    from rankgate.locations import Location
    from rankgate.truth.locations.passages import FoundText

LOOKED_AT = 64
"""How many places of one quote are looked at."""


class QuoteFinder:
    """Finds quotes in a corpus: in one file where they name it, else in all of it, indexed once."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._indexes: dict[str | None, PassageIndex] = {}
        self._text: tuple[str, str] = "", ""

    def find(self, location: Location) -> tuple[tuple[Passage, ...], float]:
        """Find every place of a quote, and how much of it stands there; the file that it names is there."""
        words, path = location.quote or "", location.path
        if path is not None and location.start_char is not None:
            nearest = self._nearest(words, path, location.start_char)
            if nearest is not None:
                return (nearest,), 1.0
        found = self._found(words, path)
        places = [self._widened(words, one) for one in found.passages]
        # Copies that differ in punctuation or markup are copies only where none is the quote as it is.
        places = [one for one in places if self._text_of(one.path)[one.start : one.end] == words] or places
        if (wanted := location.start_char) is not None and places:
            places = [min(places, key=lambda one: abs(one.start - wanted))]
        return tuple(places), found.share

    def _nearest(self, words: str, path: str, wanted: int) -> Passage | None:
        """Return the place nearest to a character where the words stand as they are, of however many."""
        text = self._text_of(path)
        places = (text.rfind(words, 0, wanted + len(words)), text.find(words, wanted))
        start = min((at for at in places if at >= 0), key=lambda at: abs(at - wanted), default=None)
        if start is None:
            return None
        end, top = start + len(words), text.count("\n", 0, start) + 1
        return Passage(path, start, end, Lines(top, top + text.count("\n", start, end)))

    def elsewhere(self, location: Location) -> str | None:
        """Return a document that has a quote which the file that it names has not."""
        found = () if location.path is None else self._found(location.quote or "", None).passages
        return found[0].path if found else None

    def _found(self, words: str, path: str | None) -> FoundText:
        if path not in self._indexes and None not in self._indexes:
            names = self._corpus.paths() if path is None else (path,)
            self._indexes[path] = PassageIndex((name, self._corpus.text(name)) for name in names)
        return (self._indexes.get(None) or self._indexes[path]).find(words, path, LOOKED_AT)

    def _widened(self, words: str, one: Passage) -> Passage:
        """Add the punctuation around a passage that the quote has, too."""
        text, offsets = self._text_of(one.path), folded_offsets(words)
        start, end = one.start, one.end
        first, last = int(offsets[0]), int(offsets[-1]) + 1
        while start and first and text[start - 1] == words[first - 1]:
            start, first = start - 1, first - 1
        while end < len(text) and last < len(words) and text[end] == words[last]:
            end, last = end + 1, last + 1
        top = one.lines.start - text.count("\n", start, one.start)
        bottom = one.lines.end + text.count("\n", one.end, end)
        return Passage(one.path, start, end, Lines(top, bottom))

    def _text_of(self, path: str) -> str:
        if self._text[0] != path:
            self._text = path, self._corpus.text(path)
        return self._text[1]
