"""Fingerprints of data and anchors of text: short, stable names for content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import date
from enum import Enum
from functools import cache
from typing import Any


def canonical_json(value: object) -> str:
    """Write JSON in one spelling: sorted keys, no spaces, no NaN, UTF-8 as it is.

    >>> canonical_json({"b": 1.0, "a": [None, "é"]})
    '{"a":[null,"é"],"b":1.0}'
    """
    return _dumped(_plain(value, defaults=True))


def fingerprint(value: object) -> str:
    """Name data by its content: equal data, equal name, on every machine and Python.

    Fields that do not take part in comparison, such as where a case was written, do not count, nor do those
    that have their default: a field that a later version adds renames nothing.

    >>> fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    True
    """
    digest = hashlib.sha256()
    for piece in _pieces(value):
        digest.update(piece.encode())
    return digest.hexdigest()


def anchor(text: str) -> str:
    r"""Name a piece of text, so that a target can be found again after it moved.

    Line ends and white space at the ends of lines do not count; everything else does.

    >>> anchor("def f():  \r\n    pass") == anchor("def f():\n    pass\n")
    True
    """
    lines = [line.rstrip() for line in text.splitlines()]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def _pieces(value: Any) -> Iterator[str]:
    """Write the canonical JSON of data without its defaults in pieces: a million cases need no memory.

    The fields of the whole, and the items of a sequence in it, are pieces.
    """
    if not is_dataclass(value) or isinstance(value, type):
        yield _dumped(_plain(value, defaults=False))
        return
    start = "{"
    for name, default in sorted(_compared(type(value)), key=lambda each: each[0]):
        if (given := getattr(value, name)) != default:
            yield f"{start}{_dumped(name)}:"
            yield from _items(given)
            start = ","
    yield "{}" if start == "{" else "}"


def _items(value: Any) -> Iterator[str]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        yield _dumped(_plain(value, defaults=False))
        return
    start = "["
    for item in value:
        yield start + _dumped(_plain(item, defaults=False))
        start = ","
    yield "[]" if start == "[" else "]"


_PLAIN = frozenset({str, int, float, bool, type(None)})
_dumped = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False
).encode


def _plain(value: Any, *, defaults: bool) -> Any:
    if type(value) in _PLAIN:  # nearly all are, so it is asked first
        return value
    if is_dataclass(value) and not isinstance(value, type):
        # A plain loop: this is gone through for every field of every case and target.
        plain = {}
        for name, default in _compared(type(value)):
            found = getattr(value, name)
            if defaults or found != default:
                plain[name] = found if type(found) in _PLAIN else _plain(found, defaults=defaults)
        return plain
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(key): _plain(item, defaults=defaults) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(_plain(item, defaults=defaults) for item in value)
    if isinstance(value, Sequence):
        return [_plain(item, defaults=defaults) for item in value]
    return value


@cache
def _compared(kind: type) -> tuple[tuple[str, object], ...]:
    """List the fields of a dataclass that count, each with its default, which is only compared with."""
    return tuple((field.name, _default_of(field)) for field in fields(kind) if field.compare)


def _default_of(field: Field[Any]) -> object:
    return field.default if field.default_factory is MISSING else field.default_factory()
