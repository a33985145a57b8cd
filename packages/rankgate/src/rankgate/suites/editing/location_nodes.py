"""The scalars of a suite's file that are places: values, items of lists, and keys of grades."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.errors import LocationError
from rankgate.model.locations import Location
from rankgate.suites.editing.scalars import Setting

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.files.tree.values import Value


@dataclass(frozen=True, slots=True, eq=False)
class PlaceNode:
    """One scalar that is a place."""

    node: Value
    """The scalar, with its marks."""
    location: Location
    """What it says."""
    setting: Setting
    """Where it stands."""
    beside: tuple[Value, ...] = ()
    """Every key of the mapping that it is a key of, itself too."""
    shared: bool = False
    """True where an alias repeats it somewhere else as something that is no place."""


def place_nodes(root: Value) -> list[PlaceNode]:
    """List the places of every case, scenario and invariant, each scalar once, whatever aliases repeat it."""
    found = [place for case in _listed(root, "cases") for place in _of_case(case)]
    for scenario, flow in _listed(root, "scenarios"):
        for step in _listed(scenario, "steps", flow=flow):
            found.extend(_of_probe(step, ("finds", "tree", "read", "subtree")))
    for invariant in _listed(root, "invariants"):
        found.extend(_of_probe(invariant, ("above", "below")))
    uses = Counter(id(place.node) for place in found)
    visits = Counter(map(id, _scalars(root)))
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


def _listed(mapping: Value, key: str, *, flow: bool = False) -> Iterator[tuple[Value, bool]]:
    """Go through the mappings of a list, each with whether it stands inside brackets or braces."""
    items = mapping.under(key)
    for item in () if items is None else items.items():
        if item.kind == "mapping":
            yield item, flow or mapping.flow or _flow(items)


def _of_probe(found: tuple[Value, bool], keys: Sequence[str]) -> Iterator[PlaceNode]:
    """Go through the places of a step or an invariant: one or more, or a mapping that says it is a place."""
    mapping, flow = found
    for node in (mapping.under(key) for key in keys):
        for item in () if node is None else node.one_or_more():
            inside = flow or mapping.flow or (item is not node and _flow(node))
            if item.kind == "mapping":
                yield from _full(item, flow=inside)
            else:
                yield from _place(item, Setting(inside))


def _of_case(found: tuple[Value, bool]) -> Iterator[PlaceNode]:
    case, flow = found
    flow = flow or case.flow
    if (places := case.under("at")) is not None:
        yield from _several(places, flow=flow)
    yield from _among_ids(case.under("id"), flow=flow)
    groups = case.under("any_of")
    for group in () if groups is None else groups.items():
        yield from _group(group, flow=flow or _flow(groups))
    tops = case.under("top")
    for top in () if tops is None else tops.one_or_more():
        yield from _full(top, flow=flow or (top is not tops and _flow(tops)))


def _group(group: Value, *, flow: bool) -> Iterator[PlaceNode]:
    named, ids = group.under("at"), group.under("id")
    if named is not None:
        yield from _several(named, flow=flow or group.flow)
    if ids is not None:
        yield from _among_ids(ids, flow=flow or group.flow)
    elif named is None:
        yield from _several(group, flow=flow)


def _among_ids(node: Value | None, *, flow: bool) -> Iterator[PlaceNode]:
    """Go through the targets of a list of ids that say that they are places."""
    for item in () if node is None else node.items():
        yield from _full(item, flow=flow or _flow(node))


def _several(node: Value, *, flow: bool) -> Iterator[PlaceNode]:
    """Go through one place, a list of them, or a mapping of them to grades."""
    if node.kind == "mapping":
        keys = tuple(key.said for key, _ in node.pairs() if key.scalar)
        for key in keys:
            yield from _place(key, Setting(flow or node.flow, key=True), keys)
        return
    for item in node.one_or_more():
        if item.kind == "mapping":
            yield from _full(item, flow=flow or node.flow)
        else:
            yield from _place(item, Setting(flow or node.flow))


def _full(node: Value | None, *, flow: bool) -> Iterator[PlaceNode]:
    """Take the place of a target, or a check, that says more than its place."""
    if node is not None and (place := node.under("at")) is not None:
        yield from _place(place, Setting(flow or node.flow))


def _place(node: Value, setting: Setting, beside: tuple[Value, ...] = ()) -> Iterator[PlaceNode]:
    if node.scalar:
        try:
            yield PlaceNode(node.said, Location.at(node.raw), setting, beside)
        except LocationError:
            return


def _flow(node: Value | None) -> bool:
    return node is not None and node.flow


def _scalars(root: Value) -> Iterator[Value]:
    """Go through every scalar as often as the file says it, by aliases too."""
    pending = [root]
    while pending:
        node = pending.pop()
        if node.scalar:
            yield node.said
        pending.extend(node.items())
        pending.extend(part for pair in node.pairs() for part in pair)
