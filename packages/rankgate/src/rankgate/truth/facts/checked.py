"""A fact about queries that fell short: what was checked, and its evidence in one sentence.

Advice is made of facts alone. What was not checked, or could be otherwise, is no fact, and nothing is said.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class FactKind(StrEnum):
    """What a fact is about; of two that cost the same, the first here comes first."""

    OUTAGE = "system-error"
    """The system did not answer."""
    NO_HITS = "no-hits"
    """The system answered every query with nothing."""
    TEXT_CHANGED = "text-changed"
    """The judged text is not what it was."""
    MOVED = "target-moved"
    """The target is not where the suite says, and its text is proved to stand elsewhere."""
    GONE = "target-gone"
    """The target is not in the documents."""
    DUPLICATE = "duplicate"
    """The same text at another location is returned above the target."""
    BELOW = "below-the-cut"
    """Found, below what counts."""
    UNWANTED = "not-empty"
    """Hits where none are right."""


@dataclass(frozen=True, slots=True)
class CheckedFact:
    """A fact about one query or more."""

    kind: FactKind
    """What it is about."""
    cases: tuple[str, ...]
    """The cases that it explains, by their ids."""
    evidence: str
    """What was seen, in one sentence; of several cases, for the first."""
    subject: str = ""
    """The page, the filter, the error; facts of one kind and subject are one."""
    details: tuple[str, ...] = ()
    """A few words for each case; none, or as many as there are cases."""


def grouped(facts: Iterable[CheckedFact]) -> tuple[CheckedFact, ...]:
    """Join facts of one kind and subject; the evidence of the first stands for all.

    >>> one = CheckedFact(FactKind.BELOW, ("a",), "rank 12", details=("rank 12",))
    >>> two = CheckedFact(FactKind.BELOW, ("b",), "rank 31", details=("rank 31",))
    >>> grouped([one, two])[0].cases
    ('a', 'b')
    """
    joined: dict[tuple[FactKind, str], CheckedFact] = {}
    for fact in facts:
        key = fact.kind, fact.subject
        known = joined.get(key)
        if known is None:
            joined[key] = fact
            continue
        new = [at for at, case in enumerate(fact.cases) if case not in known.cases]
        joined[key] = replace(
            known,
            cases=(*known.cases, *(fact.cases[at] for at in new)),
            details=(*known.details, *(fact.details[at] for at in new if fact.details)),
        )
    return tuple(joined.values())
