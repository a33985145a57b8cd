"""Which hits of a batch of queries reach which targets, as arrays that metrics read.

Queries are numbered 0, 1, 2, … within a batch. Alternatives of one ``any_of`` group form one *unit*;
every other target is a unit of its own. Pairs are sorted by query, rank and unit.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from rankgate.errors import Code, InputError

if TYPE_CHECKING:
    from collections.abc import Callable

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Units:
    """What could be found: one row a unit, sorted by query."""

    query: Ints
    """Which query it belongs to."""
    grade: Floats
    """Its largest grade."""
    lowest: Floats
    """Its smallest grade; another only where the alternatives of a group differ."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """What was found: one row for each unit that a hit reaches, sorted by query, rank and unit.

    A hit that reaches one through a place that was returned before, and through another, has a row for both.
    """

    query: Ints
    rank: Ints
    """The hit's rank, from 1."""
    unit: Ints
    """The unit's row in `Units`."""
    grade: Floats
    """The grade of the target that the hit reached; within a group, the best it reached."""
    repeat: Bools
    """True where the same location was returned before: it keeps its rank and gains nothing."""

    def __len__(self) -> int:
        return len(self.query)

    def new_hit(self) -> Bools:
        """Mark the first row of each hit."""
        new = np.ones(len(self), dtype=bool)
        new[1:] = (self.query[1:] != self.query[:-1]) | (self.rank[1:] != self.rank[:-1])
        return new

    def take(self, rows: Bools | Ints) -> Pairs:
        """Keep some rows, in their order."""
        if rows.dtype == np.bool_ and rows.all():
            return self
        return Pairs(
            self.query[rows],
            self.rank[rows],
            self.unit[rows],
            self.grade[rows],
            self.repeat[rows],
        )


@dataclass(frozen=True, slots=True)
class HitTokens:
    """What each hit costs to read, sorted by query and rank."""

    query: Ints
    rank: Ints
    total: Ints
    """Tokens of this hit and of all above it."""


@dataclass(frozen=True, slots=True)
class HitFiles:
    """Which file each hit is in, sorted by query and rank."""

    query: Ints
    rank: Ints
    file: Ints
    """The number of its file within the query; of its id, where it is in none."""


@dataclass(frozen=True, slots=True)
class Spans:
    """Line ranges; `file` numbers a path within a query."""

    query: Ints
    rank: Ints
    """The hit's rank; 0 for a target."""
    file: Ints
    start: Ints
    end: Ints


@dataclass(frozen=True, slots=True)
class QueryEnds:
    """How each query ended, and whether it should have found anything."""

    given: Bools
    """Where the system answered, with hits or without."""
    failed: Bools
    """Where it did not: an error or a time-out. What is in neither is missing from the run."""
    expect_empty: Bools
    """Where the right answer is no hit at all."""
    empty: Bools
    """Where no hit came back, those counted that are left out of the ranking."""


@dataclass(frozen=True, slots=True)
class Matches:
    """A batch of queries with everything that a metric may ask about it."""

    size: int
    """How many queries."""
    units: Units
    """What could be found."""
    pairs: Pairs
    """What was found."""
    returned: Ints
    """How many hits each query returned."""
    exhaustive: Bools
    """Where the targets are all that is relevant."""
    max_grade: float | None = None
    """The top of the declared grade scale."""
    lowest: float = np.inf
    """The lowest grade of the whole suite, whichever of its queries are in the batch."""
    trec: bool = False
    """True to compute on where trec_eval would, instead of leaving a query undefined."""
    answers: QueryEnds | None = None
    """How each query ended, where a metric needs it."""
    latency: Floats | None = None
    """Milliseconds, NaN where none was measured."""
    tokens: HitTokens | None = None
    """Token counts of every hit, where a metric needs them."""
    target_spans: Spans | None = None
    """Lines of the relevant targets, where a metric needs them."""
    hit_spans: Spans | None = None
    """Lines of every hit, where a metric needs them."""
    unspanned: Bools | None = None
    """Queries where a relevant target has no lines."""
    hit_files: HitFiles | None = None
    """The file of every hit, where a metric needs it."""
    memo: dict[object, object] = field(default_factory=dict, compare=False, repr=False)
    """What `once` keeps."""

    def per_query(self, rows: Ints, weights: Floats | None = None) -> Floats:
        """Count rows by query, or add up their weights in row order."""
        return np.bincount(rows, weights=weights, minlength=self.size).astype(np.float64)

    def relevant_units(self, rel: float | None) -> Floats:
        """Count the units of each query that are relevant at `rel`."""

        def count() -> Floats:
            return self.per_query(self.units.query[is_relevant(self.units.grade, rel)])

        return self.once(("relevant", rel), count)

    def once(self, key: object, work_out: Callable[[], Found]) -> Found:
        """Work something out for the first metric that asks, and keep it for the others."""
        if key not in self.memo:
            self.memo[key] = work_out()
        return cast("Found", self.memo[key])

    def knows_irrelevant(self, rel: float | None) -> Bools:
        """Return where unjudged and irrelevant differ: in every query of a suite that judges any irrelevant.

        Where a suite does not, what it does not list is known to be irrelevant only in exhaustive cases.
        """
        return self.exhaustive | self.suite_judges_irrelevant(rel)

    def suite_judges_irrelevant(self, rel: float | None) -> bool:
        """Check whether the suite judges anything irrelevant, in whichever of its queries."""
        return self.trec or not bool(is_relevant(np.array([self.lowest]), rel).all())

    def reached(self, rel: float | None) -> Pairs:
        """Return, for each relevant unit that was reached, the first pair that reaches it."""

        def first() -> Pairs:
            relevant = self.pairs.take(is_relevant(self.pairs.grade, rel))
            return relevant.take(first_of(relevant.unit, len(self.units.query)))

        return self.once(("reached", rel), first)

    def depth(self, cut: Cut | None) -> Ints:
        """Return the last rank that counts in each query."""
        if cut is None:
            return self.returned
        if not cut.tokens:
            return np.full(self.size, cut.size, dtype=np.int64)
        if self.tokens is None:
            raise InputError(
                Code.METRIC_NEEDS(f"@{cut}", "a run without token counts", "tokens on every hit")
            )
        fits = self.tokens.total <= cut.size
        return self.per_query(self.tokens.query[fits]).astype(np.int64)

    def cut_short(self, cut: Cut, depth: int | None) -> int:
        """Count the queries that have room left in a budget of tokens after all the hits asked for."""
        if depth is None or self.tokens is None:
            return 0
        return int(((self.returned >= depth) & (self.depth(cut) >= self.returned)).sum())

    def within(self, pairs: Pairs, cut: Cut | None) -> Pairs:
        """Keep the pairs above the cut."""
        if cut is None:
            return pairs
        return pairs.take(pairs.rank <= (self.depth(cut)[pairs.query] if cut.tokens else cut.size))

    def files_within(self, cut: Cut | None) -> HitFiles:
        """Return the files of the hits above the cut.

        Raises:
            InputError: where no metric that is scored needs files.
        """
        found = self.hit_files
        if found is None:
            raise InputError(Code.METRIC_NEEDS("files", "hits without their files", 'needs = {"files"}'))
        above = found.rank <= self.depth(cut)[found.query]
        return HitFiles(found.query[above], found.rank[above], found.file[above])

    def condensed(self) -> Matches:
        """Take unjudged hits out of the rankings, but for exhaustive queries, where none is unjudged."""
        pairs = self.pairs
        new_hit = pairs.new_hit()
        rank = position_in_query(pairs.query, self.size, new_hit)
        rank = np.where(self.exhaustive[pairs.query], pairs.rank, rank)
        judged = self.per_query(pairs.query[new_hit]).astype(np.int64)
        returned = np.where(self.exhaustive, self.returned, judged)
        return replace(self, pairs=replace(pairs, rank=rank), returned=returned, memo={})


@dataclass(frozen=True, slots=True)
class Cut:
    """Where a ranking is cut: after `size` hits, or where reading would cost more than `size` tokens."""

    size: int
    tokens: bool = False

    def __str__(self) -> str:
        return f"{self.size}tokens" if self.tokens else str(self.size)


@dataclass(frozen=True, slots=True)
class Column:
    """A value a query, and where there is none."""

    values: Floats
    defined: Bools


def is_relevant(grade: Floats, rel: float | None) -> Bools:
    """Return which grades are relevant: at least `rel`, or more than 0 where none is given."""
    return grade > 0 if rel is None else grade >= rel


def first_of(key: Ints, keys: int) -> Bools:
    """Mark the first row of each key."""
    rows = np.arange(len(key))
    first = np.empty(keys, dtype=np.int64)
    # Of repeated indices the last assignment stays, so writing backwards leaves the first row.
    first[key[::-1]] = rows[::-1]
    is_first: Bools = first[key] == rows
    return is_first


def position_in_query(query: Ints, size: int, counts: Bools | None = None) -> Ints:
    """Number the rows of each query 1, 2, 3, …; with `counts`, only the rows marked there advance."""
    step = np.ones(len(query), dtype=np.int64) if counts is None else counts.astype(np.int64)
    running = np.cumsum(step)
    before = np.zeros(size + 1, dtype=np.int64)
    np.cumsum(np.bincount(query, weights=step, minlength=size).astype(np.int64), out=before[1:])
    position: Ints = running - before[query]
    return position


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Divide, with 0 where the denominator is 0."""
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)
