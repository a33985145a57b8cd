"""Workflow commands, which GitHub shows beside the lines of a change; escaped as its own toolkit does."""

from __future__ import annotations

from typing import Literal

from rankgate.reports.printable import printable

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
