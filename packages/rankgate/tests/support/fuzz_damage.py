"""Damage at random to bytes, and to the values of a JSON document."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random

_WORDS = (
    *(b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\\ud800", b"\r\n", b"\n", b"\t", b"  "),
    *(b",", b";", b":", b"::", b"#", b"-", b"- ", b"'", b'"', b"\\", b"{", b"}", b"[", b"]", b"|\n"),
    *(b"&a ", b"*a", b"!!python/object:x ", b"<<: *a", b"null", b"true", b"NaN", b"1e999", b"-1", b"0"),
    *(b"99999999999999999999", b"0x10", b"1.5", b"../", b"/", b"%23", b"C:\\"),
)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 10**30, 0.5, -0.0, 1e308, "", " ", "a", "\0", "\u2028", "x" * 300),
    *("a.md:1-2", "a.md:9-1", "../a", [], {}, [[]], [None], {"": None}, {"query": 1}, [1, "a", {}]),
)


def damaged_bytes(data: bytes, other: bytes, draw: random.Random) -> bytes:
    """Change a slice: drop, replace, repeat, turn it, or put one of another file in its place."""
    start, end = sorted((draw.randint(0, len(data)), draw.randint(0, len(data))))
    end = min(end, start + draw.choice((1, 4, 40, 4000)))
    kind = draw.randrange(7)
    middle = (
        b"",
        draw.choice(_WORDS),
        draw.randbytes(draw.choice((1, 2, 8))),
        data[start:end] * draw.choice((2, 3, 50)),
        other[draw.randint(0, len(other)) :][: end - start],
        bytes(255 - byte for byte in data[start:end]),
        data[start:end][::-1],
    )[kind]
    if kind == 0 and draw.random() < 0.2:
        return data[:start]
    return data[:start] + middle + data[end:]


def damaged_json(data: bytes, draw: random.Random) -> bytes:
    """Change some values of a document."""
    value = json.loads(data)
    for _ in range(draw.choice((1, 1, 2, 5))):
        value = other_value(value, draw)
    text = json.dumps(value, ensure_ascii=draw.random() < 0.5, indent=draw.choice((None, None, 1)))
    return text.encode(errors="surrogatepass")


def other_value(value: Any, draw: random.Random) -> Any:
    """Change one value, at any depth: replace, drop, repeat or rename it."""
    if not isinstance(value, (dict, list)) or not value or draw.random() < 0.1:
        return draw.choice(VALUES)
    keys: list[Any] = list(value) if isinstance(value, dict) else list(range(len(value)))
    key = draw.choice(keys)
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    kind = draw.randrange(8)
    if kind == 0:
        del copy[key]
    elif kind == 1 and isinstance(copy, list):
        copy.append(copy[key])
    elif kind == 1:
        copy[str(draw.choice(("query", "id", "x", "", key)))] = copy[key]
    else:
        copy[key] = other_value(copy[key], draw)
    return copy
