"""Text from outside, made safe to show: no control character reaches a terminal or a file."""

from __future__ import annotations

import unicodedata

from rankgate.errors import escaped

_JOINERS = "\u200c\u200d"


def printable(text: str, most: int | None = None) -> str:
    r"""Show control characters as escapes and, with `most`, cut what is longer.

    Joiners stay: emoji and Persian are written with them, and they cannot turn the direction of a line.

    >>> printable("red \x1b[31m"), printable("abcdef", 4)
    ('red \\x1b[31m', 'abc…')
    """
    shown = text if text.isprintable() else escaped(text, keep=_JOINERS)
    return shown if most is None or len(shown) <= most else shown[: most - 1] + "…"


def printable_block(text: str) -> str:
    r"""Show control characters as escapes, but for the ends of lines and tabs, which a block of text has.

    >>> printable_block("def f():\n\treturn '\x1b'")
    "def f():\n\treturn '\\x1b'"
    """
    plain = text.replace("\n", "").replace("\t", "")
    return text if plain.isprintable() else escaped(text, keep="\n\t" + _JOINERS)


def columns(text: str) -> int:
    """Count the columns that a text takes in a terminal.

    >>> columns("docs"), columns("文档")
    (4, 4)
    """
    return sum(_columns(char) for char in text)


def _columns(char: str) -> int:
    if char in _JOINERS or unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
