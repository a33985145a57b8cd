"""What a tool answers: text to read, the same as data, and never more than was asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate_reference.documents.nodes import TreeNode

BYTES = 4
"""How many bytes of UTF-8 count as a token."""

SOME = 200
"""How many bytes of a text are given in any case, so that every page goes on."""

_RESERVE = 600
_LONG = 200
_GAP = re.compile(r"\n(?:[ \t]*\n){2,}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a tool."""

    text: str
    """For a reader."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """The same, by the tool's schema; empty for an error."""
    error: bool = False
    """True where the tool could not do what was asked."""


class Page:
    """Blocks of text within a budget of tokens; there is always room for the first."""

    def __init__(self, budget: int, around: int = 0) -> None:
        self.room = max(0, budget * BYTES - max(_RESERVE, _RESERVE // 2 + around))
        """How many bytes are left; some are kept for what is said above and below the blocks."""
        self.blocks: list[str] = []
        """What was taken."""

    def take(self, block: str, *, always: bool = False) -> bool:
        """Take a block, unless there is no room for it; `always` takes it all the same."""
        size = size_of(block) + 1
        if self.blocks and size > self.room and not always:
            return False
        self.blocks.append(block)
        self.room -= size
        return True


def size_of(text: str) -> int:
    """Count the bytes of a text."""
    return len(text.encode(errors="replace"))


def tokens_of(text: str) -> int:
    """Estimate the tokens of a text.

    >>> tokens_of("Rotate a key."), tokens_of("")
    (4, 0)
    """
    return -(-size_of(text) // BYTES)


def cut(text: str, room: int) -> str:
    r"""Return the beginning of a text that takes at most `room` bytes, to the end of a line if one is near.

    >>> cut("Rotate a key.\nThen go.\n", 18), cut("Rotate", 3), cut("é", 1)
    ('Rotate a key.\n', 'Rot', '')
    """
    if size_of(text) <= room:
        return text
    begun = text[: max(0, room)].encode(errors="replace")[: max(0, room)].decode(errors="ignore")
    line = begun.rfind("\n") + 1
    return begun[:line] if line > len(begun) // 2 else begun


def without_gaps(text: str) -> str:
    r"""Return a text with one empty line where there are several.

    >>> without_gaps("class A:\n\n\n\n    x = 1")
    'class A:\n\n    x = 1'
    """
    return _GAP.sub("\n\n", text)


def line_of(text: str, most: int = 160) -> str:
    r"""Return a text on one line, cut where it is long.

    >>> line_of("two\nlines"), line_of("abcdef", 4)
    ('two lines', 'abc…')
    """
    text = _CONTROL.sub(" ", text[: most * 4]).strip()
    return text if len(text) <= most else f"{text[: most - 1]}…"


def place_of(node: TreeNode) -> str:
    """Return where a node is."""
    return f"{node.path}:{node.start}-{max(node.start, node.end)}"


def in_call(id: str) -> str:  # noqa: A002 - what it is
    """Return an id as it is written in the call to make next, or just ``ID`` where it would take much room.

    >>> in_call("docs/a.md"), in_call("é" * 150)
    ("'docs/a.md'", 'ID')
    """
    return repr(id) if size_of(id) <= _LONG else "ID"


def counted(count: int, what: str, more: str = "") -> str:
    """Return how many of something there are.

    >>> counted(1, "node"), counted(1200, "node"), counted(2, "match", "matches")
    ('1 node', '1,200 nodes', '2 matches')
    """
    return f"{count:,} {what if count == 1 else more or what + 's'}"


def as_data(node: TreeNode) -> dict[str, Any]:
    """Return what every result says of a node."""
    return {
        "id": node.id,
        "title": line_of(node.title, 300),
        "kind": node.kind,
        "path": node.path,
        "start": node.start,
        "end": max(node.start, node.end),
    }


NODE: Mapping[str, Any] = {
    "id": {"type": "string", "description": "Pass it to get_node_content, navigate_tree or get_tree."},
    "title": {"type": "string"},
    "kind": {"type": "string", "description": "document, section, class, function, method and so on"},
    "path": {"type": "string"},
    "start": {"type": "integer", "description": "first line, from 1"},
    "end": {"type": "integer", "description": "last line"},
}
"""The JSON Schema of `as_data`, by field."""


def shape(fields: Mapping[str, Any], optional: Sequence[str] = ()) -> dict[str, Any]:
    """Return the JSON Schema of an object with these fields."""
    return {
        "type": "object",
        "properties": dict(fields),
        "required": [name for name in fields if name not in optional],
    }


def many(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of a list of objects with these fields."""
    return {"type": "array", "items": shape(fields)}
