"""What a plain scalar of YAML is: our own table of what YAML 1.2, and 1.1 where a file asks for it, say."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

VERSION = (1, 2)
"""The version of a file that names none."""

_FLOAT = r"[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+"
_INFINITE = r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?"
_ZONE = r"(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?"
_BOTH = (
    ("merge", "<", "<<"),
    ("null", "~nN", "~|null|Null|NULL|"),
    ("timestamp", "0123456789", rf"{_DATE}|{_TIME}{_ZONE}"),
    ("value", "=", "="),
)
# By version: a tag, the characters it may begin with, and what it looks like; the first that fits holds.
_TABLE: dict[tuple[int, ...], Sequence[tuple[str, str, str]]] = {
    (1, 2): (
        ("bool", "tTfF", "true|True|TRUE|false|False|FALSE"),
        ("float", "-+0123456789.", rf"{_FLOAT}|[-+]?\.[0-9_]+(?:[eE][-+][0-9]+)?|{_INFINITE}"),
        ("int", "-+0123456789", r"[-+]?(?:0b[0-1_]+|0o?[0-7_]+|[0-9_]+|0x[0-9a-fA-F_]+)"),
        *_BOTH,
    ),
    (1, 1): (
        (
            "bool",
            "yYnNtTfFoO",
            "y|Y|yes|Yes|YES|n|N|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF",
        ),
        (
            "float",
            "-+0123456789.",
            rf"{_FLOAT}|\.[0-9_]+(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|{_INFINITE}",
        ),
        (
            "int",
            "-+0123456789",
            r"[-+]?(?:0b[0-1_]+|0?[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+|[1-9][0-9_]*(?::[0-5]?[0-9])+)",
        ),
        *_BOTH,
    ),
}


@cache
def table_of(version: tuple[int, ...] = VERSION) -> Mapping[str, Sequence[tuple[str, re.Pattern[str]]]]:
    """Return what a plain scalar may be by its first character: tags, and what each looks like."""
    found: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
    for tag, starts, pattern in _TABLE.get(version, _TABLE[VERSION]):
        for start in (*starts, *([""] if tag == "null" else [])):
            found.setdefault(start, []).append((tag, re.compile(pattern)))
    return found


def tag_of(content: str) -> str:
    """Return the tag of a plain scalar, without its namespace.

    >>> [tag_of(text) for text in ("1e3", "yes", "2024-01-01", "", "true")]
    ['float', 'str', 'timestamp', 'null', 'bool']
    """
    for tag, pattern in table_of().get(content[:1], ()):
        if pattern.fullmatch(content):
            return tag
    return "str"
