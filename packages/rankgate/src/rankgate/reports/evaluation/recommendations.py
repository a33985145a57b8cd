"""What to try next, from the patterns in the queries that fell short."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.model.wording import many, one_slip, shortened
from rankgate.reports.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankgate.model import Case
    from rankgate.reports.evaluation.failures import Failure

LOW = 3
"""A first good hit below this rank is found, but low."""
_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Recommendation:
    """One pattern, and what helps against it."""

    finding: str
    """What many queries have in common, with their number."""
    advice: str
    """What to look at."""
    examples: tuple[str, ...]
    """Some of the queries."""
    more: str
    """How many others there are, in words; empty where all are named."""


def recommendations(cases: Sequence[Case], failures: Sequence[Failure]) -> tuple[Recommendation, ...]:
    """Sort failures by what they have in common; each counts once, under what explains it best."""
    named = {printable(case.id): case for case in cases}
    slips = _Slips(cases)
    found: dict[str, list[str]] = {}
    for failure in failures:
        case = named[failure.case]
        ranks = [one.rank for one in failure.expected if one.rank is not None]
        missed = bool(failure.expected) and not ranks
        slip = slips.of(case) if missed or min(ranks, default=0) > LOW else None
        pattern, example = _pattern(failure, case, ranks, slip)
        if pattern is not None:
            found.setdefault(pattern, []).append(example)
    return tuple(_recommendation(pattern, found[pattern]) for pattern in _ADVICE if pattern in found)


_ERRORED = "errored"
_UNWANTED = "returned hits where none are right"
_FILTERED = "asked with filters found nothing right"
_MISSPELT = "may be misspelt"
_MISSED = "found nothing right"
_LOW = f"found the right place below rank {LOW}"
_ADVICE = {
    _ERRORED: "Fix these first: each counts as 0. See what the system said under each query.",
    _UNWANTED: "A minimum score, or requiring more of the words, keeps such queries empty.",
    _FILTERED: "Ask again without the filters: the place may lack the facet.",
    _MISSPELT: "Typo tolerance (fuzzy matching at distance 1) would reach these.",
    _MISSED: "See that the places are indexed; then look at synonyms, stemming and how words are split.",
    _LOW: "They are found and ranked low: look at field weights, titles and exact matches.",
}


def _pattern(
    failure: Failure, case: Case, ranks: Sequence[int], slip: tuple[str, str] | None
) -> tuple[str | None, str]:
    missed = bool(failure.expected) and not ranks
    if failure.errored:
        return _ERRORED, failure.query
    if case.expect_empty:
        return _UNWANTED, failure.query
    if missed and case.filters:
        return _FILTERED, f"{failure.query} ({failure.filters})"
    if slip is not None:
        return _MISSPELT, f"{failure.query} ({slip[0]} → {slip[1]})"
    if missed:
        return _MISSED, failure.query
    if min(ranks, default=0) > LOW:
        return _LOW, f"{failure.query} (rank {min(ranks)})"
    return None, failure.query


def _recommendation(pattern: str, examples: list[str]) -> Recommendation:
    more = len(examples) - _EXAMPLES
    return Recommendation(
        finding=f"{many(len(examples), 'query', 'queries')} {pattern}",
        advice=_ADVICE[pattern],
        examples=tuple(examples[:_EXAMPLES]),
        more=f"and {more} more" if more > 0 else "",
    )


class _Slips:
    """Words of a query that no target and no other query has, but one letter away from one that they have."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self._uses = Counter(word for case in cases for word in words(case.query))
        self._targets = {word for case in cases for location in _locations(case) for word in words(location)}
        self._spelling = Spelling(sorted({*self._uses, *self._targets}))

    def of(self, case: Case) -> tuple[str, str] | None:
        own = words(case.query)
        for word in sorted(own):
            if word in self._targets or self._uses[word] > 1:
                continue
            near = self._spelling.correction(word)
            if near is not None and near not in own:
                return printable(word), printable(near)
        return None


def _locations(case: Case) -> Iterable[str]:
    return (str(target.location) for target in case.targets if target.grade > 0)


_WORD = re.compile(r"[^\W\d_]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SHORTEST = 4


def words(text: str) -> set[str]:
    """Return the words of a query, a path or a name, in lower case.

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
        """Return the known word that was meant; None for a short word, or where none is near.

        >>> Spelling(["create", "issue"]).correction("crete")
        'create'
        """
        if len(word) < _SHORTEST:
            return None
        candidates = {near for key in shortened(word) for near in self._near.get(key, ())}
        return min((near for near in candidates if _misspelt(word, near)), default=None)


def _misspelt(word: str, near: str) -> bool:
    """Return whether a word is a slip of another; a plural is none."""
    return one_slip(word, near) and word + "s" != near and near + "s" != word
