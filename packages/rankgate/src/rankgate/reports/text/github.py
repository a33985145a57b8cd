"""Text that GitHub shows as it is: Markdown without markup, links, mentions or emoji; workflow commands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

from rankgate.reports.text.printable import printable

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
_ISSUE = re.compile(r"#(?=\d)")
_BREAK = "<!-- -->"
WEB = ("https://", "http://")
"""How an address begins that may be a link."""
_IN_ADDRESS = "%/:?#[]@!$&'()*+,;=~-._"
"""What an address keeps as it is: neither an angle bracket, a space nor a backslash is among them."""
# A runner obeys ``::`` where a line begins, after spaces too, and ``##[`` anywhere; \r ends a line as well.
_COMMAND = re.compile(
    r"(?:\A|(?<=[\r\n]))(?:[^\S\r\n]|[\u180e\u200b\ufeff]|\x1b\[[0-9;]*m)*:(?=:) | \#\#(?=\[)", re.VERBOSE
)


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


def in_html(text: str) -> str:
    """Escape text so that it shows as it is between tags, where Markdown's escapes are none.

    >>> in_html("<i> @team #7")
    '&lt;i&gt; @<!-- -->team #<!-- -->7'
    """
    escaped = escape(" ".join(text.split()), quote=False)
    return _ACTIVE.sub(lambda found: found[0] + _BREAK, _ISSUE.sub(f"#{_BREAK}", escaped))


def code(text: str, *, cell: bool = False) -> str:
    """Show text as code, with a fence longer than any in it; in a table cell, pipes are escaped.

    >>> code("a`b")
    '`` a`b ``'
    """
    text = " ".join(text.splitlines())
    if not text:
        return ""
    if not text.strip():
        # Nobody sees a name that is only spaces.
        text = f'"{text}"'
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    room = " " if longest else ""
    fence = "`" * (longest + 1)
    shown = f"{fence}{room}{text}{room}{fence}"
    return shown.replace("|", "\\|") if cell else shown


def fenced(lines: Iterable[str], language: str = "") -> str:
    """Show lines as a block of code, with a fence longer than any in them.

    >>> print(fenced(["- ```"], "diff"))
    ````diff
    - ```
    ````
    """
    text = "\n".join(" ".join(line.splitlines()) for line in lines)
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def link(words: str, url: str) -> str:
    """Write a link, where the address is one of the web; nothing where it is not.

    >>> link("Report", "https://ci.example.org/a b)"), link("Report", "javascript:x")
    ('[Report](<https://ci.example.org/a%20b)>)', '')
    """
    if not url.lower().startswith(WEB) or not url.isprintable():
        return ""
    return f"[{words}](<{quote(url, safe=_IN_ADDRESS)}>)"


@dataclass(frozen=True, slots=True)
class Escapes:
    """Text and code in Markdown, cut where a layout has bounds."""

    line: int | None = None
    """How many characters a text may have."""
    name: int | None = None
    """How many a name may have."""

    def text(self, text: str) -> str:
        """Escape a text."""
        return plain(printable(text, self.line))

    def title(self, text: str) -> str:
        """Escape a name."""
        return plain(printable(text, self.name))

    def html(self, text: str) -> str:
        """Escape a name that stands between tags."""
        return in_html(printable(text, self.name))

    def code(self, text: str, *, cell: bool = False) -> str:
        """Show a name as code."""
        return code(printable(text, self.name), cell=cell)


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


def without_commands(text: str) -> str:
    """Put a space into whatever GitHub would obey as a workflow command, so that it is shown as it is.

    >>> without_commands("::error::x, a::b, ##[group]")
    ': :error::x, a::b, ## [group]'
    """
    return _COMMAND.sub(r"\g<0> ", text) if "::" in text or "##[" in text else text


Level = Literal["error", "warning", "notice"]


def command(level: Level, message: str, **properties: str | int | None) -> str:
    """Write one command; properties that are None are left out.

    >>> command("error", "100% sure", file="a,b.yaml", line=3, col=None)
    '::error file=a%2Cb.yaml,line=3::100%25 sure'
    """
    given = ",".join(
        f"{name}={_property(printable(str(value)))}"
        for name, value in properties.items()
        if value is not None
    )
    return f"::{level}{' ' if given else ''}{given}::{_data(message)}"


def _data(text: str) -> str:
    r"""Escape what a command would end at; lines stay, and nothing else that steers.

    >>> _data("100%\nsure")
    '100%25%0Asure'
    """
    lines = "\n".join(printable(line) for line in text.split("\n"))
    return lines.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Escape what a property would end at.

    >>> _property("a,b:c")
    'a%2Cb%3Ac'
    """
    return _data(text).replace(":", "%3A").replace(",", "%2C")
