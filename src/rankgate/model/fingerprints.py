"""Fingerprints of data and anchors of text: short, stable names for content."""

from __future__ import annotations

import hashlib
import json
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import date
from enum import Enum
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
    return hashlib.sha256(_dumped(_plain(value, defaults=False)).encode()).hexdigest()


def anchor(text: str) -> str:
    r"""Name a piece of text, so that a target can be found again after it moved.

    Line ends and white space at the ends of lines do not count; everything else does.

    >>> anchor("def f():  \r\n    pass") == anchor("def f():\n    pass\n")
    True
    """
    lines = [line.rstrip() for line in text.splitlines()]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def _dumped(plain: object) -> str:
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _plain(value: Any, *, defaults: bool) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, date):
        return value.isoformat()
    if is_dataclass(value) and not isinstance(value, type):
        given = ((field, getattr(value, field.name)) for field in fields(value) if field.compare)
        return {
            field.name: _plain(found, defaults=defaults)
            for field, found in given
            if defaults or not _is_default(field, found)
        }
    if isinstance(value, dict):
        return {str(key): _plain(item, defaults=defaults) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(_plain(item, defaults=defaults) for item in value)
    if isinstance(value, (list, tuple)):
        return [_plain(item, defaults=defaults) for item in value]
    return value


def _is_default(field: Field[Any], value: object) -> bool:
    made = field.default_factory
    return bool(value == (field.default if made is MISSING else made()))
