"""Data as YAML that people like to read: short collections in a line, quotes only where they are needed."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


WIDTH = 100
"""How long a line may become before a collection is written with an item a line."""

LONGEST_KEY = 900
"""How many characters a key may have; YAML reads a key of at most 1024 before its colon."""

_OPEN = re.compile(r"[^\W_]|[_/.$(]")
_ENDS_PLAIN = re.compile(r": |:$| #|\.\.\.|^\.+$| $")
_IN_FLOW = re.compile(r"[,\[\]{}]|::?$")
# What YAML 1.2 or 1.1, or another reader of either, takes for something else than text.
NOT_TEXT = re.compile(
    r"[-+.]?[0-9][-+0-9_.:eExXoOa-fA-FT tZ]*|\.(?:inf|nan)|~|null|true|false|yes|no|on|off|y|n", re.IGNORECASE
)
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}


def block(value: dict[str, Any], indent: int = 0) -> Iterator[str]:
    r"""Write a mapping, a key a line; what is short or empty stands behind its key.

    >>> print("\n".join(block({"query": "a: b", "at": ["a.md", "b.md#C"], "k": 3})))
    query: "a: b"
    at: [a.md, b.md#C]
    k: 3
    """
    pad = " " * indent
    for key, item in value.items():
        start = f"{pad}{_key(key)}:"
        flow = flow_text(item, inside=False)
        if (text := _literal(item, indent)) is not None:
            yield f"{start} |-\n{text}"
        elif _stays(item) or indent + len(key) + len(flow) < WIDTH:
            yield f"{start} {flow}"
        elif isinstance(item, dict):
            yield start
            yield from block(item, indent + 2)
        else:
            yield start
            for each in item:
                yield from entry(each, indent + 2)


def entry(value: Any, indent: int, *, spread: bool = False) -> Iterator[str]:
    """Write an item of a list; a mapping is spread over lines where it is long, or that is asked for."""
    pad = " " * indent
    flow = flow_text(value, inside=False)
    if not spread and (_stays(value) or indent + len(flow) < WIDTH):
        yield f"{pad}- {flow}"
    elif isinstance(value, dict):
        first, *others = block(value, indent + 2)
        yield f"{pad}- {first[indent + 2 :]}"
        yield from others
    else:
        yield f"{pad}-"
        for each in value:
            yield from entry(each, indent + 2)


def flow_text(value: Any, *, inside: bool = True) -> str:
    """Write a value in one line.

    >>> flow_text({"a.md": 3, "true": [None, "x, y"]})
    '{a.md: 3, "true": [null, "x, y"]}'
    """
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)}: {flow_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(flow_text, value)) + "]"
    if isinstance(value, str):
        return _plain(value, inside=inside) or _quoted(value)
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value)


def _stays(value: Any) -> bool:
    """Check whether a value stays in one line however long it is."""
    return not value or not isinstance(value, (dict, list, tuple))


def _key(text: str) -> str:
    return _plain(text, inside=True) or _quoted(text)


def _plain(text: str, *, inside: bool) -> str | None:
    """Return text that needs no quotes; None where it does."""
    fits = (
        text.isprintable()
        and _OPEN.match(text)
        and not _ENDS_PLAIN.search(text)
        and not (inside and _IN_FLOW.search(text))
        and not NOT_TEXT.fullmatch(text)
    )
    return text if fits else None


def _literal(value: Any, indent: int) -> str | None:
    """Return text of several lines as a block; None where it is no such text, or a block would change it."""
    if not isinstance(value, str) or "\n" not in value or not value[0].strip() or value.endswith("\n"):
        return None
    lines = value.split("\n")
    if not all(line.isprintable() and line == line.rstrip() for line in lines):
        return None
    return "\n".join(" " * (indent + 2) + line if line else "" for line in lines)


def _quoted(text: str) -> str:
    return '"' + "".join(char if _is_safe(char) else _escape(char) for char in text) + '"'


def _is_safe(char: str) -> bool:
    return char.isprintable() and char not in _ESCAPES


def _escape(char: str) -> str:
    code = ord(char)
    return _ESCAPES.get(char) or (f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}")
