"""``sweep.toml``: which variants of a system are asked, of which suites, and which of them is in use.

The same may stand in ``rankgate.toml`` as ``[sweep]``, or in ``pyproject.toml`` as ``[tool.rankgate.sweep]``.

    system = "lexical"                    # the system of rankgate.toml that variants are made of
    suites = ["handbook.yaml"]            # by default those of rankgate.toml
    metrics = ["ndcg@10", "r@10"]         # the first is the one that decides; by default the suite's
    baseline = "today"                    # the variant that is in use
    k = 20                                # hits of each query; by default what the metrics need
    held_out = 0.3                        # the share of queries on which only the winner is measured
    seed = 7

    [axes]                                # every combination is a variant
    "weights.title" = [1, 3]              # values of one option of the system
    chunks = ["section", { by = "window", lines = 40 }]
    engine.words = {}                     # or named values, each with the options that it sets
    engine.vectors = { system = "dense" }

    [variants.today]                      # variants of their own
    set = { "weights.title" = 3 }
    needs = ["$MODEL_KEY", "models/small"]   # variables and files without which it is left out

    [[exclude]]                           # combinations that are left out
    chunks = "section"
    engine = "vectors"

It is data: nothing in it is run but what rankgate.toml runs.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, FormatError, did_you_mean
from rankgate.io.problems import Problems
from rankgate.io.records import validated
from rankgate.project.configuration import NAME, PROJECT, find_configuration
from rankgate.wording import shortest

if TYPE_CHECKING:
    from pathlib import Path

MOST_VARIANTS = 10_000
"""How many variants a file may describe; more are searched and not listed."""
TABLE = "sweep"
"""The table of a configuration that is a sweep."""
FILE = f"{TABLE}.toml"
"""The file that is a sweep, where none is named."""


_MOST_HELD_OUT = 0.9


@dataclass(frozen=True, slots=True)
class AxisValue:
    """One value of an axis."""

    label: str
    """What people call it."""
    settings: Mapping[str, object]
    """The options that it sets, by their paths in the system's table; ``system`` names another system."""


@dataclass(frozen=True, slots=True)
class Axis:
    """Something that varies."""

    name: str
    """What people call it; an option of the system where its values are a list."""
    values: tuple[AxisValue, ...]
    """What it is set to."""


@dataclass(frozen=True, slots=True)
class NamedVariant:
    """A variant of its own, beside the combinations of the axes."""

    name: str
    """What people call it."""
    settings: Mapping[str, object] = field(default_factory=dict)
    """The options that it sets, as for `AxisValue`."""
    needs: tuple[str, ...] = ()
    """Variables, as ``$NAME``, and files without which it is left out."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """What a sweep file says."""

    path: Path
    """The file."""
    name: str = TABLE
    """What it is called: the file without its ending, or ``sweep`` for a table of the configuration."""
    system: str | None = None
    """The system that variants are made of; None for the one that is tested where none is named."""
    suites: tuple[str, ...] = ()
    """Its suites, relative to the file; empty for those of the configuration."""
    metrics: tuple[str, ...] = ()
    """What is measured; the first decides. Empty for the metrics of the suite."""
    baseline: str = ""
    """The variant that is in use today."""
    k: int | None = None
    """How many hits of each query are asked for."""
    held_out: float = 0.0
    """The share of queries on which only the winner is measured."""
    seed: int = 0
    """What is drawn with."""
    axes: tuple[Axis, ...] = ()
    """What varies."""
    variants: tuple[NamedVariant, ...] = ()
    """Variants of their own."""
    exclude: tuple[Mapping[str, tuple[str, ...]], ...] = ()
    """Combinations that are left out: labels by axis, all of which a variant must have."""
    categories: tuple[str, ...] = ()
    """The categories of queries that are asked; empty for all."""


@dataclass(frozen=True, slots=True)
class _Keys:
    """The keys of the file."""

    system: str | None = None
    suites: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    baseline: str = ""
    k: int | None = None
    held_out: float = 0.0
    seed: int = 0
    axes: Mapping[str, object] = field(default_factory=dict)
    variants: Mapping[str, object] = field(default_factory=dict)
    exclude: tuple[object, ...] = ()
    categories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _VariantKeys:
    """The keys of one variant."""

    system: str | None = None
    set: Mapping[str, object] = field(default_factory=dict)
    needs: tuple[str, ...] = ()


def find_sweep(folder: Path) -> Sweep:
    """Read the sweep of a folder: its ``sweep.toml``, or else the table of the configuration of its project.

    Raises:
        FormatError: for what is no sweep, with everything that is wrong; where there is none, and where
            there are both.
    """
    file, configuration = folder / FILE, find_configuration(folder)
    if configuration.sweep is None or configuration.path is None:
        return read_sweep(file)
    if file.is_file():
        found = f"{file} and [{TABLE}] in {shortest(configuration.path)}"
        raise FormatError(Code.AMBIGUOUS(TABLE, found, "one of the two", "name the file of the one to run"))
    return sweep_of(configuration.path, configuration.sweep, f"{configuration.path}: {TABLE}")


def read_sweep(path: Path) -> Sweep:
    """Read a sweep file, or the table of a configuration file.

    Raises:
        FormatError: for what is no sweep, with everything that is wrong.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        found = (error.strerror or str(error)).lower()
        raise FormatError(Code.UNREADABLE_FILE(str(path), found, "a file that can be read")) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FormatError(Code.BAD_SYNTAX(str(path), f"what is not TOML ({error})", "a TOML file")) from error
    if path.name not in (NAME, PROJECT):
        return sweep_of(path, data)
    table: object = data if path.name == NAME else data.get("tool", {}).get("rankgate", {})
    sweep = table.get(TABLE) if isinstance(table, Mapping) else None
    if not isinstance(sweep, Mapping):
        name = f"[{TABLE}]" if path.name == NAME else f"[tool.rankgate.{TABLE}]"
        raise FormatError(Code.WRONG_SWEEP(str(path), f"no table {name}", "the sweep of the configuration"))
    return sweep_of(path, sweep, f"{path}: {TABLE}")


def sweep_of(path: Path, data: Mapping[str, Any], where: str = "") -> Sweep:
    """Read a sweep from the table of a file.

    Args:
        path: The file.
        data: The table.
        where: The table in the file, for errors; empty where it is the file itself.

    Raises:
        FormatError: for what is no sweep, with everything that is wrong.
    """
    where, name = where or str(path), TABLE if where else path.stem
    problems = Problems(where)
    keys: _Keys = validated(data, _Keys, where, problems, unknown="refuse") or _Keys()
    axes = tuple(_axis(axis, value, where, problems) for axis, value in keys.axes.items())
    variants = tuple(_variant(variant, table, where, problems) for variant, table in keys.variants.items())
    exclude = tuple(_exclude(number, one, axes, where, problems) for number, one in enumerate(keys.exclude))
    if not 0 <= keys.held_out <= _MOST_HELD_OUT:
        problems.add(Code.WRONG_SWEEP(f"{where}: held_out", f"{keys.held_out:g}", f"0 to {_MOST_HELD_OUT}"))
    if keys.k is not None and keys.k < 1:
        problems.add(Code.WRONG_SWEEP(f"{where}: k", str(keys.k), "1 or more"))
    if not data.get("axes") and not data.get("variants"):
        fix = "add [axes] with values of the system's options, or [variants.NAME]"
        problems.add(Code.WRONG_SWEEP(where, "no axes and no variants", "something that varies", fix))
    problems.check()
    return Sweep(
        path,
        name,
        keys.system,
        keys.suites,
        keys.metrics,
        keys.baseline,
        keys.k,
        keys.held_out,
        keys.seed,
        axes,
        variants,
        exclude,
        keys.categories,
    )


def _axis(name: str, found: object, path: str, problems: Problems) -> Axis:
    where = f"{path}: axes.{name}"
    if isinstance(found, Mapping):
        values = [
            AxisValue(str(label), dict(settings))
            for label, settings in found.items()
            if _is_table(settings, f"{where}.{label}", problems)
        ]
    elif isinstance(found, list):
        values = [AxisValue(value_label(value), {name: value}) for value in found]
    else:
        problems.add(Code.WRONG_SWEEP(where, f"{found!r}", "a list of values, or a table of named ones"))
        return Axis(name, ())
    if not values:
        problems.add(Code.WRONG_SWEEP(where, "no values", "one or more"))
    twice = sorted({one.label for one in values if [other.label for other in values].count(one.label) > 1})
    for label in twice:
        problems.add(Code.WRONG_SWEEP(where, f"the value {label!r} twice", "each value once"))
    return Axis(name, tuple(values))


def _is_table(found: object, where: str, problems: Problems) -> bool:
    if isinstance(found, Mapping):
        return True
    problems.add(Code.WRONG_SWEEP(where, f"{found!r}", "a table of the options that it sets"))
    return False


def _variant(name: str, table: object, path: str, problems: Problems) -> NamedVariant:
    where = f"{path}: variants.{name}"
    keys: _VariantKeys | None = validated(table, _VariantKeys, where, problems, unknown="refuse")
    if keys is None:
        return NamedVariant(name)
    system = {} if keys.system is None else {"system": keys.system}
    return NamedVariant(name, {**system, **keys.set}, keys.needs)


def _exclude(
    number: int, found: object, axes: tuple[Axis, ...], path: str, problems: Problems
) -> Mapping[str, tuple[str, ...]]:
    where = f"{path}: exclude[{number}]"
    if not isinstance(found, Mapping) or not found:
        problems.add(Code.WRONG_SWEEP(where, f"{found!r}", "a table of axes and their values"))
        return {}
    known = {axis.name: [value.label for value in axis.values] for axis in axes}
    rule: dict[str, tuple[str, ...]] = {}
    for name, value in found.items():
        if name not in known:
            problems.add(Code.WRONG_SWEEP(where, repr(name), "an axis", did_you_mean(name, known)))
            continue
        labels = tuple(map(value_label, value if isinstance(value, list) else [value]))
        for label in labels:
            if label not in known[name]:
                fix = did_you_mean(label, known[name])
                expected = f"a value of the axis: {', '.join(known[name])}"
                problems.add(Code.WRONG_SWEEP(f"{where}.{name}", repr(label), expected, fix))
        rule[name] = labels
    return rule


def value_label(value: object) -> str:
    """Return what people call a value.

    >>> value_label({"by": "window", "lines": 40}), value_label(0.5), value_label(True)
    ('window lines=40', '0.5', 'true')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        first = [value_label(one) for name, one in value.items() if name in ("by", "kind")]
        rest = [f"{name}={value_label(one)}" for name, one in value.items() if name not in ("by", "kind")]
        return " ".join([*first, *rest])
    if isinstance(value, (list, tuple)):
        return "+".join(map(value_label, value)) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value)
