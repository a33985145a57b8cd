"""The variants of a sweep: every combination of its axes, and those that have a name of their own."""

from __future__ import annotations

import os
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, InputError, did_you_mean
from rankgate.sweeps.sweep_file import MOST_VARIANTS
from rankgate.wording import shortest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rankgate.project.configuration import Configuration, SystemEntry
    from rankgate.sweeps.sweep_file import AxisValue, Sweep


@dataclass(frozen=True, slots=True)
class Variant:
    """A system with some of its options set."""

    name: str
    """What people call it."""
    values: Mapping[str, str] = field(default_factory=dict)
    """Its value of each axis; empty for a variant of its own."""
    system: str = ""
    """The system of the configuration that it is made of."""
    table: Mapping[str, Any] = field(default_factory=dict)
    """The whole table of that system with its own options, as the configuration would have it."""
    missing: tuple[str, ...] = ()
    """What it needs and is not there; such a variant is not asked."""


@dataclass(frozen=True, slots=True)
class Variants:
    """The variants of a sweep."""

    every: tuple[Variant, ...]
    """All of them, in the order of the file."""
    excluded: int = 0
    """How many combinations were left out by `exclude`."""

    @property
    def asked(self) -> tuple[Variant, ...]:
        """Those whose needs are met."""
        return tuple(one for one in self.every if not one.missing)

    def named(self, name: str) -> Variant:
        """Find a variant by its name.

        Raises:
            InputError: where there is none.
        """
        found = next((one for one in self.every if one.name == name), None)
        if found is not None:
            return found
        names = [one.name for one in self.every]
        raise InputError(
            Code.UNKNOWN_VARIANT("baseline", repr(name), "a variant", did_you_mean(name, names, most=3))
        )


def variants_of(sweep: Sweep, configuration: Configuration) -> Variants:
    """List the variants of a sweep.

    Raises:
        InputError: for more than can be asked, a name that stands twice, a system that is not known, and a
            path of an option that leads into a value.
    """
    axes = sweep.axes
    number = prod(len(axis.values) for axis in axes) if axes else 0
    if number + len(sweep.variants) > MOST_VARIANTS:
        fix = "use fewer values, or exclude some"
        raise InputError(
            Code.WRONG_SWEEP(f"{sweep.path}: axes", f"{number:,} combinations", f"{MOST_VARIANTS:,}", fix)
        )
    found: list[Variant] = []
    excluded = 0
    for values in product(*(axis.values for axis in axes)) if axes else ():
        labels = {axis.name: value.label for axis, value in zip(sweep.axes, values, strict=True)}
        if _is_excluded(sweep, labels):
            excluded += 1
            continue
        found.append(_combined(sweep, configuration, values))
    for one in sweep.variants:
        system, table = _with_settings(sweep, configuration, one.name, [one.settings])
        missing = tuple(need for need in one.needs if not _is_there(need, sweep))
        found.append(Variant(one.name, system=system, table=table, missing=missing))
    _check_names(sweep, found)
    return Variants(tuple(found), excluded)


def _is_excluded(sweep: Sweep, labels: Mapping[str, str]) -> bool:
    """Check whether a combination, by the label of each axis, is left out by `exclude`."""
    return any(all(labels[name] in some for name, some in rule.items()) for rule in sweep.exclude if rule)


def _combined(sweep: Sweep, configuration: Configuration, values: tuple[AxisValue, ...]) -> Variant:
    """Return the variant of one value of every axis."""
    labels = {axis.name: value.label for axis, value in zip(sweep.axes, values, strict=True)}
    name = ", ".join(f"{axis.rpartition('.')[2]}={label}" for axis, label in labels.items())
    system, table = _with_settings(sweep, configuration, name, [value.settings for value in values])
    return Variant(name, labels, system, table)


def entry_of(variant: Variant, configuration: Configuration) -> SystemEntry:
    """Return a variant as a system of the configuration, by the name of the one that it is made of.

    Raises:
        FormatError: for a table that describes no system.
    """
    from rankgate.io.yaml import Document
    from rankgate.project.configuration import NAME
    from rankgate.project.schema import read_configuration

    path = configuration.path or configuration.root / NAME
    table = Document(str(shortest(path)), {"systems": {variant.system: dict(variant.table)}})
    read = read_configuration(path, table)
    return replace(read.systems[variant.system], project=configuration)


def _check_names(sweep: Sweep, found: list[Variant]) -> None:
    names = [one.name for one in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        problems = [
            Code.WRONG_SWEEP(f"{sweep.path}", f"two variants called {name!r}", "one") for name in twice
        ]
        raise InputError(problems)


def _with_settings(
    sweep: Sweep, configuration: Configuration, name: str, every: list[Mapping[str, object]]
) -> tuple[str, dict[str, Any]]:
    """Return a system and its table with options set; one that names another system begins from that."""
    chosen = [str(settings["system"]) for settings in every if "system" in settings]
    if len(set(chosen)) > 1:
        found = " and ".join(dict.fromkeys(chosen))
        raise InputError(Code.WRONG_SWEEP(f"{sweep.path}: {name}", f"the systems {found}", "one of them"))
    system, table = _base(configuration, chosen[0] if chosen else sweep.system)
    for path, value in _flat(every):
        _set(table, path, value, f"{sweep.path}: {name}")
    return system, table


def _base(configuration: Configuration, system: str | None) -> tuple[str, dict[str, Any]]:
    entry = configuration.entry(system)
    table = configuration.tables.get(entry.name)
    return entry.name, {"function": entry.target} if table is None else deepcopy(dict(table))


def _flat(every: list[Mapping[str, object]]) -> Iterator[tuple[str, object]]:
    for settings in every:
        yield from ((path, value) for path, value in settings.items() if path != "system")


def _set(table: dict[str, Any], path: str, value: object, where: str) -> None:
    """Set an option by its path, such as ``weights.title``; an own key of that name comes first."""
    *parents, last = [path] if path in table else path.split(".")
    for at, parent in enumerate(parents):
        inner = table.setdefault(parent, {})
        if not isinstance(inner, dict):
            way = ".".join(parents[: at + 1])
            raise InputError(
                Code.WRONG_SWEEP(where, f"{path!r}, and {way} is {inner!r}", "an option of the system")
            )
        table = inner
    table[last] = deepcopy(value)


def _is_there(need: str, sweep: Sweep) -> bool:
    """Check whether a variable is set, or a file is there."""
    if need.startswith("$"):
        return bool(os.environ.get(need[1:]))
    return (sweep.path.parent / need).exists()
