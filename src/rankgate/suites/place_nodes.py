"""The scalars of a suite's file that are places: values, items of lists, and keys of grades."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

from rankgate.errors import PlaceError
from rankgate.model.places import Location
from rankgate.suites.scalars import Setting, value_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ruamel.yaml.nodes import Node


@dataclass(frozen=True, slots=True, eq=False)
class PlaceNode:
    """One scalar that is a place."""

    node: ScalarNode
    """The scalar, with its marks."""
    location: Location
    """What it says."""
    setting: Setting
    """Where it stands."""
    beside: tuple[ScalarNode, ...] = ()
    """Every key of the mapping that it is a key of, itself too."""
    shared: bool = False
    """True where an alias repeats it somewhere else as something that is no place."""


def place_nodes(root: Node) -> list[PlaceNode]:
    """List the places of every case, scenario and invariant, each scalar once, whatever aliases repeat it."""
    found = [place for case in _listed(root, "cases") for place in _of_case(case)]
    for scenario, flow in _listed(root, "scenarios"):
        for step in _listed(scenario, "steps", flow=flow):
            found.extend(_of_probe(step, ("finds", "tree", "read", "subtree")))
    for invariant in _listed(root, "invariants"):
        found.extend(_of_probe(invariant, ("above", "below")))
    uses = Counter(id(place.node) for place in found)
    visits = Counter(id(node) for node in _scalars(root))
    once = {id(place.node): place for place in found}
    return [
        PlaceNode(
            place.node,
            place.location,
            place.setting,
            place.beside,
            shared=uses[id(place.node)] != visits[id(place.node)],
        )
        for place in once.values()
    ]


def under(mapping: Node | None, key: str) -> Node | None:
    """Give the value of a key; None where it is not written, or the node is no mapping."""
    if isinstance(mapping, MappingNode):
        for name, value in mapping.value:
            if isinstance(name, ScalarNode) and name.value == key:
                node: Node = value
                return node
    return None


def _listed(mapping: Node, key: str, *, flow: bool = False) -> Iterator[tuple[MappingNode, bool]]:
    """Go through the mappings of a list, each with whether it stands inside brackets or braces."""
    items = under(mapping, key)
    if isinstance(items, SequenceNode):
        for item in items.value:
            if isinstance(item, MappingNode):
                yield item, flow or _flow(mapping) or _flow(items)


def _of_probe(found: tuple[MappingNode, bool], keys: Sequence[str]) -> Iterator[PlaceNode]:
    """Go through the places of a step or an invariant: one or more, or a mapping that says it is a place."""
    mapping, flow = found
    flow = flow or _flow(mapping)
    for node in (under(mapping, key) for key in keys):
        items = node.value if isinstance(node, SequenceNode) else [node]
        for item in items:
            inside = flow or (item is not node and _flow(node))
            if isinstance(item, MappingNode):
                yield from _full(item, flow=inside)
            elif item is not None:
                yield from _place(item, Setting(inside))


def _of_case(found: tuple[MappingNode, bool]) -> Iterator[PlaceNode]:
    case, flow = found
    flow = flow or _flow(case)
    if (places := under(case, "at")) is not None:
        yield from _several(places, flow=flow)
    yield from _among_ids(under(case, "id"), flow=flow)
    groups = under(case, "any_of")
    if isinstance(groups, SequenceNode):
        for group in groups.value:
            yield from _group(group, flow=flow or _flow(groups))
    tops = under(case, "top")
    for top in tops.value if isinstance(tops, SequenceNode) else [tops]:
        yield from _full(top, flow=flow or (top is not tops and _flow(tops)))


def _group(group: Node, *, flow: bool) -> Iterator[PlaceNode]:
    named, ids = under(group, "at"), under(group, "id")
    if named is not None:
        yield from _several(named, flow=flow or _flow(group))
    if ids is not None:
        yield from _among_ids(ids, flow=flow or _flow(group))
    elif named is None:
        yield from _several(group, flow=flow)


def _among_ids(node: Node | None, *, flow: bool) -> Iterator[PlaceNode]:
    """Go through the targets of a list of ids that say that they are places."""
    for item in node.value if isinstance(node, SequenceNode) else ():
        yield from _full(item, flow=flow or _flow(node))


def _several(node: Node, *, flow: bool) -> Iterator[PlaceNode]:
    """Go through one place, a list of them, or a mapping of them to grades."""
    if isinstance(node, SequenceNode):
        for item in node.value:
            if isinstance(item, MappingNode):
                yield from _full(item, flow=flow or _flow(node))
            else:
                yield from _place(item, Setting(flow or _flow(node)))
    elif isinstance(node, MappingNode):
        keys = tuple(key for key, _ in node.value if isinstance(key, ScalarNode))
        for key in keys:
            yield from _place(key, Setting(flow or _flow(node), key=True), keys)
    else:
        yield from _place(node, Setting(flow))


def _full(node: Node | None, *, flow: bool) -> Iterator[PlaceNode]:
    """Take the place of a target, or a check, that says more than its place."""
    if (place := under(node, "at")) is not None:
        yield from _place(place, Setting(flow or _flow(node)))


def _place(node: Node, setting: Setting, beside: tuple[ScalarNode, ...] = ()) -> Iterator[PlaceNode]:
    if isinstance(node, ScalarNode):
        try:
            yield PlaceNode(node, Location.at(value_of(node)), setting, beside)
        except PlaceError:
            return


def _flow(node: Node | None) -> bool:
    return isinstance(node, (MappingNode, SequenceNode)) and bool(node.flow_style)


def _scalars(root: Node) -> Iterator[ScalarNode]:
    """Go through every scalar as often as the file says it, by aliases too."""
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, ScalarNode):
            yield node
        elif isinstance(node, MappingNode):
            pending.extend(part for pair in node.value for part in pair)
        elif isinstance(node, SequenceNode):
            pending.extend(node.value)
