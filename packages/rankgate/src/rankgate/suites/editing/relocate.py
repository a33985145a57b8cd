"""The locations of a suite's file, each a scalar; and what to change so that some are others."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.errors import LocationError
from rankgate.model.locations import Location
from rankgate.suites.editing.scalars import respelt
from rankgate.suites.editing.target_nodes import target_nodes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from rankgate.files.tree.values import Value
    from rankgate.model.suite import Suite
    from rankgate.suites.editing.removals import Change


@dataclass(frozen=True, slots=True, eq=False)
class LocationNode:
    """One scalar that is a location."""

    node: Value
    """The scalar, with its marks."""
    location: Location
    """What it says."""
    flow: bool
    """Whether it stands inside brackets or braces."""
    beside: tuple[Value, ...] = ()
    """Every key of the mapping that it is a key of, itself too."""
    shared: bool = False
    """True where an alias repeats it somewhere else as something that is no location."""


def location_changes(
    root: Value, body: str, suite: Suite, moves: Mapping[Location, Location]
) -> tuple[list[Change], list[tuple[LocationNode, str]]]:
    """Return what to change so that locations move, and the nodes that must stay, with what is in the way.

    A location is changed everywhere or nowhere: half of its uses would be a suite that nobody wrote.

    Args:
        root: The file, composed.
        body: Its text.
        suite: What it says.
        moves: Locations, and what to write in their place wherever the suite names them.
    """
    nodes = [node for node in _location_nodes(root) if node.location in moves] if moves else []
    named = [locations for locations in _named_together(suite) if any(each in moves for each in locations)]
    spelt = [
        respelt(body, node.node, _spelling(moves[node.location]), flow=node.flow, key=bool(node.beside))
        for node in nodes
    ]
    left: list[tuple[LocationNode, str]] = []
    allowed = dict(moves)
    # What stays where it is may be in the way of another, so that one must stay, too.
    while True:
        taken = _taken(named, allowed)
        found = [
            (node, why)
            for node, spelling in zip(nodes, spelt, strict=True)
            if node.location in allowed and (why := _in_the_way(node, spelling, allowed, taken))
        ]
        if not found:
            break
        left += found
        stay = {node.location for node, _ in found}
        allowed = {old: new for old, new in allowed.items() if old not in stay}
    changes = [
        (node.node.start, node.node.end, spelling)
        for node, spelling in zip(nodes, spelt, strict=True)
        if node.location in allowed and spelling is not None
    ]
    return changes, left


def _spelling(location: Location) -> str:
    """Return what is written for a location; of a quote its file, as its words stay."""
    return str(location) if location.quote is None else str(Location(path=location.path))


def _in_the_way(
    node: LocationNode,
    spelling: str | None,
    moves: Mapping[Location, Location],
    taken: Collection[Location],
) -> str:
    if node.shared:
        return "an alias repeats it as something that is no location"
    if spelling is None:
        return "it is written in a form that cannot be changed in place"
    new = str(moves[node.location])
    if any(key is not node.node and _after(key.raw, moves) == new for key in node.beside):
        return f"{new} would stand twice in one mapping"
    return f"{new} would stand twice in one case" if node.location in taken else ""


def _named_together(suite: Suite) -> list[set[Location]]:
    """Gather the locations of each case, step and invariant, none of which may name one twice."""
    found = [
        {target.location for target in case.targets} | {top.location for top in case.top}
        for case in suite.cases
    ]
    found += [set(step.finds) for scenario in suite.scenarios for step in scenario.steps]
    found += [{*one.above, *one.below} for one in suite.invariants]
    return found


def _taken(named: Sequence[Collection[Location]], moves: Mapping[Location, Location]) -> set[Location]:
    """Find the locations that would become what another location of their case is, or becomes."""
    taken: set[Location] = set()
    for locations in named:
        after = Counter(moves.get(location, location) for location in locations)
        taken |= {each for each in locations if each in moves and after[moves[each]] > 1}
    return taken


def _after(text: str, moves: Mapping[Location, Location]) -> str:
    try:
        location = Location.at(text)
    except LocationError:
        return text
    return str(moves[location]) if location in moves else text


def _location_nodes(root: Value) -> list[LocationNode]:
    """List the locations of every case, scenario and invariant, each scalar once, whatever repeats it."""
    uses: Counter[int] = Counter()
    found: dict[int, tuple[Value, Location, tuple[Value, ...]]] = {}
    for value, beside in _candidates(root):
        if value is not None and value.scalar:
            try:
                found[id(value.said)] = value.said, Location.at(value.raw), beside
            except LocationError:
                continue
            uses[id(value.said)] += 1
    for path, words in _quotes(root):
        try:
            found[id(path.said)] = path.said, Location.of_quote(words, Location.at(path.raw).path), ()
        except LocationError:
            continue
        uses[id(path.said)] += 1
    visits, in_flow = _visits(root)
    return [
        LocationNode(node, location, key in in_flow, beside, shared=uses[key] != visits[key])
        for key, (node, location, beside) in found.items()
    ]


def _candidates(root: Value) -> Iterator[tuple[Value | None, tuple[Value, ...]]]:
    """Go through what may be locations, each with the keys of the mapping that it is a key of."""
    for case in _mappings(root, "cases"):
        for target in target_nodes(case):
            if target.value.kind == "mapping" or target.key == "at":
                yield _named(target.value), target.beside
        yield from _under(case, "top", "never")
    for scenario in _mappings(root, "scenarios"):
        for step in _mappings(scenario, "steps"):
            yield from _under(step, "finds", "tree", "read", "subtree")
    for invariant in _mappings(root, "invariants"):
        yield from _under(invariant, "above", "below")


def _quotes(root: Value) -> Iterator[tuple[Value, str]]:
    """Go through the files of quotes: beside the words, or of a case that quotes once."""
    for case in _mappings(root, "cases"):
        quote, path = case.under("quote"), case.under("path")
        if quote is not None and quote.scalar and path is not None and path.scalar:
            yield path, quote.raw
        for target in target_nodes(case):
            if target.value.kind == "mapping":
                quote, path = target.value.under("quote"), target.value.under("path")
                if quote is not None and quote.scalar and path is not None and path.scalar:
                    yield path, quote.raw


def _mappings(mapping: Value, key: str) -> list[Value]:
    items = mapping.under(key)
    return [] if items is None else [item for item in items.items() if item.kind == "mapping"]


def _under(mapping: Value, *keys: str) -> Iterator[tuple[Value | None, tuple[Value, ...]]]:
    """Go through the locations under some keys: one or more, each a word or a mapping that says more."""
    for value in map(mapping.under, keys):
        yield from ((_named(item), ()) for item in (() if value is None else value.one_or_more()))


def _named(value: Value) -> Value | None:
    return value.under("at") if value.kind == "mapping" else value


def _visits(root: Value) -> tuple[Counter[int], set[int]]:
    """Count how often the file says each scalar, by aliases too, and find those in brackets or braces."""
    visits: Counter[int] = Counter()
    in_flow: set[int] = set()
    pending = [(root, False, False)]
    while pending:
        node, flow, aliased = pending.pop()
        aliased |= node.repeats is not None
        if node.scalar:
            visits[id(node.said)] += 1
            # What is said by way of an alias stands where its anchor is.
            in_flow.update([id(node)] if flow and not aliased else [])
        inside = flow or node.flow
        pending.extend((part, inside, aliased) for part in node.children())
    return visits, in_flow
