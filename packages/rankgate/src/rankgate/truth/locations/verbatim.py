"""Text found word for word in a corpus, however its white space is laid out."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from rankgate.model.locations import Lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankgate.truth.locations.corpus_reader import CorpusReader

_BETWEEN_FILES = "\0"
_LONG = 20
_IN_A_WORD = re.compile(r"[^\W\u2e80-\U0010ffff]{2}")
"""Two letters or digits side by side; scripts that write no spaces have no such."""


class _Folded:
    """Texts end to end, every run of white space as one space, with the file and number of every line."""

    def __init__(self, documents: Iterable[tuple[str, str]]) -> None:
        self._offsets: list[int] = []
        self._lines: list[tuple[str, int]] = []
        pieces: list[str] = []
        offset = 0
        for path, text in documents:
            for number, line in enumerate(text.split("\n"), 1):
                if words := " ".join(line.split()):
                    self._offsets.append(offset)
                    self._lines.append((path, number))
                    pieces += (words, " ")
                    offset += len(words) + 1
            pieces.append(_BETWEEN_FILES)
            offset += 1
        self._whole = "".join(pieces)

    def find(self, wanted: str, *, records: bool = False) -> tuple[tuple[str, Lines], ...]:
        found: list[tuple[str, Lines]] = []
        at = self._whole.find(wanted)
        while at >= 0 and len(found) < 2:
            if not self._whole_words(at, at + len(wanted)):
                at = self._whole.find(wanted, at + 1)
                continue
            path, first = self._line_at(at)
            _, last = self._line_at(at + len(wanted) - 1)
            found.append((path, Lines(first, last)))
            # A record is one location, however often it says something.
            after = self._whole.find(_BETWEEN_FILES, at) if records else at + 1
            at = self._whole.find(wanted, after)
        return tuple(found)

    def _whole_words(self, start: int, end: int) -> bool:
        """Check whether a short text ends where words end: key does not stand in keyboard.

        A long one may be cut anywhere, as chunkers do.
        """
        whole = self._whole
        if end - start >= _LONG:
            return True
        before, after = whole[max(0, start - 1) : start + 1], whole[end - 1 : end + 1]
        return not (_IN_A_WORD.fullmatch(before) or _IN_A_WORD.fullmatch(after))

    def _line_at(self, offset: int) -> tuple[str, int]:
        return self._lines[bisect_right(self._offsets, offset) - 1]


class Verbatim:
    """Looks for texts in a corpus; the corpus is read when the first text is looked for.

    Every run of white space counts as one space. The corpus is kept as one string, with the offset of every
    line, so that a text is found by one search at the speed of memory; a text that comes again is remembered.
    """

    def __init__(self, reader: CorpusReader) -> None:
        self._reader = reader
        self._everything: _Folded | None = None
        self._files: dict[str, _Folded] = {}
        self._known: dict[bytes, tuple[tuple[str, Lines], ...]] = {}

    def find(self, text: str) -> tuple[tuple[str, Lines], ...]:
        """Return the location of a text: none, the only one, or the first two of several.

        In a corpus of records the locations are records; a text that stands twice in one has one location.
        """
        wanted, corpus = _fold(text), self._reader.corpus
        if corpus is None or not wanted:
            return ()
        key = hashlib.sha256(wanted.encode(errors="surrogatepass")).digest()
        if key not in self._known:
            if self._everything is None:
                self._everything = _Folded((one.id, one.text) for one in corpus.documents())
            self._known[key] = self._everything.find(wanted, records=corpus.records)
        return self._known[key]

    def find_in(self, path: str, text: str) -> tuple[Lines, ...]:
        """Return the lines of a text in one file: none, the only ones, or the first two of several."""
        wanted = _fold(text)
        if not wanted or not self._reader.has(path):
            return ()
        if path not in self._files:
            self._files[path] = _Folded([(path, self._reader.text_of(path).whole)])
        return tuple(lines for _, lines in self._files[path].find(wanted))


def _fold(text: str) -> str:
    """Make every run of white space one space; empty for a text that no file can hold."""
    folded = " ".join(text.split())
    return "" if _BETWEEN_FILES in folded else folded
