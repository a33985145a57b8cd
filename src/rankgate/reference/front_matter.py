"""The lines between ``---`` at the top of a page: words to filter by, and nothing that can hurt.

Only ``name: value``, ``name: [a, b]`` and lists of ``- value`` are read. That is what pages have; a whole
YAML parser would bring anchors that unfold to gigabytes, tags, and numbers that are not what was written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MARK = "---"
_MOST_LINES = 200
_MOST_VALUES = 200
_LONGEST = 500
_PAIR = re.compile(r"([A-Za-z_][\w-]{0,60})\s*:(?:\s+(.*))?")
_ITEM = re.compile(r"\s*-\s+(.*)")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a page says about itself."""

    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The values of each name."""
    lines: int = 0
    """How many lines of the file it takes."""


def read_front_matter(lines: Sequence[str]) -> FrontMatter:
    """Read the front matter of a page; a page without one has none.

    >>> read_front_matter(["---", "title: Keys", "tags: [auth, 'keys']", "---", "# Keys"]).values
    {'title': ('Keys',), 'tags': ('auth', 'keys')}
    """
    if not lines or lines[0].rstrip() != _MARK:
        return FrontMatter()
    end = next((at for at, line in enumerate(lines[1:_MOST_LINES], 1) if line.rstrip() in (_MARK, "...")), 0)
    found: dict[str, list[str]] = {}
    name = ""
    for line in lines[1:end]:
        if pair := _PAIR.fullmatch(line.rstrip()):
            name = pair[1].lower()
            found[name] = _values(pair[2] or "")
        elif name and (item := _ITEM.fullmatch(line.rstrip())):
            found[name] += _values(item[1])[:1]
    kept = {name: tuple(values[:_MOST_VALUES]) for name, values in found.items() if values}
    return FrontMatter(kept, end + 1) if end else FrontMatter()


def _values(text: str) -> list[str]:
    text = text.strip()[: _LONGEST * 10]
    if text.startswith("[") and text.endswith("]"):
        return [value for one in text[1:-1].split(",") if (value := _plain(one))]
    return [value] if (value := _plain(text)) else []


def _plain(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1][:_LONGEST]
    return text.partition(" #")[0].strip()[:_LONGEST]
