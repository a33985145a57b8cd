"""What lies below a place in the outline of its file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.truth.lookup import Miss

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.model.places import Location
    from rankgate.outline import Node
    from rankgate.truth.lookup import Lookup, Spot


@dataclass(frozen=True, slots=True)
class Branch:
    """One place of an outline, and all below it."""

    titles: tuple[str, ...] = ()
    """The titles from the outermost to the one meant; empty for a file, and for lines that are no node."""
    below: tuple[Node, ...] = ()
    """All that lies below it, in the order of the lines."""


def branch(lookup: Lookup, location: Location, spot: Spot) -> Branch:
    """Find the branch of a place that was found; that of a file without an outline is empty.

    Lines that a section or a symbol has exactly are that one; others hold what begins and ends in them.

    Args:
        lookup: What found it.
        location: The place.
        spot: Where it was found.
    """
    if spot.path is None:
        return Branch()
    nodes = lookup.nodes(spot.path)
    if spot.start is None or spot.end is None:
        return Branch(below=nodes[1:])
    node = lookup.node(location) if location.lines is None else _exactly(nodes, spot.start, spot.end)
    if node is None or isinstance(node, Miss):
        inside = (each for each in nodes[1:] if spot.start <= each.start and each.end <= spot.end)
        return Branch(below=tuple(inside))
    return Branch(node.path, _below(nodes, nodes.index(node)))


def _exactly(nodes: Sequence[Node], start: int, end: int) -> Node | None:
    return next((node for node in nodes[1:] if (node.start, node.end) == (start, end)), None)


def _below(nodes: Sequence[Node], top: int) -> tuple[Node, ...]:
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
