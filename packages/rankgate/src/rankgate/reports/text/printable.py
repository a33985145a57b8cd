"""Text from outside, made safe to show: no control character reaches a terminal or a file."""

from __future__ import annotations

import json
import re
import unicodedata
from itertools import accumulate, takewhile

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


def printable_json(found: object) -> str:
    r"""Write what `json` can write, for programs and for people: control characters as JSON escapes them.

    >>> print(printable_json(["é", "\x1b\u202e"]), end="")
    [
      "é",
      "\u001b\u202e"
    ]
    """
    text = json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return "".join(char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1] for char in text)


def columns(text: str) -> int:
    """Count the columns that a text takes in a terminal.

    >>> columns("docs"), columns("文档")
    (4, 4)
    """
    return sum(_columns(char) for char in text)


def fitted(text: str, width: int) -> str:
    """Cut or fill a text so that it takes just so many columns.

    >>> fitted("docs", 6), fitted("文档目录", 6), fitted("文档", 6)
    ('docs  ', '文档… ', '文档  ')
    """
    if columns(text) > width:
        behind = accumulate(map(_columns, text))
        text = text[: sum(1 for _ in takewhile(lambda end: end < width, behind))] + "…"
    return text + " " * (width - columns(text))


def _columns(char: str) -> int:
    # Vowels and finals of Hangul stand inside the letter that they follow.
    if char in _JOINERS or "\u1160" <= char <= "\u11ff" or unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


_WHERE = re.compile(r"(?P<file>.*?):(?P<line>\d+)(?::\d+)?\Z", re.DOTALL)


def split_where(where: str) -> tuple[str, int | None]:
    """Take file, line and column apart.

    >>> split_where("suites/search.yaml:12:5")
    ('suites/search.yaml', 12)
    """
    found = _WHERE.match(where)
    return (found["file"], int(found["line"])) if found else (where, None)
