"""The lines between ``---`` at the top of a page: words to filter by, and nothing that can hurt.

Only ``name: value``, ``name: [a, b]``, lists of ``- value`` and folded texts are read. That is what pages
have; a whole YAML parser would bring anchors that unfold to gigabytes, tags, and numbers that are not what
was written. What is not read is counted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PAGES = frozenset({".adoc", ".htm", ".html", ".markdown", ".md", ".mdx", ".rest", ".rst", ".txt"})
_MARK = "---"
_MOST_LINES = 200
_MOST_VALUES = 200
_MOST_TEXT = 20_000
_LONGEST = 500
_PAIR = re.compile(r"([A-Za-z_][\w-]{0,60})\s*:(?:\s+(.*))?")
_ITEM = re.compile(r"\s*-\s+(.*)")
_FOLDED = re.compile(r"[|>][+-]?\d?")
_PARTS = re.compile(r"""\s*(?:"[^"]*"|'[^']*'|[^,]+)""")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a page says about itself."""

    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The values of each name."""
    lines: int = 0
    """How many lines of the file it takes."""
    unread: int = 0
    """How many lines and values of it were left out or cut."""


def has_front_matter(path: str) -> bool:
    """Check whether a file is a page: elsewhere ``---`` is a comment, or begins a document of YAML.

    >>> has_front_matter("keys.md"), has_front_matter("keys.yaml")
    (True, False)
    """
    return PurePosixPath(path).suffix.lower() in _PAGES


def read_front_matter(lines: Sequence[str]) -> FrontMatter:
    """Read the front matter of a page; a page without one has none.

    >>> read_front_matter(["---", "title: Keys", "tags: [auth, 'keys']", "---", "# Keys"]).values
    {'title': ('Keys',), 'tags': ('auth', 'keys')}
    """
    if not lines or lines[0].rstrip() != _MARK:
        return FrontMatter()
    end = next((at for at, line in enumerate(lines[1:_MOST_LINES], 1) if line.rstrip() in (_MARK, "...")), 0)
    if not end:
        return FrontMatter()
    reading = _Reading()
    at = 1
    while at < end:
        at = reading.take(lines[:end], at)
    return FrontMatter(reading.kept(), end + 1, reading.unread)


class _Reading:
    """One pass over the lines."""

    def __init__(self) -> None:
        self._found: dict[str, list[str]] = {}
        self._name = ""
        self.unread = 0

    def take(self, lines: Sequence[str], at: int) -> int:
        """Read what begins at a line, and give where the next begins."""
        line = lines[at].rstrip()
        at += 1
        if pair := _PAIR.fullmatch(line):
            self._name, text = pair[1].lower(), (pair[2] or "").strip()
            more = at
            if _FOLDED.fullmatch(text):
                more = next((one for one in range(at, len(lines)) if lines[one][:1].strip()), len(lines))
                text = " ".join(map(str.strip, lines[at:more])).strip()
                self._found[self._name] = [self._cut(text)] if text else []
                return more
            if text.startswith("[") and not text.endswith("]"):
                more = next((one + 1 for one in range(at, len(lines)) if lines[one].rstrip()[-1:] == "]"), at)
                text = " ".join((text, *map(str.strip, lines[at:more])))
            self._found[self._name] = self._values(text)
            return more
        item = _ITEM.fullmatch(line)
        if self._name and item:
            self._found[self._name] += self._values(item[1])
        elif line and not line.lstrip().startswith("#"):
            self.unread += 1
        return at

    def kept(self) -> dict[str, tuple[str, ...]]:
        """Return what was read, up to what is too much."""
        room, kept = _MOST_TEXT, {}
        for name, values in self._found.items():
            fits = []
            for value in values[:_MOST_VALUES]:
                room -= len(name) + len(value)
                if room >= 0:
                    fits.append(value)
            self.unread += len(values) - len(fits)
            if fits:
                kept[name] = tuple(fits)
        return kept

    def _values(self, text: str) -> list[str]:
        if text.startswith("[") and text.endswith("]"):
            parts = _PARTS.finditer(text, 1, len(text) - 1)
            found = [value for part in islice(parts, _MOST_VALUES) if (value := self._plain(part[0]))]
            self.unread += sum(1 for _ in parts)
            return found
        return [value] if (value := self._plain(text)) else []

    def _plain(self, text: str) -> str:
        text = text.strip()
        if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
            return self._cut(text[1:-1])
        return self._cut(text.partition(" #")[0].strip())

    def _cut(self, text: str) -> str:
        self.unread += len(text) > _LONGEST
        return text[:_LONGEST]
