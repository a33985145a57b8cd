"""Words that are one slip of the finger from a word that is known."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rankgate.model.slips import one_slip, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable

_WORD = re.compile(r"[^\W\d_]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SHORTEST = 4


def words(text: str) -> set[str]:
    """Give the words of a query, a path or a name, in lower case.

    >>> sorted(words("auth/rotateKeys.md"))
    ['auth', 'keys', 'md', 'rotate']
    """
    return {word.lower() for word in _WORD.findall(_CAMEL.sub(" ", text))}


class Spelling:
    """Known words, found again from a word with one letter wrong, missing, added, or two swapped."""

    def __init__(self, known: Iterable[str]) -> None:
        self._near: dict[str, list[str]] = {}
        for word in known:
            if len(word) >= _SHORTEST:
                for key in shortened(word):
                    self._near.setdefault(key, []).append(word)

    def correction(self, word: str) -> str | None:
        """Give the known word that was meant; None for a short word, or where none is near.

        >>> Spelling(["create", "issue"]).correction("crete")
        'create'
        """
        if len(word) < _SHORTEST:
            return None
        candidates = {near for key in shortened(word) for near in self._near.get(key, ())}
        return min((near for near in candidates if _misspelt(word, near)), default=None)


def _misspelt(word: str, near: str) -> bool:
    """Tell whether a word is a slip of another; a plural is none."""
    return one_slip(word, near) and word + "s" != near and near + "s" != word
