"""What a JSON file looks like, told from its first bytes alone, wherever they are cut."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

EACH = "[]"
"""Stands in a path for every item of a list."""

_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+)')
_OPENING = {"{": "object", "[": "list"}
_DEPTH = 100


@dataclass(frozen=True, slots=True)
class Shape:
    """The kinds of the values of one JSON document, by the path to them."""

    kinds: Mapping[tuple[str, ...], str]
    """The kind of the first value at a path: object, list, text or other; the root is at ``()``."""

    def kind(self, *path: str) -> str | None:
        """Tell what stands at a path; None where nothing does."""
        return self.kinds.get(path)

    def keys(self, *path: str) -> set[str]:
        """List the keys below a path."""
        return {at[-1] for at in self.kinds if len(at) == len(path) + 1 and at[:-1] == path}


@lru_cache(maxsize=4)
def shape_of(start: bytes) -> Shape:
    """Look at the first document in the first bytes of a file; of JSON lines, that is the first line.

    >>> shape = shape_of(b'{"cases": [{"query": {"te')
    >>> shape.kind(), shape.kind("cases", EACH, "query")
    ('object', 'object')
    """
    text = start.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="ignore")
    kinds: dict[tuple[str, ...], str] = {}
    for path, kind in _values(text):
        kinds.setdefault(path, kind)
    return Shape(kinds)


def record(shape: Shape) -> tuple[str, ...] | None:
    """Give the path of the records of a file: a list of objects, or objects one a line; None for neither."""
    if shape.kind() == "list" and shape.kind(EACH) == "object":
        return (EACH,)
    return () if shape.kind() == "object" else None


def _values(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Go through the values as they open, until the first document ends or the text is cut off."""
    stack: list[tuple[str, str]] = []
    wants_key = False
    for found in _tokens(text):
        if found in "}]":
            if not stack:
                return
            stack.pop()
            wants_key = False
        elif found == ",":
            wants_key = bool(stack) and stack[-1][0] == "{"
        elif wants_key and found.startswith('"'):
            stack[-1] = ("{", _unquoted(found))
            wants_key = False
        elif found != ":":
            path = tuple(name for _, name in stack)
            opening = _OPENING.get(found)
            yield path, opening or ("text" if found.startswith('"') else "other")
            if opening:
                stack.append((found, EACH))
                wants_key = found == "{"
        if (not stack and found != ":") or len(stack) > _DEPTH:
            return


def _tokens(text: str) -> Iterator[str]:
    at = 0
    while token := _TOKEN.match(text, at):
        yield token[1]
        at = token.end()


def _unquoted(text: str) -> str:
    try:
        return str(json.loads(text))
    except ValueError:
        return text[1:-1]
