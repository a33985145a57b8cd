"""What GitHub, Python-Markdown and docutils make of a title, and of a title that stands there again."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_KEPT = frozenset({"L", "M"})
_KEPT_EXACTLY = frozenset({"Nd", "Nl", "Pc"})
_DOCUTILS_LETTERS = str.maketrans(
    {"ø": "o", "đ": "d", "ħ": "h", "ı": "i", "ł": "l", "ŧ": "t", "ƀ": "b", "ß": "sz", "æ": "ae", "œ": "oe"}
)
"""The letters that have no accent to be taken off; docutils knows some more that are rare."""
_NUMBERED = re.compile(r"(.*)_([0-9]+)")


def python_markdown_slug(title: str) -> str:
    """Make what Python-Markdown's ``toc`` makes, as MkDocs does.

    >>> python_markdown_slug("Café: `a_b` & more")
    'cafe-a_b-more'
    """
    title = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode("ascii")
    words = re.sub(r"[^\w\s-]", "", title).strip().lower()
    return re.sub(r"[-\s]+", "-", words)


def github_slug(title: str) -> str:
    """Make what GitHub makes.

    >>> github_slug("Keys & Logs: a_b"), github_slug("日本語 1.0")
    ('keys--logs-a_b', '日本語-10')
    """
    return "".join(
        "-" if letter in " -" else letter for letter in title.lower() if letter in " -" or _is_word(letter)
    )


def _is_word(letter: str) -> bool:
    category = unicodedata.category(letter)
    return category[0] in _KEPT or category in _KEPT_EXACTLY


def docutils_slug(title: str) -> str:
    """Make what docutils makes.

    >>> docutils_slug("2. Keys_and *logs*, ø"), docutils_slug("日本")
    ('keys-and-logs-o', '')
    """
    words = unicodedata.normalize("NFKD", title.lower().translate(_DOCUTILS_LETTERS))
    words = " ".join(words.encode("ascii", "ignore").decode("ascii").split())
    return re.sub(r"\A[-0-9]+|-+\Z", "", re.sub("[^a-z0-9]+", "-", words))


@dataclass(slots=True)
class UsedIds:
    """The ids that a page has so far, and how each program numbers one that is there already."""

    ids: set[str] = field(default_factory=set)
    """Every id so far."""
    counts: dict[str, int] = field(default_factory=dict)
    """How often a number was given, by what it was given to."""

    def take(self, made: str, number: Callable[[UsedIds, str], str]) -> str:
        """Return the id that an element gets, which is taken from now on."""
        found = number(self, made)
        self.ids.add(found)
        return found

    def underscored(self, made: str) -> str:
        """Number as Python-Markdown: ``steps``, ``steps_1``, ``steps_2``."""
        if made and made not in self.ids:
            return made
        found = _NUMBERED.fullmatch(made)
        base, count = (found[1], int(found[2])) if found else (made, 0)
        count += 1
        while f"{base}_{count}" in self.ids:
            count += 1
        return f"{base}_{count}"

    def hyphened(self, made: str) -> str:
        """Number as GitHub: ``steps``, ``steps-1``, ``steps-2``."""
        found = made
        while found in self.ids:
            self.counts[made] = self.counts.get(made, 0) + 1
            found = f"{made}-{self.counts[made]}"
        return found
