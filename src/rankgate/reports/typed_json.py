"""Frozen dataclasses as JSON and back, by their type hints alone.

Fields keep their names. Enums are their values, pairs of texts (``tuple[tuple[str, str], ...]``) an object in
their order, other tuples lists, and nothing is null. What is read is trusted in nothing: every value must be
of its field's type, and every text is made safe to show.
"""

from __future__ import annotations

import math
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    NewType,
    TypeAlias,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from rankgate.errors import Problem
from rankgate.reports.printable import printable, printable_block

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from rankgate.files.problems import Problems

Block = NewType("Block", str)
"""Text of several lines, which keeps their ends and its tabs."""
PAIRS = tuple[tuple[str, str], ...]
"""Named facts in an order, which JSON has objects for."""
_MOST = 1 << 53
"""The largest whole number that every reader of JSON keeps."""
_LARGEST = 1.79e308
_SHOWN = 60
_WORDS: dict[object, str] = {
    str: "text",
    Block: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}


@cache
def hints(kind: type) -> dict[str, Any]:
    """Give the types of a dataclass's fields, by their names; they must be importable at run time."""
    return get_type_hints(kind)


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


def _parts(kind: Any, length: int) -> tuple[Any, ...]:
    inside = get_args(kind)
    return (inside[0],) * length if inside[1:] == (...,) else inside


At: TypeAlias = str | tuple[Any, str, object]
"""Where a value stands: in words, or in what, after which sign, under which name. Most are never told."""


class Decoder:
    """Reads values of types, and tells what does not fit."""

    def __init__(self, where: str, problems: Problems) -> None:
        self._where = where
        self._problems = problems

    def read(self, found: object, kind: Any, at: At) -> Any:
        """Read a value of a type from what `json` gave; None, with a problem told, where it is not one."""
        return _way(kind)(self, found, kind, at)

    def fields(self, found: object, kind: Callable[..., Any], at: At) -> Any:
        """Read a dataclass from an object with a member a field."""
        if not isinstance(found, dict):
            return self._wrong(found, "an object", at)
        own = _members(cast(type, kind))
        for name in () if found.keys() <= own.keys() else sorted(found.keys() - own.keys()):
            fix = "a newer rankgate may have written the file: read it with that one"
            self._add((at, ".", f"{name:.{_SHOWN}}"), "an unknown field", f"one of {', '.join(own)}", fix)
        values = {}
        before = self._problems.total
        for name, (part, optional) in own.items():
            if name in found:
                values[name] = _way(part)(self, found[name], part, (at, ".", name))
            elif not optional:
                self._add((at, ".", name), "nothing", _expected(part))
        return kind(**values) if self._problems.total == before else None

    def _literal(self, found: object, kind: Any, at: At) -> Any:
        words = get_args(kind)
        return found if found in words else self._wrong(found, _one_of(words), at)

    def _block(self, found: object, _kind: Any, at: At) -> Any:
        return printable_block(found) if isinstance(found, str) else self._wrong(found, "text", at)

    def _union(self, found: object, kind: Any, at: At) -> Any:
        nothing, chosen = _alternatives(kind)
        return None if found is None and nothing else self.read(found, chosen, at)

    def _tuple(self, found: object, kind: Any, at: At) -> Any:
        if not isinstance(found, list):
            return self._wrong(found, "a list", at)
        parts = _parts(kind, len(found))
        if len(parts) != len(found):
            return self._wrong(f"{len(found)} values", f"{len(parts)} values", at)
        return tuple(
            _way(part)(self, one, part, (at, "[", number))
            for number, (one, part) in enumerate(zip(found, parts, strict=True))
        )

    def _pairs(self, found: object, _kind: Any, at: At) -> Any:
        if not isinstance(found, dict):
            return self._wrong(found, "an object", at)
        return tuple(
            (printable(name), self._plain(text, str, (at, ".", name))) for name, text in found.items()
        )

    def _enum(self, found: object, kind: type[Enum], at: At) -> Any:
        values = {member.value: member for member in kind}
        if isinstance(found, (str, int)) and not isinstance(found, bool) and found in values:
            return values[found]
        return self._wrong(found, _one_of(values), at)

    def _plain(self, found: object, kind: Any, at: At) -> Any:
        if kind is float and isinstance(found, (int, float)) and not isinstance(found, bool):
            return float(found) if abs(found) <= _LARGEST else self._wrong(found, "a finite number", at)
        if kind is str and isinstance(found, str):
            # Our own texts are safe to show already; those of a file that somebody else wrote become so.
            return printable(found)
        if kind is bool and isinstance(found, bool):
            return found
        if kind is int and isinstance(found, int) and not isinstance(found, bool) and abs(found) < _MOST:
            return found
        return self._wrong(found, _expected(kind), at)

    def _wrong(self, found: object, expected: str, at: At) -> None:
        shown = "nothing" if found is None else printable(f"{found!r:.{_SHOWN}}")
        self._add(at, shown, expected)

    def _add(self, at: At, found: str, expected: str, fix: str = "") -> None:
        self._problems.add(Problem(f"{self._where}: {printable(_path(at))}", found, expected, fix))


@cache
def _way(kind: Any) -> Callable[[Decoder, Any, Any, At], Any]:
    """Choose how values of a type are read."""
    ways: dict[Any, Callable[[Decoder, Any, Any, At], Any]] = {
        Union: Decoder._union,  # noqa: SLF001 - its own
        UnionType: Decoder._union,  # noqa: SLF001
        Literal: Decoder._literal,  # noqa: SLF001
        tuple: Decoder._tuple,  # noqa: SLF001
    }
    if kind == PAIRS:
        return Decoder._pairs  # noqa: SLF001
    if get_origin(kind) in ways:
        return ways[get_origin(kind)]
    if is_dataclass(kind):
        return Decoder.fields
    if kind is Block:
        return Decoder._block  # noqa: SLF001
    return Decoder._enum if issubclass(kind, Enum) else Decoder._plain  # noqa: SLF001


@cache
def _alternatives(kind: Any) -> tuple[bool, Any]:
    """Tell of a union whether it allows null, and what else is read: the first of its types, or any word."""
    members = get_args(kind)
    left = [one for one in members if one is not NoneType]
    words = [one for one in left if get_origin(one) is Literal]
    chosen = left[0]
    if len(words) == len(left):
        chosen = Literal[tuple(word for one in words for word in get_args(one))]
    return len(left) < len(members), chosen


@cache
def _members(kind: type) -> dict[str, tuple[Any, bool]]:
    """Give the type of each field, and whether it may be left out."""
    types = hints(kind)
    return {field.name: (types[field.name], _optional(field)) for field in fields(kind)}


def _path(at: At) -> str:
    if isinstance(at, str):
        return at
    above, sign, name = at
    return f"{_path(above)}{sign}{name}" + ("]" if sign == "[" else "")


def _optional(field: Field[Any]) -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING


def _one_of(values: Iterable[object] | Mapping[object, object]) -> str:
    return f"one of {', '.join(map(repr, values))}"


def _expected(kind: Any) -> str:
    origin = get_origin(kind)
    if kind == PAIRS or is_dataclass(kind):
        return "an object"
    if origin in (Union, UnionType):
        return " or ".join("null" if one is NoneType else _expected(one) for one in get_args(kind))
    if origin is Literal:
        return _one_of(get_args(kind))
    if origin is tuple:
        return "a list"
    return _WORDS.get(kind) or _one_of(member.value for member in kind)
