"""Scenarios and invariants, and known misses.

A scenario is a sequence of steps: search, list the tree of a document, read a node or a subtree. An invariant
is a relation between the results of queries that is independent of judgments. The results of both are stored
apart from the results of the cases and are never scored.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from rankgate.model.locations import Location
    from rankgate.model.search import Query


@dataclass(frozen=True, slots=True)
class XFail:
    """A known miss: a case or an invariant that is expected to fail."""

    reason: str
    """Why it fails."""
    until: date | None = None
    """The last day on which it may fail; None for no limit."""

    def active(self, today: date) -> bool:
        """Return True if the known miss has not expired."""
        return self.until is None or today <= self.until


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
    """A relation between the results of queries."""

    SAME_RESULTS = "same-results"
    """All queries return the same results."""
    DIFFERENT_RESULTS = "different-results"
    """No two of the queries return the same results."""
    RANKS_ABOVE = "ranks-above"
    """Every location of one list is found, and ranks before every location of another."""
    FILTER_ONLY = "filter-only"
    """With filters, all results match the allowed paths."""
    SINGLE_TERM_NO_BONUS = "single-term-no-bonus"
    """A word alone scores no higher than the same word beside an unknown word."""
    RARE_TERM = "rare-term"
    """A rare term that is added to a query does not push its first result out of the first results."""
    MONOTONE = "monotone"
    """A larger number of results does not change the first ones."""
    STABLE = "stable"
    """A repeated query returns the same results."""
    EMPTY = "empty"
    """The queries return no results."""


@dataclass(frozen=True, slots=True)
class Invariant:
    """One relation between the results of some queries."""

    name: str
    """Unique in its suite."""
    relation: Relation
    """The relation that must hold."""
    queries: tuple[Query, ...]
    """The queries, in the order that the relation defines."""
    above: tuple[Location, ...] = ()
    """For ranks-above: the locations that must be found."""
    below: tuple[Location, ...] = ()
    """For ranks-above: the locations that must rank after all of `above`, or be absent."""
    only: tuple[str, ...] = ()
    """For filter-only: globs of the allowed paths."""
    by: Literal["place", "document"] = "place"
    """For same-results and different-results: compare locations or documents."""
    order: bool = True
    """For same-results and different-results: False to ignore the order of the results."""
    xfail: XFail | None = None
    """Why it may fail."""
    notes: str = ""
    """For people."""
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
