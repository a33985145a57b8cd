"""The comment that stands right above a symbol and is about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_HASH = frozenset({"python", "ruby"})
_MOST = 200


def comment_above(lines: Sequence[str], start: int, language: str) -> int:
    """Return the first line of the comment that ends right above a line; the line itself where there is none.

    >>> comment_above(["class Keys {", "  /** Ends", "   * a key. */", "  void revoke() {}"], 4, "java")
    2
    >>> comment_above(["// Package keys.", "", "func Revoke() {"], 3, "go")
    3

    Args:
        lines: All of the file.
        start: The line, from 1.
        language: What the file is written in.
    """
    least = max(0, start - 1 - _MOST)
    first = start
    while first - 1 > least:
        line = lines[first - 2].strip()
        if language in _HASH:
            if not line.startswith("#") or line.startswith("#!"):
                break
            first -= 1
        elif line.startswith("//") and not line.startswith("//!"):
            first -= 1
        elif line.endswith("*/"):
            opened = _opening(lines, first - 1, least)
            if not opened:
                break
            first = opened
        else:
            break
    return first


def _opening(lines: Sequence[str], line: int, least: int) -> int:
    """Find where the comment begins that ends in a line; 0 where it begins behind code, or too far above."""
    while line > least:
        text = lines[line - 1]
        if "/*" in text:
            return line if text.lstrip().startswith("/*") else 0
        line -= 1
    return 0
