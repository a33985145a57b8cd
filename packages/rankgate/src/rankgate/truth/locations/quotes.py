"""From the words of a passage to where it stands in a corpus, to the character.

A quote that stands as it is comes before one that stands only folded, and that before one of which most
stands (`rankgate.truth.locations.passages`). Of several equal places the one nearest to `start_char` is meant
where the quote says one; otherwise each of them will do, up to `COPIES`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.model.wording import many
from rankgate.truth.locations.folding import folded_offsets
from rankgate.truth.locations.lookup import Miss, MissReason, Spot
from rankgate.truth.locations.passages import COPIES, PassageIndex

if TYPE_CHECKING:
    from rankgate.corpora.corpus import Corpus
    from rankgate.model.locations import Location
    from rankgate.truth.locations.passages import Passage

_MOST = 64
"""How many places of one quote are looked at."""


class QuoteFinder:
    """Finds quotes in a corpus: in one file where they name it, else in all of it, indexed once."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._indexes: dict[str | None, PassageIndex] = {}
        self._text: tuple[str, str] = "", ""

    def find(self, location: Location) -> Spot | Miss:
        """Find one quote; the files that a quote names are in the corpus."""
        words, path = location.quote or "", location.path
        found = self._index(path).find(words, path, _MOST)
        spots = [self._spot(words, one, found.share) for one in found.passages]
        # Copies that differ in punctuation or markup are copies only where none is the quote as it is.
        spots = [one for one in spots if self._is_same(words, one)] or spots
        if not spots:
            return Miss(MissReason.NO_QUOTE, near=self._elsewhere(location))
        if (wanted := location.start_char) is not None:
            return min(spots, key=lambda one: abs((one.start_char or 0) - wanted))
        if len(spots) > COPIES:
            places = f"{_MOST} places or more" if len(spots) >= _MOST else many(len(spots), "place")
            files = len({one.path or one.id for one in spots})
            return Miss(MissReason.SEVERAL_QUOTES, near=places + (f" of {files} files" if files > 1 else ""))
        return replace(spots[0], copies=tuple(spots[1:]))

    def _index(self, path: str | None) -> PassageIndex:
        if path not in self._indexes and None not in self._indexes:
            if path is None:
                documents = ((one.id, one.text) for one in self._corpus.documents())
            else:
                documents = ((name, self._corpus.text(name)) for name in (path,))
            self._indexes[path] = PassageIndex(documents)
        return self._indexes.get(None) or self._indexes[path]

    def _spot(self, words: str, one: Passage, share: float) -> Spot:
        """Return where a passage is, with the punctuation around it that the quote has, too."""
        if self._corpus.records:
            return Spot(one.path, None, None, None, "quote", share=share)
        text, offsets = self._text_of(one.path), folded_offsets(words)
        start, end = one.start, one.end
        first, last = int(offsets[0]), int(offsets[-1]) + 1
        while start and first and text[start - 1] == words[first - 1]:
            start, first = start - 1, first - 1
        while end < len(text) and last < len(words) and text[end] == words[last]:
            end, last = end + 1, last + 1
        top, bottom = (
            one.lines.start - text.count("\n", start, one.start),
            one.lines.end + text.count("\n", one.end, end),
        )
        return Spot(None, one.path, top, bottom, "quote", start, end, share=share)

    def _is_same(self, words: str, one: Spot) -> bool:
        if one.path is None:
            return words in self._text_of(str(one.id))
        return self._text_of(one.path)[one.start_char : one.end_char] == words

    def _text_of(self, path: str) -> str:
        if self._text[0] != path:
            self._text = path, self._corpus.text(path)
        return self._text[1]

    def _elsewhere(self, location: Location) -> str:
        """Return where a quote stands that does not stand in the file that it names."""
        if location.path is None:
            return ""
        found = self.find(replace(location, path=None))
        if isinstance(found, Miss):
            return ""
        return f"it stands in {found.path or found.id}: correct its path"
