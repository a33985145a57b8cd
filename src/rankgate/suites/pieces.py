"""What a YAML file is made of, each piece with where it begins and ends, to the character.

Nodes that a parser composes will not do: an alias is the node that it repeats, somewhere else in the file,
and a block ends for them where the next thing begins.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from io import StringIO
from typing import TYPE_CHECKING, Any, Literal

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

Kind = Literal["scalar", "list", "mapping", "alias"]


@dataclass(slots=True, eq=False)
class Piece:
    """One value as it is written."""

    kind: Kind
    """What it is; an alias is one of its own."""
    start: int
    """Where it begins, with its anchor or tag."""
    end: int
    """Where the last thing that belongs to it ends; comments and blank lines behind that do not."""
    flow: bool = False
    """Whether it is a list or a mapping in brackets or braces."""
    text: str = ""
    """What a scalar says."""
    style: str = ""
    """The quote or the sign of a block that a scalar begins with."""
    bare: bool = True
    """False where it has an anchor or a tag."""
    parts: list[Piece] = field(default_factory=list)
    """The items of a list; the keys and values of a mapping in turn."""
    repeats: Piece | None = None
    """What an alias repeats."""

    @property
    def said(self) -> Piece:
        """Give what it says: of an alias, what it repeats."""
        return self if self.repeats is None else self.repeats

    def pairs(self) -> list[tuple[Piece, Piece]]:
        """Give the pairs of a mapping; nothing has none else."""
        parts = self.said.parts if self.said.kind == "mapping" else []
        return list(zip(parts[::2], parts[1::2], strict=True))

    def items(self) -> list[Piece]:
        """Give the items of a list; nothing has some else."""
        return self.said.parts if self.said.kind == "list" else []

    def number(self, key: str) -> int | None:
        """Say which pair of a mapping has a key; None where it is not written."""
        return next((at for at, (name, _) in enumerate(self.pairs()) if name.said.text == key), None)

    def under(self, key: str) -> Piece | None:
        """Give the value of a key; None where it is not written."""
        at = self.number(key)
        return None if at is None else self.pairs()[at][1]

    def spans(self) -> list[tuple[int, int]]:
        """Give where each item of a list, or each pair of a mapping, begins and ends."""
        if self.kind == "mapping":
            return [(key.start, max(key.end, value.end)) for key, value in self.pairs()]
        return [(item.start, item.end) for item in self.parts]


def pieces(text: str) -> Piece | None:
    """Take a file apart; None for what is not YAML, or empty."""
    taking = _Taking(text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for event in YAML(typ="safe", pure=True).parse(StringIO(text)):
                taking.take(event)
    except (YAMLError, ValueError, LookupError, AssertionError, AttributeError, TypeError, OverflowError):
        return None
    return next(iter(taking.roots), None)


class _Taking:
    def __init__(self, text: str) -> None:
        self.roots: list[Piece] = []
        self._text = text
        self._anchors: dict[str, Piece] = {}
        self._open: list[Piece] = []
        self._last = 0

    def take(self, event: Any) -> None:
        if isinstance(event, (SequenceEndEvent, MappingEndEvent)):
            piece = self._open.pop()
            piece.end = event.end_mark.index if piece.flow else max(self._last, piece.start)
            self._last = piece.end
            return
        for piece in self._begun(event):
            (self._open[-1].parts if self._open else self.roots).append(piece)
            if piece.kind in ("list", "mapping"):
                self._open.append(piece)
            else:
                self._last = max(self._last, piece.end)

    def _begun(self, event: Any) -> Iterator[Piece]:
        start, end = event.start_mark.index, event.end_mark.index
        match event:
            case ScalarEvent():
                if start == end or (not event.value and not event.style and event.anchor is None):
                    # The mark of a value that is not there lies behind comments, lines below its key.
                    start = end = self._last
                end = start + len(self._text[start:end].rstrip())
                piece = Piece("scalar", start, end, text=event.value, style=event.style or "")
            case SequenceStartEvent() | MappingStartEvent():
                kind: Kind = "list" if isinstance(event, SequenceStartEvent) else "mapping"
                piece = Piece(kind, start, end, flow=bool(event.flow_style))
            case AliasEvent():
                yield Piece("alias", start, end, repeats=self._anchors[event.anchor])
                return
            case _:
                return
        piece.bare = event.anchor is None and (event.ctag is None or str(event.ctag) == "!")
        if event.anchor is not None:
            self._anchors[event.anchor] = piece
        yield piece
