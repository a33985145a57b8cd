"""The words of a query beside those of a target: shared, in another form, or one letter wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rankgate.model.wording import one_slip, shortened
from rankgate.truth.words import STOPWORDS, Stems, name_words, plain, split

if TYPE_CHECKING:
    from collections.abc import Iterable

_SHORTEST = 4
_MOST_WORDS = 12


@dataclass(frozen=True, slots=True)
class WordComparison:
    """How the words of a query compare with those of one target."""

    query: str
    """What was asked."""
    words: tuple[str, ...] = ()
    """Its words, in lower case, each once."""
    standing: frozenset[str] = frozenset()
    """Those that stand in the target as they are."""
    forms: dict[str, str] = field(default_factory=dict)
    """Words of the query that do not stand there, and the form of each that does."""
    slips: dict[str, str] = field(default_factory=dict)
    """Words of the query that stand there with one letter otherwise."""
    shared: bool = True
    """False where no telling word of the query stands in the target, in any form; True where that is open."""

    def with_words(self, others: dict[str, str]) -> str:
        """Return the query with some words in place of others.

        >>> WordComparison("Rotating keys").with_words({"rotating": "rotate"})
        'rotate keys'
        """

        def other(found: re.Match[str]) -> str:
            return others.get(plain(found[0]), found[0])

        return re.sub(r"[^\W_]+", other, self.query)


def compare_words(query: str, target: str, stems: Stems) -> WordComparison:
    """Compare the words of a query with a target: its text, and its path or id.

    >>> found = compare_words("rotating kyes", "Rotate the keys once a day.", Stems())
    >>> found.forms, found.slips
    ({'rotating': 'rotate'}, {'kyes': 'keys'})
    """
    words = tuple(dict.fromkeys(split(plain(query))))
    text = plain(target)
    there = {*split(text), *name_words(target)}
    standing = frozenset(word for word in words if word in there)
    absent = [word for word in words[:_MOST_WORDS] if word not in there and word not in STOPWORDS]
    by_stem: dict[str, str] = {}
    for word in sorted(there, key=lambda one: (len(one), one)):
        by_stem.setdefault(stems(word), word)
    forms = {word: by_stem[stems(word)] for word in absent if stems(word) in by_stem}
    spelling = Spelling(there)
    slips = {
        word: near
        for word in absent
        if word not in forms and word.isalpha() and (near := spelling.correction(word)) is not None
    }
    telling = [word for word in words if word not in STOPWORDS]
    # Of scripts that part no words, and of words inside longer ones, nothing is claimed.
    known = bool(telling) and query.isascii()
    shared = not known or any(stems(word)[:_SHORTEST] in text for word in telling)
    return WordComparison(query, words, standing, forms, slips, shared)


class Spelling:
    """Known words, found again from a word with one letter wrong, missing, added, or two swapped."""

    def __init__(self, known: Iterable[str]) -> None:
        self._near: dict[str, list[str]] = {}
        for word in known:
            if len(word) >= _SHORTEST:
                for key in shortened(word):
                    self._near.setdefault(key, []).append(word)

    def correction(self, word: str) -> str | None:
        """Return the known word that was meant; None for a short word, or where none is near.

        >>> Spelling(["create", "issue"]).correction("crete")
        'create'
        """
        if len(word) < _SHORTEST:
            return None
        candidates = {near for key in shortened(word) for near in self._near.get(key, ())}
        return min((near for near in candidates if _misspelt(word, near)), default=None)


def _misspelt(word: str, near: str) -> bool:
    """Return whether a word is a slip of another; one with another letter at its end is another word.

    >>> _misspelt("crete", "create"), _misspelt("createe", "create")
    (True, True)
    >>> _misspelt("party", "part"), _misspelt("key", "keys")
    (False, False)
    """
    doubled = word == near + near[-1:]
    return one_slip(word, near) and (doubled or not (near.startswith(word) or word.startswith(near)))
