"""Text in GitHub Markdown that shows as it is: never markup, a link, a mention or an emoji."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~#&$])")
_LEADING = re.compile(r"(?P<digits>\d{0,9})(?=[-+=.)]+(?:\s|\Z))")
# GitHub looks for these in the finished text, so that a backslash does not stop it.
_ACTIVE = re.compile(
    r"""(?<![a-z0-9_])@(?=\w) | (?<=\w)@(?=[\w.-]*\.\w)  # a mention, an address
        | (?<=:)(?=//) | (?<=www)(?=\.)                 # a link
        | (?<=:)(?=[\w+\\-]+:)                          # an emoji: `a.md:100:` has one
        | (?<=\\\#)(?=\d) | (?<=GH)(?=-\d)              # an issue""",
    re.IGNORECASE | re.VERBOSE,
)
_BREAK = "<!-- -->"


def plain(text: str) -> str:
    r"""Escape text so that it shows as it is.

    >>> print(plain("a|b <i> @team :+1: #7"))
    a\|b \<i\> @<!-- -->team :<!-- -->+1: \#<!-- -->7
    """
    escaped = _SPECIAL.sub(r"\\\1", " ".join(text.split()))
    marker = _LEADING.match(escaped)
    if marker:  # at the start, `-` or `1.` would begin a list
        escaped = f"{marker['digits']}\\{escaped[marker.end() :]}"
    return _ACTIVE.sub(lambda found: found[0] + _BREAK, escaped)


def code(text: str, *, cell: bool = False) -> str:
    """Show text as code, with a fence longer than any in it; in a table cell, pipes are escaped.

    >>> code("a`b")
    '`` a`b ``'
    """
    text = " ".join(text.splitlines())
    if not text.strip():
        return ""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    room = " " if longest else ""
    fence = "`" * (longest + 1)
    shown = f"{fence}{room}{text}{room}{fence}"
    return shown.replace("|", "\\|") if cell else shown


def table(head: Sequence[str], sides: str, rows: Iterable[Sequence[str]]) -> str:
    """Write a table; of its sides, `r` is right, and those that are not given are left.

    >>> print(table(("", "n"), "r", [("a", "1")]))
    |  | n |
    | --- | ---: |
    | a | 1 |
    """
    sides = sides.rjust(len(head), "l")
    rules = ["---:" if side == "r" else "---" for side in sides]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rules, *rows))
