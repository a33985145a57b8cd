"""What lies below a location: the sections and symbols that a tree or a subtree should show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.truth.locations.lookup import Miss

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.model.locations import Location
    from rankgate.outline import OutlineNode
    from rankgate.truth.locations.lookup import Lookup, Spot


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
    if location.own:
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
