"""Words, stems and names: how rules compare queries with each other and with texts."""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_STOPWORDS = (
    "a about after all also an and any are as at be because been before being between both but by can "
    "could did do does doing done for from get gets had has have having here how i if in into is it "
    "its itself just let like make makes me more most much my no nor not of off on once one only onto "
    "or other our out over own per same she should so some such than that the their them then there "
    "these they this those through to too under until up us use used uses using very via was way we "
    "were what when where whether which while who whose why will with within without would yes yet "
    "you your "
)
STOPWORDS = frozenset(_STOPWORDS.split())
"""English words that say nothing about what is asked."""


_RUNS = re.compile(r"[^\W_]+|(?:[^\w\s]|_)+")
_SYMBOLS = frozenset("#$%&*+<=>@^|~")
_PROSE = ".,;:?()[]{}\"'`…"
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_LONGEST = 40
_LETTERS = re.compile(r"[^\W\d_]+")


def plain(text: str) -> str:
    """Write a text without regard to case and to compatible forms of characters."""
    return (text if text.isascii() else unicodedata.normalize("NFKC", text)).casefold()


def split(text: str) -> list[str]:
    """Split a plain text into words; signs that mean something, as in C++ or !=, are words too.

    >>> split("c++ or c#? see: a_b != x")
    ['c', '++', 'or', 'c', '#', 'see', 'a', 'b', '!=', 'x']
    """
    return [
        run if run[0].isalnum() else run.strip(_PROSE)
        for run in _RUNS.findall(text)
        if run[0].isalnum() or not _SYMBOLS.isdisjoint(run)
    ]


def fold(text: str) -> str:
    """Write a query in the one way in which queries are compared.

    >>> fold("Rotate  an API-key?")
    'rotate an api key'
    """
    return " ".join(split(plain(text))) or text.strip()


def name_words(name: str) -> list[str]:
    """Split a name or a phrase into its words, in lower case; digits and single letters are left out.

    Vowel signs and accents that are characters of their own belong to their word, and a single character of
    a script without capitals may be one.

    >>> name_words("auth/rotateAPIKey_v2.md")
    ['auth', 'rotate', 'api', 'key', 'md']
    >>> name_words("कुंजी बदलें")
    ['कुंजी', 'बदलें']
    """
    if name.isascii():
        return [word.lower() for word in _LETTERS.findall(_CAMEL.sub(" ", name)) if len(word) > 1]
    text = _CAMEL.sub(" ", unicodedata.normalize("NFKC", name))
    kinds = ((letter, unicodedata.category(letter)) for letter in text)
    words = "".join(letter if kind[0] in "LM" else " " for letter, kind in kinds).split()
    return [word.lower() for word in words if len(word) > 1 or unicodedata.category(word) == "Lo"]


class Stems:
    """English stems (Snowball), each worked out once: the stemmer is pure Python and slow."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    @cached_property
    def _stem(self) -> Callable[[str], str]:
        # Most evaluations compare no words, and do not wait for the stemmer.
        from snowballstemmer import stemmer

        found: Callable[[str], str] = stemmer("english").stemWord
        return found

    def __call__(self, word: str) -> str:
        """Return the stem of a word; what has digits or signs is its own.

        >>> Stems()("rotating")
        'rotat'
        """
        known = self._known.get(word)
        if known is None:
            english = len(word) <= _LONGEST and word.isascii() and word.isalpha()
            known = self._known[word] = self._stem(word) if english else word
        return known
