"""A piece of a file that has a name and lines: a section, a class, a function; sections from headings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

_SYMBOLS = "module class interface trait struct union enum type function method macro"
KINDS = ("document", "section", *_SYMBOLS.split())
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
    r"""Put the document first, the rest in the order of their lines, and set the parent of each.

    The parent is the innermost node around it whose path starts its own. For a method outside its type, as in
    Go, it is the type. Else it is the document.

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
        above = (
            at
            for at in reversed(around)
            if ordered[at].end >= node.end
            and ordered[at].path == node.path[: len(ordered[at].path)] != node.path
        )
        inner = next(above, 0)
        longer = (node.path[:length] for length in range(len(node.path) - 1, len(ordered[inner].path), -1))
        ordered[position] = replace(
            node, parent=next((anywhere[one] for one in longer if one in anywhere), inner)
        )
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


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of a section."""

    level: int
    """The depth, from 1."""
    start: int
    """The first line of the section, from 1."""
    title: str
    """Its words, without markup."""
    ids: tuple[str, ...] = ()
    """The ids that the text gives it."""
    limit: int = 0
    """The last line of the quote, list item or block that it is in; 0 if it is in none."""


def section_ends(headings: Sequence[Heading], last: int) -> list[int]:
    """Return the last line of each section: sections end at the next heading of their level or above.

    A heading in a quote or a list ends no section outside.

    >>> section_ends([Heading(1, 1, "Keys"), Heading(2, 3, "Rotation", limit=5), Heading(1, 8, "Logs")], 9)
    [7, 5, 9]
    """
    limits = [min(heading.limit or last, last) for heading in headings]
    ends = limits.copy()
    above: list[int] = []
    for number, heading in enumerate(headings):
        while above:
            outer = above[-1]
            closed = headings[outer].level >= heading.level and limits[number] >= limits[outer]
            if not closed and heading.start <= ends[outer]:
                break
            ends[above.pop()] = min(ends[outer], max(heading.start - 1, headings[outer].start))
        above.append(number)
    return ends


def sections(headings: Sequence[Heading], last: int) -> list[OutlineNode]:
    """Return the sections of a file with so many lines, in the order of its headings.

    >>> for node in sections([Heading(1, 1, "Keys"), Heading(2, 3, "Rotation"), Heading(1, 8, "Logs")], 9):
    ...     print(node.path, node.start, node.end)
    ('Keys',) 1 7
    ('Keys', 'Rotation') 3 7
    ('Logs',) 8 9
    """
    nodes: list[OutlineNode] = []
    above: list[OutlineNode] = []
    for heading, end in zip(headings, section_ends(headings, last), strict=True):
        while above and above[-1].level >= heading.level:
            above.pop()
        path = (*(above[-1].path if above else ()), heading.title)
        node = OutlineNode("section", heading.title, path, heading.start, end, heading.level, ids=heading.ids)
        nodes.append(node)
        above.append(node)
    return nodes
