"""What a suite asks beside its cases: scenarios, which walk through documents, and invariants.

A scenario is a search, then the tree of a document, then the text of a node or of all below it. An invariant
is a relation between answers that holds whatever the right answer is. What they ask is kept apart from the
answers to the cases, under names of its own, and never scored.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.model.locations import Location
    from rankgate.model.search import Query


class Action(StrEnum):
    """What a step does."""

    SEARCH = "search"
    """Asks a query."""
    TREE = "tree"
    """Lists the nodes of a document."""
    READ = "read"
    """Reads one node."""
    SUBTREE = "subtree"
    """Reads a node and all below it."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a scenario, and what it must show."""

    action: Action
    """What it does."""
    query: str = ""
    """What is searched for."""
    filters: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    """Facets to search with."""
    k: int = 10
    """How many hits of a search count."""
    at: Location | None = None
    """The document of a tree, the location of what is read; None for a search."""
    finds: tuple[Location, ...] = ()
    """Reachability: what must be among the hits of a search."""
    has: tuple[str, ...] = ()
    """Reachability: titles that a tree must have."""
    under: tuple[tuple[str, str], ...] = ()
    """Hierarchy: a title, and the title of the node that must be its parent."""
    contains: tuple[str, ...] = ()
    """What the text must hold; runs of white space count as one."""
    excludes: tuple[str, ...] = ()
    """What the text must not hold."""
    complete: bool = False
    """True where the text must hold the title of everything that the corpus has below the location."""
    where: str = field(default="", compare=False)
    """The file, line and column it was written at."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """Steps that somebody who looks for something would take, in order."""

    name: str
    """Unique in its suite."""
    steps: tuple[Step, ...]
    """What is done, and what it must show."""
    where: str = field(default="", compare=False)
    """The file, line and column it was written at."""


@dataclass(frozen=True, slots=True)
class Waypoint:
    """The location of a step, found in the corpus: what a node of a tree is recognised by."""

    path: str
    """The file."""
    start: int | None = None
    """Its first line; None for a whole file, and for a name where there is no corpus to look in."""
    end: int | None = None
    """Its last line."""
    titles: tuple[str, ...] = ()
    """The titles, or the parts of a symbol's name, from the outermost to the one meant; empty for a file."""
    below: tuple[str, ...] = ()
    """The titles of all that the corpus has below it, in order."""


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


def step_id(scenario: str, step: int) -> str:
    """Name the search of one step, counted from 0.

    >>> step_id("rotate a key", 0)
    'scenario:rotate a key:0'
    """
    return f"scenario:{scenario}:{step}"


def query_id(invariant: str, query: int) -> str:
    """Name one query of an invariant, counted from 0.

    >>> query_id("plural", 1)
    'invariant:plural:1'
    """
    return f"invariant:{invariant}:{query}"
