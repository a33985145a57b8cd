"""The texts of a page: each once, cut, coloured, and no more of them than there is room for."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rankgate.model.wording import many
from rankgate.reports.page.colours import coloured, suffix
from rankgate.reports.page.model import PageText
from rankgate.reports.text.printable import Block, printable_block

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST = 2000
"""How many characters of a text are shown."""
BEFORE = 3
"""How many lines are shown before the first that is marked, where a text is too long."""


@dataclass(frozen=True, slots=True)
class PageLimits:
    """How much a page may hold."""

    compressed: int = 1_600_000
    """How many bytes all texts take, compressed in haste: the page itself is compressed better."""
    characters: int = 8_000_000
    """How many characters they have."""
    coloured: int = 4_000_000
    """How many of these are coloured."""


@dataclass(slots=True)
class Texts:
    """Gathers texts until the room is used up."""

    room: PageLimits = field(default_factory=PageLimits)
    """How much there is."""
    found: list[PageText] = field(default_factory=list)
    """The texts so far."""
    left_out: int = 0
    """How many hits go without their text."""
    plain: int = 0
    """How many texts go without their colours."""
    _known: dict[tuple[str, int | None, str], int] = field(default_factory=dict)
    _compressor: zlib._Compress = field(default_factory=lambda: zlib.compressobj(1))
    _compressed: int = 0
    _waiting: list[bytes] = field(default_factory=list)
    _raw: int = 0
    _characters: int = 0
    _coloured: int = 0

    @property
    def full(self) -> bool:
        """True where no other text has room."""
        return self._compressed >= self.room.compressed or self._characters >= self.room.characters

    def add(self, text: str, first: int | None, name: str, marked: Sequence[tuple[int, int]]) -> int | None:
        """Keep a text, and give its number; None where there is no room for another.

        Args:
            text: What a hit shows.
            first: The number of its first line, where it has lines.
            name: The file it is from, which says how it is coloured.
            marked: The lines that must be seen, first and last.
        """
        shown, first, cut = cut_text(text.replace("\r\n", "\n"), first, marked)
        shown, ending = printable_block(shown), suffix(name)
        key = (shown, first, ending)
        if (number := self._known.get(key)) is not None:
            # Of a text that somebody cut elsewhere there is more.
            if cut and not self.found[number].cut:
                self.found[number] = replace(self.found[number], cut=True)
            return number
        if self.full:
            self.left_out += 1
            return None
        tokens = self._colour(shown, ending)
        self._characters += len(shown)
        self._count(f"{shown}{tokens}".encode(errors="replace"))
        self._known[key] = len(self.found)
        self.found.append(PageText(Block(shown), first, tokens, cut))
        return self._known[key]

    def notes(self) -> list[str]:
        """Return what was left out, in words."""
        said = []
        if self.left_out:
            said.append(f"{many(self.left_out, 'hit')} without their text, to keep the page small")
        if self.plain:
            said.append(f"{many(self.plain, 'text')} without colours, to keep the page quick to make")
        return said

    def _count(self, data: bytes) -> None:
        """Count what a text takes, compressed; as long as all of them are small, there is no need to know."""
        self._waiting.append(data)
        self._raw += len(data)
        if self._raw > self.room.compressed:
            self._compressed += len(self._compressor.compress(b"".join(self._waiting)))
            self._waiting.clear()

    def _colour(self, text: str, ending: str) -> tuple[tuple[int, str], ...]:
        if not ending:
            return ()
        if self._coloured >= self.room.coloured:
            self.plain += 1
            return ()
        self._coloured += len(text)
        return coloured(text, ending)


def cut_text(
    text: str, first: int | None, marked: Sequence[tuple[int, int]], most: int = MOST
) -> tuple[str, int | None, bool]:
    r"""Cut a text to `most` characters, at the end of a line where one is near, around what is marked.

    Returns:
        The text, the number of its first line, and whether there was more.

    >>> cut_text("a\nb\nc\nd\ne\nf\ng", 10, [(16, 16)], most=6)
    ('d\ne\nf', 13, True)
    """
    text = text.removesuffix("\n")
    if len(text) <= most:
        return text, first, False
    start = 0
    if first is not None and marked:
        lines = text.split("\n")
        wanted = min(max(marked[0][0] - first, 0), len(lines) - 1)
        if sum(len(line) + 1 for line in lines[: wanted + 1]) > most:
            start = max(0, wanted - BEFORE)
            text = "\n".join(lines[start:])
    kept = text[:most]
    if len(text) > most and (end := kept.rfind("\n")) > most // 2:
        kept = kept[:end]
    return kept, None if first is None else first + start, True
