"""Options of a system, read from a configuration into the dataclass that the system owns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from rankgate.errors import InputError, Problem, did_you_mean
from rankgate.systems.failures import shown

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    T = TypeVar("T", bound=DataclassInstance)


def read_options(kind: type[T], found: Mapping[str, object], where: str) -> T:
    """Make a dataclass of a mapping; its annotations say what each option may be.

    Lists become tuples, whole numbers become floats where floats are meant, and nothing else is changed.

    Raises:
        InputError: with every key that is unknown or missing, and every value of another type.
    """
    problems: list[Problem] = []
    types = get_type_hints(kind)
    known = {field.name: field for field in fields(kind)}
    for key in found.keys() - known.keys():
        expected, fix = f"one of {', '.join(known)}", did_you_mean(str(key), known)
        problems.append(Problem(f"{where}.{key}", "an unknown option", expected, fix))
    values: dict[str, Any] = {}
    for name, field in known.items():
        if name in found:
            try:
                values[name] = _fitted(found[name], types[name])
            except TypeError:
                expected = _told(types[name])
                problems.append(Problem(f"{where}.{name}", shown(found[name]), expected))
        elif field.default is MISSING and field.default_factory is MISSING:
            problems.append(Problem(where, f"no {name}", _told(types[name])))
    if problems:
        raise InputError(sorted(problems, key=lambda problem: problem.where))
    return kind(**values)


def _fitted(value: object, kind: Any) -> object:
    """Give the value as the type says, or raise TypeError."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind is object or (origin is Literal and value in inner):
        return value
    if origin in (Union, UnionType):
        return _fitted_to_one(value, inner)
    if origin is tuple and isinstance(value, (list, tuple)):
        return tuple(_fitted(item, inner[0]) for item in value)
    if _is_mapping(origin) and isinstance(value, Mapping):
        return {_fitted(key, inner[0]): _fitted(item, inner[1]) for key, item in value.items()}
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(kind, type) and isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
        return value
    raise TypeError


def _is_mapping(origin: Any) -> bool:
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _fitted_to_one(value: object, kinds: tuple[Any, ...]) -> object:
    for kind in kinds:
        try:
            return _fitted(value, kind)
        except TypeError:
            continue
    raise TypeError


def _told(kind: Any) -> str:
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return f"one of {', '.join(map(str, inner))}"
    if origin in (Union, UnionType):
        return " or ".join(_told(item) for item in inner if item is not NoneType)
    if origin is tuple:
        return f"a list, each {_told(inner[0])}"
    if _is_mapping(origin):
        return f"a table, each value {_told(inner[1])}"
    names = {str: "a string", int: "a whole number", float: "a number", bool: "true or false", object: "any"}
    return names.get(kind, getattr(kind, "__name__", str(kind)))
