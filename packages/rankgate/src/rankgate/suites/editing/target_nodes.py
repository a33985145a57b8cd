"""The targets of a case as they are written: each with what holds it, from its case inwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.suites.native.targets import NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.files.tree.values import Value


Chain = tuple[tuple["Value", int], ...]
"""What holds a target, from its case inwards: each list or mapping, and which of its parts."""


@dataclass(frozen=True, slots=True, eq=False)
class TargetNode:
    """One target of a case, as it is written."""

    holders: Chain
    """What holds it."""
    value: Value
    """A word, a key with its grade as the value, or a mapping that says more."""
    key: str
    """What a word is: at for a location, id for an id."""
    beside: tuple[Value, ...] = ()
    """Every key of the mapping that it is a key of, itself too."""


def target_nodes(case: Value) -> Iterator[TargetNode]:
    """Go through the targets of a case in the order in which they are read."""
    case = case.said
    for key in NAMES:
        yield from _named(case, key, ())
    groups = case.under("any_of")
    at = case.number_of("any_of")
    if groups is None or at is None:
        return
    for number, group in enumerate(groups.items()):
        before: Chain = ((case, at), (groups.said, number))
        names = [name.raw for name, _ in group.pairs()]
        if not set(NAMES).isdisjoint(names):
            for name in names:
                yield from _named(group.said, name, before)
        else:
            yield from _several(group, "at", before)


def _named(mapping: Value, key: str, before: Chain) -> Iterator[TargetNode]:
    at = mapping.number_of(key)
    if at is not None:
        yield from _several(mapping.pairs()[at][1], key, (*before, (mapping, at)))


def _several(value: Value, key: str, before: Chain) -> Iterator[TargetNode]:
    """Go through one target, a list of them, or a mapping of them to grades."""
    if value.scalar or not value.content:
        yield TargetNode(before, value, key)
    beside = tuple(name.said for name, _ in value.pairs() if name.scalar)
    for number, part in enumerate(value.items() or [name for name, _ in value.pairs()]):
        yield TargetNode((*before, (value.said, number)), part, key, beside)
