"""A piece of a file that has a name and lines: a section, a class, a function; sections from headings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


KINDS = (
    "document",
    "section",
    "module",
    "class",
    "interface",
    "trait",
    "struct",
    "union",
    "enum",
    "type",
    "function",
    "method",
    "macro",
)
"""Every kind of node that there is."""


@dataclass(frozen=True, slots=True)
class OutlineNode:
    """One named piece of a file.

    >>> OutlineNode("method", "rotate", ("Store", "rotate"), 10, 20, level=2).qualified
    'Store.rotate'
    """

    kind: str
    """One of `KINDS`."""
    name: str
    """The title or the identifier; for a document, its path."""
    path: tuple[str, ...]
    """The names from the outermost piece to this one; empty for a document."""
    start: int
    """The first line, from 1: of a symbol, that of the comment directly above it, where it has one."""
    end: int
    """The last line, included."""
    level: int
    """How deep it lies: 0 for a document, the heading's level for a section, the nesting for a symbol."""
    parent: int | None = None
    """The position of the node above it among those of the file; None for a document."""
    ids: tuple[str, ...] = ()
    """The ids that the text gives it, as ``## Setup {#install}`` does."""
    comment_lines: int = 0
    """How many lines the comment above a symbol takes, with which it begins."""

    @property
    def qualified(self) -> str:
        """The names joined by dots, as Python writes them."""
        return ".".join(self.path)


def document(path: str, text: str) -> OutlineNode:
    """Make the node of a whole file; an empty file has one empty line."""
    lines = text.count("\n") + (not text.endswith("\n"))
    return OutlineNode("document", path, (), 1, max(1, lines), level=0)


def nested(whole: OutlineNode, nodes: Iterable[OutlineNode]) -> tuple[OutlineNode, ...]:
    r"""Put the document first, the rest in the order of their lines, and say what stands above each.

    That is the innermost node around it whose path starts its own. Where a language lets a method stand apart
    from its type, as Go does, it is the type, wherever in the file that stands. Else it is the document.

    >>> store = OutlineNode("struct", "S", ("S",), 9, 9, 1)
    >>> put = OutlineNode("method", "Put", ("S", "Put"), 3, 5, 2)
    >>> [(node.name, node.parent) for node in nested(document("a.go", "x" + "\n" * 9), [store, put])]
    [('a.go', None), ('Put', 2), ('S', 0)]
    """
    ordered = [whole, *sorted(nodes, key=lambda node: (node.start, -node.end, len(node.path)))]
    anywhere: dict[tuple[str, ...], int] = {}
    for position, node in enumerate(ordered):
        anywhere.setdefault(node.path, position)
    around: list[int] = []
    for position, node in enumerate(ordered[1:], 1):
        while around and ordered[around[-1]].end < node.start:
            around.pop()
        ordered[position] = replace(node, parent=_above(node, ordered, around, anywhere))
        around.append(position)
    return tuple(ordered)


def own_end(nodes: Iterable[OutlineNode], node: OutlineNode) -> int:
    r"""Return the last line of a node's own text: the one before the first node that lies in it.

    >>> nodes = sections([Heading(1, 1, "Keys"), Heading(2, 3, "Rotation"), Heading(1, 8, "Logs")], 9)
    >>> own_end(nodes, nodes[0]), own_end(nodes, nodes[1])
    (2, 7)
    """
    inside = [
        each.start
        for each in nodes
        if len(each.path) > len(node.path) and node.start <= each.start and each.end <= node.end
    ]
    # What is written on one line begins where its inside does.
    return max(node.start, min(inside, default=node.end + 1) - 1)


def _above(
    node: OutlineNode,
    nodes: Sequence[OutlineNode],
    around: Sequence[int],
    anywhere: dict[tuple[str, ...], int],
) -> int:
    inner = next((position for position in reversed(around) if _holds(nodes[position], node)), 0)
    for length in range(len(node.path) - 1, len(nodes[inner].path), -1):
        apart = anywhere.get(node.path[:length])
        if apart is not None:
            return apart
    return inner


def _holds(outer: OutlineNode, inner: OutlineNode) -> bool:
    length = len(outer.path)
    return length < len(inner.path) and outer.end >= inner.end and inner.path[:length] == outer.path


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of a section."""

    level: int
    """How deep it lies, from 1."""
    start: int
    """The line at which the section starts, from 1."""
    title: str
    """Its words, without markup."""
    ids: tuple[str, ...] = ()
    """The ids that it is given."""


def sections(headings: Sequence[Heading], last: int) -> list[OutlineNode]:
    """Make the sections of a file of so many lines, in the order of its headings.

    >>> for node in sections([Heading(1, 1, "Keys"), Heading(2, 3, "Rotation"), Heading(1, 8, "Logs")], 9):
    ...     print(node.path, node.start, node.end)
    ('Keys',) 1 7
    ('Keys', 'Rotation') 3 7
    ('Logs',) 8 9
    """
    ends = [last] * len(headings)
    paths: list[tuple[str, ...]] = []
    above: list[int] = []
    for number, heading in enumerate(headings):
        while above and headings[above[-1]].level >= heading.level:
            ends[above.pop()] = heading.start - 1
        paths.append((*(headings[outer].title for outer in above), heading.title))
        above.append(number)
    return [
        OutlineNode("section", heading.title, path, heading.start, end, heading.level, ids=heading.ids)
        for heading, path, end in zip(headings, paths, ends, strict=True)
    ]
