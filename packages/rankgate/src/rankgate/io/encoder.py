"""Frozen dataclasses as what `json` can write, by their type hints alone; `decoder` reads it back.

Fields keep their names. Enums are their values, pairs of texts (``tuple[tuple[str, str], ...]``) an object in
their order, other tuples lists, and nothing is null.
"""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Union, cast, get_args, get_origin

from rankgate.io.decoder import PAIRS, hints

if TYPE_CHECKING:
    from collections.abc import Callable


def encoded(value: Any, kind: Any) -> Any:
    """Write a value of a type as what `json` can write.

    >>> from rankgate.model import Counts
    >>> encoded((("suite", "handbook"),), PAIRS), encoded(float("nan"), float | None)
    ({'suite': 'handbook'}, None)
    >>> encoded(Counts(3), Counts)["scored"]
    3
    """
    write = _writer(kind)
    return value if write is None or value is None else write(value)


@cache
def _writer(kind: Any) -> Callable[[Any], Any] | None:
    """Make the function that writes values of a type; None where they are written as they are."""
    if kind == PAIRS:
        return dict
    if get_origin(kind) is Annotated:
        return _writer(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        members = tuple(one for one in get_args(kind) if one is not NoneType)
        return _writer(members[0]) if len(members) == 1 else _union_writer(members)
    if is_dataclass(kind):
        return _fields_writer(cast(type, kind))
    if get_origin(kind) is tuple:
        return _tuple_writer(kind)
    if kind is float:
        return _finite
    return _enum_value if isinstance(kind, type) and issubclass(kind, Enum) else None


def _fields_writer(kind: type) -> Callable[[Any], Any]:
    types = hints(kind)
    parts = [(field.name, _writer(types[field.name])) for field in fields(kind)]

    def write(value: Any) -> dict[str, Any]:
        found = {}
        for name, writer in parts:
            part = getattr(value, name)
            found[name] = part if writer is None or part is None else writer(part)
        return found

    return write


def _tuple_writer(kind: Any) -> Callable[[Any], Any] | None:
    # A tuple of what is written as it is stays one: `json` writes it as a list.
    inside = get_args(kind)
    if inside[1:] == (...,):
        each = _writer(inside[0])
        if each is None:
            return None
        return lambda value: [None if one is None else each(one) for one in value]
    writers = [_writer(part) for part in inside]
    if not any(writers):
        return None
    return lambda value: [
        one if writer is None or one is None else writer(one)
        for one, writer in zip(value, writers, strict=True)
    ]


def _union_writer(members: tuple[Any, ...]) -> Callable[[Any], Any] | None:
    writers = [(one, _writer(one)) for one in members]
    if not any(writer for _, writer in writers):
        return None

    def write(value: Any) -> Any:
        fitting = (write for one, write in writers if isinstance(one, type) and isinstance(value, one))
        writer = next(fitting, writers[0][1])
        return value if writer is None else writer(value)

    return write


def _finite(value: object) -> object:
    return value if not isinstance(value, float) or math.isfinite(value) else None


def _enum_value(value: Enum) -> Any:
    return value.value
