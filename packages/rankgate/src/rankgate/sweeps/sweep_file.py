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

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, PlainValidator, PositiveInt, model_validator

from rankgate.errors import Code, FormatError
from rankgate.io.toml import read_toml
from rankgate.io.typed import InvalidError, StrictKeys, Text, located, read, shown, suggestion
from rankgate.io.yaml import Table, typed
from rankgate.project.configuration import NAME, PROJECT
from rankgate.project.find import find_configuration
from rankgate.wording import shortest

MOST_VARIANTS = 10_000
"""How many variants a file may describe; more are searched and not listed."""
TABLE = "sweep"
"""The table of a configuration that is a sweep."""
FILE = f"{TABLE}.toml"
"""The file that is a sweep, where none is named."""


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


def _axes(value: Any) -> tuple[Axis, ...]:
    if not isinstance(value, dict):
        raise ValueError(f"expected a table of axes, found {shown(value)}.")  # noqa: TRY004
    axes, problems = [], []
    for name, found in value.items():
        wrong = ""
        values: list[AxisValue] = []
        if isinstance(found, list):
            values = [AxisValue(value_label(one), {name: typed(one)}) for one in found]
        elif isinstance(found, dict) and all(isinstance(one, dict) for one in found.values()):
            values = [AxisValue(label, typed(settings)) for label, settings in found.items()]
        else:
            expected = "a list of values, or a table of named ones with their options"
            wrong = f"expected {expected}, found {shown(found)}."
        labels = [one.label for one in values]
        if twice := sorted({label for label in labels if labels.count(label) > 1}):
            wrong = f"the value `{twice[0]}` occurs twice. Remove one of them."
        elif not values and not wrong:
            wrong = "the axis has no values. Write one or more."
        if wrong:
            problems.append(Code.WRONG_SWEEP(name, "", "", "", wrong))
        axes.append(Axis(name, tuple(values)))
    if problems:
        raise located(problems)
    return tuple(axes)


class _VariantKeys(StrictKeys):
    """The keys of one variant."""

    noun: ClassVar[str] = "a variant"
    system: Text | None = None
    set: dict[str, Any] = Field(default={})
    needs: list[Text] = Field(default=[])


class _SweepKeys(StrictKeys):
    """The keys of the file."""

    noun: ClassVar[str] = "a sweep"
    system: Text | None = None
    suites: list[Text] = Field(default=[])
    metrics: list[Text] = Field(default=[])
    baseline: str = ""
    k: PositiveInt | None = None
    held_out: float = Field(default=0.0, ge=0, le=0.9)
    seed: int = 0
    axes: Annotated[tuple[Axis, ...], PlainValidator(_axes)] = ()
    variants: dict[str, _VariantKeys] = Field(default={})
    exclude: list[dict[str, Any]] = Field(default=[])
    categories: list[Text] = Field(default=[])

    @model_validator(mode="after")
    def _varies(self) -> Self:
        if not self.axes and not self.variants:
            fix = "Add [axes] with values of the system's options, or [variants.NAME]."
            raise InvalidError(f"the sweep has no axes and no variants. {fix}", Code.WRONG_SWEEP)
        known = {axis.name: [value.label for value in axis.values] for axis in self.axes}
        problems, axes = [], f"The axes are {', '.join(known)}."
        for number, rule in enumerate(self.exclude):
            for name, value in rule.items():
                where = f"exclude[{number}].{name}"
                if name not in known:
                    said = f"unknown axis `{name}`. {suggestion(name, known) or axes}"
                    problems.append(Code.UNKNOWN_KEY(where, "", "", "", said))
                    continue
                for label in _labels(value):
                    if label not in known[name]:
                        said = f"`{label}` is not a value of the axis. Values: {', '.join(known[name])}."
                        problems.append(Code.WRONG_SWEEP(where, "", "", "", said))
        if problems:
            raise located(problems)
        return self


def _labels(value: object) -> tuple[str, ...]:
    return tuple(map(value_label, value if isinstance(value, list) else [value]))


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
    return read_sweep(configuration.path)


def read_sweep(path: Path) -> Sweep:
    """Read a sweep file, or the table of a configuration file.

    Raises:
        InputError: for a file that cannot be read.
        FormatError: for what is no sweep, with everything that is wrong.
    """
    document, name = read_toml(shortest(path)), path.stem
    if path.name in (NAME, PROJECT):
        name = TABLE
        for step in (TABLE,) if path.name == NAME else ("tool", "rankgate", TABLE):
            if not isinstance(document.data.get(step), Table):
                shown_name = f"[{TABLE}]" if path.name == NAME else f"[tool.rankgate.{TABLE}]"
                said = f"{document.file}: there is no table {shown_name}."
                raise FormatError(Code.WRONG_SWEEP(document.file, "", "", "", said))
            document = replace(document, data=document.data[step], mark=document.data.marks[step][1])
    keys = read(document, _SweepKeys)
    variants = [
        NamedVariant(
            one, {**({"system": its.system} if its.system else {}), **typed(its.set)}, tuple(its.needs)
        )
        for one, its in keys.variants.items()
    ]
    return Sweep(
        path,
        name,
        keys.system,
        tuple(keys.suites),
        tuple(keys.metrics),
        keys.baseline,
        keys.k,
        keys.held_out,
        keys.seed,
        keys.axes,
        tuple(variants),
        tuple({name: _labels(value) for name, value in rule.items()} for rule in keys.exclude),
        tuple(keys.categories),
    )


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
