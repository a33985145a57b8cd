"""What lies below a location, as a tree or a subtree shows it; and which section or symbol lines are in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.errors import RankgateError
from rankgate.io.text import split_lines
from rankgate.locations import OPENING, Location
from rankgate.outline import own_end
from rankgate.truth.lookup import Lookup, Miss, Spot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.locations import Lines
    from rankgate.outline import OutlineNode


@dataclass(frozen=True, slots=True)
class OutlineBelow:
    """The titles of one node of an outline, and all below it."""

    titles: tuple[str, ...] = ()
    """The titles from the outermost to the one meant; empty for a file, and for lines that are no node."""
    below: tuple[OutlineNode, ...] = ()
    """All that lies below it, in the order of the lines."""


def outline_below(lookup: Lookup, location: Location, spot: Spot) -> OutlineBelow:
    """Find what lies below a location that was found; nothing in a file without an outline.

    Lines that a section or a symbol has exactly are that one; others hold what begins and ends in them.

    Args:
        lookup: What found it.
        location: The location.
        spot: Where it was found.
    """
    if spot.path is None:
        return OutlineBelow()
    nodes = lookup.nodes(spot.path)
    if spot.start is None or spot.end is None:
        return OutlineBelow(below=nodes[1:])
    if location.own or location.heading == OPENING:
        return OutlineBelow(location.heading or tuple(str(location.symbol).split(".")))
    named = bool(location.heading) or location.symbol is not None
    node = lookup.node(location) if named else _exactly(nodes, spot.start, spot.end)
    if node is None or isinstance(node, Miss):
        inside = (each for each in nodes[1:] if spot.start <= each.start and each.end <= spot.end)
        return OutlineBelow(below=tuple(inside))
    return OutlineBelow(node.path, _below(nodes, nodes.index(node)))


def _exactly(nodes: Sequence[OutlineNode], start: int, end: int) -> OutlineNode | None:
    return next((node for node in nodes[1:] if (node.start, node.end) == (start, end)), None)


def _below(nodes: Sequence[OutlineNode], top: int) -> tuple[OutlineNode, ...]:
    """Go up from every node; what was settled for one on the way is not gone through again."""
    # A parent may stand behind its child, as the type of a method of Go does.
    settled = {top: True, 0: top == 0}
    for position in range(len(nodes)):
        passed: list[int] = []
        here: int | None = position
        while here is not None and here not in settled:
            passed.append(here)
            here = nodes[here].parent
        lies = here is not None and settled[here]
        settled.update(dict.fromkeys(passed, lies))
    return tuple(node for position, node in enumerate(nodes) if settled[position] and position != top)


_MOST_FILES = 2_000


class OutlineTitles:
    """Returns the heading or symbol that lines of a file are in, and the text of lines, for reports.

    Each file is outlined once, and no more than so many of them: a title is no reason to wait for minutes.
    """

    def __init__(self, corpus: Corpus | None, most_files: int = _MOST_FILES) -> None:
        self._corpus = None if corpus is None or corpus.records else corpus
        self._lookup = Lookup(self._corpus)
        self._left = most_files
        self._nodes: dict[str, tuple[OutlineNode, ...]] = {}
        self._lines: dict[str, list[str]] = {}
        self._found: dict[tuple[str, int, int], str] = {}

    def __call__(self, path: str, start: int | None, end: int | None) -> str:
        """Return the title; empty for a whole file, and where there is none or none is known."""
        if start is None or end is None or self._corpus is None:
            return ""
        key = (path, start, end)
        if key not in self._found:
            self._found[key] = title_at(self._outline(path), start, end)
        return self._found[key]

    def text(self, path: str, start: int | None, end: int | None) -> str:
        """Return the text of some lines; empty for a whole file, and if the title of its lines is unknown."""
        if start is None or end is None or self._corpus is None or not self._outline(path):
            return ""
        if path not in self._lines:
            self._lines[path] = split_lines(self._corpus.text(path))
        return "\n".join(self._lines[path][start - 1 : end])

    def _outline(self, path: str) -> tuple[OutlineNode, ...]:
        if path not in self._nodes:
            if not self._left or self._corpus is None or path not in self._corpus:
                return ()
            self._left -= 1
            try:
                self._nodes[path] = self._lookup.nodes(path)
            except RankgateError:
                # A file that changed meanwhile is told where it matters; a title is no reason to fail.
                self._nodes[path] = ()
        return self._nodes[path]


def title_at(nodes: Sequence[OutlineNode], start: int, end: int) -> str:
    """Return the innermost section or symbol that holds some lines, or else the one that is most of them.

    The only title of a page, or namespace of a file, is left out before what lies in it.

    >>> from rankgate.outline.nodes import Heading, document, sections
    >>> page = sections([Heading(1, 1, "Keys"), Heading(2, 3, "Rotation"), Heading(3, 5, "By hand")], 9)
    >>> nodes = [document("keys.md", "x" * 9), *page]
    >>> title_at(nodes, 6, 7), title_at(nodes, 3, 9), title_at(nodes, 1, 4), title_at(nodes, 20, 21)
    ('Rotation › By hand', 'Rotation', 'Keys', '')
    """
    named = [node for node in nodes if node.kind != "document"]
    around = [node for node in named if node.start <= start and end <= node.end]
    if not around:
        shared = [(min(end, one.end) - max(start, one.start) + 1, -len(one.path)) for one in named]
        most = max(range(len(named)), key=shared.__getitem__, default=None)
        if most is None or 2 * shared[most][0] <= end - start + 1:
            return ""
        around = [named[most]]
    node = min(around, key=lambda one: (one.end - one.start, -len(one.path)))
    tops = [one for one in named if len(one.path) == 1]
    only = len(tops) == 1 and tops[0].kind in ("section", "module") and len(node.path) > 1
    return (" › " if node.kind == "section" else ".").join(node.path[1:] if only else node.path)


def location_around(lookup: Lookup, path: str, lines: Lines) -> Location | None:
    """Return the innermost section or symbol that some lines lie in, by as few names as are clear.

    Its own text, where they lie in that and something lies below it. None where they lie in none that has a
    name, as lines of two sections do.
    """
    nodes = lookup.nodes(path)
    around = [node for node in nodes[1:] if node.start <= lines.start and lines.end <= node.end]
    node = min(around, key=lambda one: (one.end - one.start, -len(one.path)), default=None)
    if node is None:
        opening = Location(path=path, heading=OPENING)
        found = lookup.node(opening)
        inside = not isinstance(found, Miss) and found.start <= lines.start and lines.end <= found.end
        return opening if inside else None
    last = own_end(nodes, node)
    own = lines.end <= last < node.end
    for count in range(1, len(node.path) + 1):
        names = node.path[-count:]
        if node.kind != "section":
            location = Location(path=path, symbol=".".join(names), own=own)
        elif all(names):
            location = Location(path=path, heading=names, own=own)
        else:
            return None
        if lookup.find(location) == Spot(None, path, node.start, last if own else node.end, _kind(node)):
            return location
    return None


def _kind(node: OutlineNode) -> str:
    return "heading" if node.kind == "section" else "symbol"
