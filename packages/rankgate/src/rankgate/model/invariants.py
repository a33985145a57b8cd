"""Relations between answers that hold whatever the right answer is."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rankgate.model.locations import Location
    from rankgate.model.search import Query


class Relation(StrEnum):
    """What must hold."""

    SAME_RESULTS = "same-results"
    """Every query has the same hits."""
    RANKS_ABOVE = "ranks-above"
    """One location is found, and before another."""
    FILTER_ONLY = "filter-only"
    """With filters there are hits, and all of them lie where they may."""
    SINGLE_TERM_NO_BONUS = "single-term-no-bonus"
    """A word scores no more alone than beside a word that stands nowhere."""
    MONOTONE = "monotone"
    """Asking for more hits changes none of the first."""
    STABLE = "stable"
    """The same query has the same answer every time."""
    EMPTY = "empty"
    """There are no hits."""


@dataclass(frozen=True, slots=True)
class Invariant:
    """One relation between the answers to some queries."""

    name: str
    """Unique in its suite."""
    relation: Relation
    """What must hold."""
    queries: tuple[Query, ...]
    """What is asked, in this order; the relation says what each is for."""
    above: Location | None = None
    """For ranks-above: what must be found first."""
    below: Location | None = None
    """For ranks-above: what must come after it, or not at all."""
    only: tuple[str, ...] = ()
    """For filter-only: the paths, as globs, that hits may have."""
    by: Literal["place", "document"] = "place"
    """What makes two hits the same: the location, or the document alone."""
    order: bool = True
    """For same-results: False where the hits may stand in another order."""
    where: str = field(default="", compare=False)
    """The file, line and column it was written at."""
