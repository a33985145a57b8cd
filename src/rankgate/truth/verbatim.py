"""Text found word for word in a corpus, however its white space is laid out."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from typing import TYPE_CHECKING

from rankgate.model.places import Lines

if TYPE_CHECKING:
    from rankgate.corpora.corpus import Corpus

_BETWEEN_FILES = "\0"


class Verbatim:
    """Looks for texts in a corpus; the corpus is read when the first text is looked for.

    Every run of white space counts as one space. The corpus is kept as one string, with the offset of every
    line, so that a text is found by one search at the speed of memory; a text that comes again is remembered.
    """

    def __init__(self, corpus: Corpus | None) -> None:
        self._corpus = corpus
        self._whole: str | None = None
        self._offsets: list[int] = []
        self._lines: list[tuple[str, int]] = []
        self._known: dict[bytes, tuple[tuple[str, Lines], ...]] = {}

    def find(self, text: str) -> tuple[tuple[str, Lines], ...]:
        """Give the place of a text: none, the only one, or the first two of several."""
        wanted = " ".join(text.split())
        if self._corpus is None or not wanted or _BETWEEN_FILES in wanted:
            return ()
        key = hashlib.sha256(wanted.encode(errors="surrogatepass")).digest()
        if key not in self._known:
            self._known[key] = self._search(wanted)
        return self._known[key]

    def _search(self, wanted: str) -> tuple[tuple[str, Lines], ...]:
        whole = self._read()
        found: list[tuple[str, Lines]] = []
        at = whole.find(wanted)
        while at >= 0 and len(found) < 2:
            path, first = self._line_at(at)
            _, last = self._line_at(at + len(wanted) - 1)
            found.append((path, Lines(first, last)))
            at = whole.find(wanted, at + 1)
        return tuple(found)

    def _line_at(self, offset: int) -> tuple[str, int]:
        return self._lines[bisect_right(self._offsets, offset) - 1]

    def _read(self) -> str:
        if self._whole is not None or self._corpus is None:
            return self._whole or ""
        pieces: list[str] = []
        offset = 0
        for document in self._corpus.documents():
            for number, line in enumerate(document.text.split("\n"), 1):
                if words := " ".join(line.split()):
                    self._offsets.append(offset)
                    self._lines.append((document.id, number))
                    pieces += (words, " ")
                    offset += len(words) + 1
            pieces.append(_BETWEEN_FILES)
            offset += 1
        self._whole = "".join(pieces)
        return self._whole
