"""The trees of a system's documents: taken with distrust, and searched for a location of the corpus.

A node is known by where it is, the same file and the same first line, or else by its title and those of the
nodes above it. What a system calls a node, its id, is never compared: it changes with every index.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from rankgate.errors import Code, LocationError, SystemFailedError
from rankgate.io.secrets import hidden_in_data
from rankgate.locations import Lines, Location, normal_path
from rankgate.model import Node, estimated_tokens
from rankgate.runs.navigation.titles import names, near, parts, plain
from rankgate.runs.navigation.transcripts import SeenNode
from rankgate.wording import many, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rankgate.model import Waypoint

MOST_NODES = 100_000
"""How many nodes of one answer are looked at and kept."""
MOST_CHARACTERS = 4_000_000
"""How many characters the nodes of one answer may have together; those after them are not kept."""
LONGEST_NAME = 1000
"""How much of a title or an id is kept."""


class AbsentError(Exception):
    """The system answered, and the place is not in its answer, or not only once."""


@dataclass(frozen=True, slots=True, eq=False)
class Listed:
    """Nodes that a system listed."""

    nodes: tuple[Node, ...]
    """As they came, checked for their types."""
    cut: int
    """How many more there were."""

    @property
    def tokens(self) -> int:
        """What reading the titles costs, estimated."""
        return sum(estimated_tokens(node.title) for node in self.nodes)

    def seen(self) -> tuple[SeenNode, ...]:
        """Return the nodes as a transcript saves them: cut, with secrets masked."""
        return tuple(map(_seen, self.nodes))


def listed(answer: object, where: str) -> Listed:
    """Check the nodes that a system listed, and keep the first of very many.

    Raises:
        SystemFailedError: for what is no list of nodes.
    """
    if not isinstance(answer, Sequence) or isinstance(answer, (str, bytes)):
        raise SystemFailedError(Code.WRONG_ANSWER(where, f"a {type(answer).__name__}", "a list of Nodes"))
    nodes: list[Node] = []
    room = MOST_CHARACTERS
    for number, node in enumerate(islice(answer, MOST_NODES)):
        _check(node, f"{where}[{number}]")
        room -= len(node.id) + len(node.title) + len(node.parent or "") + len(node.location.path or "")
        if room < 0:
            break
        nodes.append(node)
    return Listed(tuple(nodes), max(0, len(answer) - len(nodes)))


def find_document(documents: Listed, path: str) -> Node:
    """Find the document of a file.

    Raises:
        AbsentError: where there is none, or more than one.
    """
    found = [node for node in documents.nodes if path in _document_names(node)]
    if len(found) == 1:
        return found[0]
    of = f"{many(len(documents.nodes), 'document')}{_left_out(documents, 'document')}"
    if found:
        ids = ", ".join(quoted(node.id) for node in found[:3])
        raise AbsentError(f"{len(found)} of {of} are {quoted(path)}: {ids}")
    known = (node.location.path or node.id for node in documents.nodes)
    raise AbsentError(f"none of {of} is {quoted(path)}{near(path, known)}")


def find_node(tree: Listed, document: Node, waypoint: Waypoint) -> Node:
    """Find the node of a location: by its lines, or else by its titles.

    Raises:
        AbsentError: where there is none, or more than one.
    """
    above = _Above(tree.nodes, document.id, waypoint.path)
    found = above.innermost(_by_lines(tree.nodes, waypoint))
    if not found and waypoint.titles:
        found = above.innermost(_by_titles(tree.nodes, above, waypoint))
    if len(found) == 1:
        return found[0]
    location = _location(waypoint)
    of = f"{many(len(tree.nodes), 'node')}{_left_out(tree, 'node')}"
    if found:
        ids = ", ".join(quoted(node.id) for node in found[:3])
        raise AbsentError(f"{len(found)} of {of} may be {location}: {ids}")
    titles = (node.title for node in tree.nodes)
    raise AbsentError(
        f"none of {of} is {location}{near(waypoint.titles[-1], titles) if waypoint.titles else ''}"
    )


class _Above:
    """The nodes above each node, as far as their parents can be told."""

    def __init__(self, nodes: Iterable[Node], document: str, path: str) -> None:
        self._by_id: dict[str, Node | None] = {}
        self._documents = {document}
        self._names = {path, path.rpartition("/")[2]}
        for node in nodes:
            # An id that stands twice names nothing.
            self._by_id[node.id] = None if node.id in self._by_id else node

    def of(self, node: Node) -> Node | None:
        """Return the node above; None at the top, and where the parent is unknown."""
        return None if node.parent is None else self._by_id.get(node.parent)

    def is_document(self, node: Node) -> bool:
        """Return whether a node at the top stands for the whole file."""
        return node.id in self._documents or (node.parent is None and node.title in self._names)

    def innermost(self, nodes: Sequence[Node]) -> list[Node]:
        """Leave out the nodes that stand above others of them: a file starts where its first section does."""
        if len(nodes) < 2:
            return list(nodes)
        outer: set[int] = set()
        for node in nodes:
            up = self.of(node)
            # What is above a node that was met before was met with it; so parents in a circle end too.
            while up is not None and id(up) not in outer:
                outer.add(id(up))
                up = self.of(up)
        inner = [node for node in nodes if id(node) not in outer]
        return inner or list(nodes)


def _by_lines(nodes: Iterable[Node], waypoint: Waypoint) -> list[Node]:
    if waypoint.start is None:
        return []
    found = [
        node
        for node in nodes
        if node.location.path == waypoint.path
        and node.location.lines is not None
        and node.location.lines.start == waypoint.start
    ]
    same_end = [node for node in found if node.location.lines and node.location.lines.end == waypoint.end]
    if not waypoint.titles:
        return same_end or found
    title = plain(waypoint.titles[-1])
    for some in (same_end, found):
        if same_title := [node for node in some if title in names(node.title)]:
            return same_title
    return same_end or found


def _by_titles(nodes: Iterable[Node], above: _Above, waypoint: Waypoint) -> list[Node]:
    """Return the nodes that agree with most titles, and of these the one that has no others above it."""
    best, found = (0, False), []
    titles = tuple(map(plain, waypoint.titles))
    for node in nodes:
        if node.location.path not in (None, waypoint.path):
            continue
        agreed = _agreed(node, above, titles)
        if agreed > best:
            best, found = agreed, [node]
        elif agreed[0] and agreed == best:
            found.append(node)
    return found


def _agreed(node: Node, above: _Above, titles: tuple[str, ...]) -> tuple[int, bool]:
    """Count the titles that a node and those above it agree with, 0 where one of them does not.

    Also tell whether nothing else stands above. The tree may end before the titles do: many systems leave a
    page's title out, or have the document there.
    """
    qualified = parts(node.title)
    if len(qualified) > 1 and titles[-len(qualified) :] == qualified:
        return len(qualified), len(qualified) == len(titles)
    agreed = 0
    here: Node | None = node
    for title in reversed(titles):
        if here is None:
            break
        if title not in names(here.title):
            return (agreed, True) if agreed and above.is_document(here) else (0, False)
        agreed += 1
        here = above.of(here)
    return agreed, here is None or above.is_document(here)


def _document_names(node: Node) -> set[str]:
    found = {node.id, node.location.path, node.location.id}
    for name in (node.id, node.location.id):
        try:
            found.add(normal_path(name) if name else None)
        except LocationError:
            continue
    return {name for name in found if name is not None}


def _check(node: object, where: str) -> None:
    if not isinstance(node, Node):
        raise SystemFailedError(Code.WRONG_ANSWER(where, f"a {type(node).__name__}", "a Node"))
    wanted: Mapping[str, tuple[object, type | tuple[type, ...], str]] = {
        "id": (node.id, str, "a string"),
        "title": (node.title, str, "a string"),
        "location": (node.location, Location, "a Location"),
        "parent": (node.parent, (str, type(None)), "a string or None"),
    }
    for name, (value, kinds, expected) in wanted.items():
        if not isinstance(value, kinds):
            raise SystemFailedError(
                Code.WRONG_ANSWER(f"{where}.{name}", f"a {type(value).__name__}", expected)
            )
    if not isinstance(node.location.lines, (Lines, type(None))):
        raise SystemFailedError(
            Code.WRONG_ANSWER(f"{where}.location.lines", f"a {type(node.location.lines).__name__}", "Lines")
        )


def _seen(node: Node) -> SeenNode:
    lines, path = node.location.lines, node.location.path
    return SeenNode(
        id=kept_name(node.id),
        title=kept_name(node.title),
        parent=None if node.parent is None else kept_name(node.parent),
        path=None if path is None else kept_name(path),
        start=lines.start if lines else None,
        end=lines.end if lines else None,
    )


def kept_name(text: str) -> str:
    """Return as much of a name as is saved: no secrets, and no half of a surrogate pair."""
    text = hidden_in_data(text).encode(errors="replace").decode()
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "…"


def _location(waypoint: Waypoint) -> str:
    if waypoint.titles:
        return quoted(" / ".join(waypoint.titles))
    return quoted(
        waypoint.path if waypoint.start is None else f"{waypoint.path}:{waypoint.start}-{waypoint.end}"
    )


def _left_out(answer: Listed, what: str) -> str:
    return f" ({many(answer.cut, f'more {what}')} not looked at)" if answer.cut else ""
