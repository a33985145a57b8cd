"""What each error code means, and what to do about it: the facts of docs/errors.md."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from rankgate.errors import Code


@dataclass(frozen=True, slots=True)
class CodeFacts:
    """What is known of one code."""

    group: str
    """What it is about: the heading of its part of the page."""
    means: str
    """What is wrong."""
    do: str
    """The next command or edit."""
    says: str = ""
    """A message of the kind, in which … stands for what differs."""
    see: str = ""
    """A page of the documentation with more; empty where there is none."""
    unstaged: str = ""
    """Why no test stages it through the command line; empty where one does."""


def explanations() -> dict[Code, CodeFacts]:
    """Read what is known of every code, in the order of the page.

    >>> explanations()[Code.TWO_CONFIGURATIONS].do
    'Keep one: move its settings over, and remove the other.'
    """
    groups = tomllib.loads(Path(__file__).with_name("explained.toml").read_text(encoding="utf-8"))
    return {
        Code(code): CodeFacts(group, **facts)
        for group, codes in groups.items()
        for code, facts in codes.items()
    }
