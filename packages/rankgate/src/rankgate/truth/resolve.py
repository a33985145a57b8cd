"""Resolve the locations of a suite: every target becomes an id, a file, or lines of a file.

Everything that a suite names is looked up before an error is raised. A target that the corpus does not have
any more is missing: it stays among the judgments, and no hit can reach it. A name that fits several places,
or that never was a location, is an error. The locations of scenarios and invariants are resolved
without running anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

from rankgate.corpora.corpus import Corpus
from rankgate.errors import Code, InputError, Problem
from rankgate.io.problems import SHOWN
from rankgate.locations import Location
from rankgate.model import (
    Action,
    Case,
    Invariant,
    Scenario,
    Step,
    Suite,
    Target,
    Top,
    Waypoint,
    query_id,
    step_id,
)
from rankgate.outline import needed_extra
from rankgate.suites.asked_suite import is_gating
from rankgate.truth.judgments.checks import GONE
from rankgate.truth.judgments.table import CASES, TARGETS, Judgments, case_row, target_row
from rankgate.truth.labelled import labelled_rows
from rankgate.truth.lookup import Lookup, Miss, MissReason, Spot, is_gone, why_gone
from rankgate.truth.outline_below import outline_below
from rankgate.wording import many


@dataclass(frozen=True, slots=True)
class GoneLocation:
    """A location that a case, a scenario or an invariant names, and that the corpus does not have."""

    owner: str
    """What names it, such as ``case rotate``."""
    where: str
    """The file, line and column it was written at; empty where they are not known."""
    target: str
    """The location as it is written."""
    why: str
    """Why it was not found."""
    likely: str = ""
    """The locations that may be meant, as text; empty if none is similar."""
    counts: bool = True
    """Whether the verdict depends on it. It does not for a target that is judged not relevant."""
    case: str | None = None
    """The id of the case; None for a scenario or an invariant."""

    @property
    def problem(self) -> Problem:
        """The missing location as a problem of the suite."""
        found = f"'{self.target}', which is gone: {self.why}"
        return Code.TARGET_NOT_FOUND(
            self.where or self.owner, found, "a location of today's documents", self.likely
        )

    def __str__(self) -> str:
        at = f" ({self.where})" if self.where else ""
        likely = f"; {self.likely}" if self.likely else ""
        return f"{self.target} of {self.owner}{at}: {self.why}{likely}"


class LocationIndex:
    """Looks up locations, and collects those that are missing or wrong."""

    def __init__(self, corpus: Corpus | None) -> None:
        self.lookup = Lookup(corpus)
        """What finds them."""
        self._corpus = corpus
        # A location that one owner names twice, such as a target that is also a `top`, is reported once.
        self._missed: dict[tuple[str, Location], tuple[str, Miss]] = {}
        self._wrong: list[Problem] = []

    def find(self, owner: str, where: str, location: Location) -> Spot | None:
        """Find one location; None where it is not there, or not only once.

        Args:
            owner: What names it, such as ``case rotate``.
            where: The file, line and column that names it, where they are known.
            location: What to find.
        """
        found = self.lookup.find(location)
        if isinstance(found, Spot):
            return found
        self._missed[owner, location] = (where or owner, found)
        return None

    def tops(self, owner: str, where: str, tops: Iterable[Top]) -> tuple[ResolvedTop, ...]:
        """Find the locations of checks of the first hits, without those that are missing."""
        found = (resolved_top(top, self.find(owner, where, top.location)) for top in tops)
        return tuple(each for each in found if each is not None)

    def wrong(self, problem: Problem) -> None:
        """Add another problem."""
        self._wrong.append(problem)

    def check(self, suite: str) -> None:
        """Raise an error if a location of a suite, named by its file, is wrong. A missing one is none.

        Raises:
            InputError: with every wrong location, where it was written. If outlines need an extra that is
                not installed, the error is only about the extra.
        """
        self._check_extras(suite)
        missed = [
            (where, location, miss)
            for (_, location), (where, miss) in self._missed.items()
            if not self._is_gone(location, miss)
        ]
        # Near misses are slow to find in a large corpus, so only those of reported problems are.
        problems = [
            Code.TARGET_NOT_FOUND(where, *self.lookup.explain(location, miss))
            for where, location, miss in missed[:SHOWN]
        ]
        refuse(suite, [*problems, *self._wrong], len(missed) + len(self._wrong))

    def _check_extras(self, suite: str) -> None:
        """Raise an error if outlines need an extra that is not installed."""
        needed = Counter(
            needed_extra(str(location.path))
            for (_, location), (_, miss) in self._missed.items()
            if miss.why is MissReason.NO_EXTRA
        )
        problems = []
        for (extra, kind), targets in needed.items():
            sentence = f"{suite}: the outline of {kind} files needs an extra ({many(targets, 'target')})"
            fix = f"pip install 'rankgate[{extra}]'"
            found = f"{many(targets, 'target')} in {kind} files"
            problems.append(Code.MISSING_EXTRA(suite, found, f"rankgate[{extra}]", fix, sentence))
        if problems:
            raise InputError(problems)

    def _is_gone(self, location: Location, miss: Miss) -> bool:
        return is_gone(location, miss, self._corpus)

    def gone(self) -> dict[tuple[str, Location], GoneLocation]:
        """Return the missing locations, by owner and location."""
        found: dict[tuple[str, Location], GoneLocation] = {}
        for (owner, location), (where, miss) in self._missed.items():
            if self._is_gone(location, miss):
                # Near misses are slow to find, and few people read the hundredth.
                likely = self.lookup.explain(location, miss, near=len(found) < SHOWN)[2]
                why = why_gone(location, miss, self._corpus)
                written = "" if where == owner else where
                found[owner, location] = GoneLocation(owner, written, str(location), why, likely)
        return found


def refuse(suite: str, problems: Sequence[Problem], count: int) -> None:
    """Raise the first problems of a suite with the number of the others; do nothing if there are none.

    Raises:
        InputError: with the first `SHOWN` of them.
    """
    if not problems:
        return
    shown = list(problems[:SHOWN])
    if more := count - len(shown):
        shown.append(
            Code.TARGET_NOT_FOUND(suite, f"{more} more problems", "none", f"correct the first {SHOWN}")
        )
    raise InputError(shown)


@dataclass(frozen=True, slots=True)
class ResolvedTop:
    """A check of the first hits, with the location of what must be among them."""

    top: Top
    """The check as it was written."""
    id: str | None = None
    """The opaque id; None for a location in a file."""
    path: str | None = None
    """The file; None for an id."""
    start: int | None = None
    """The first line; None for an id or a whole file."""
    end: int | None = None
    """The last line, included."""
    start_char: int | None = None
    """The first character of a quote; None for everything else."""
    end_char: int | None = None
    """Where the quote ends: the first character behind it."""
    copies: tuple[ResolvedTop, ...] = ()
    """The alternatives: other occurrences of a quote, and other targets of an `any_of` group."""


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """The judgments and checks of a suite, with every location resolved."""

    judgments: Judgments
    """The targets and the cases, for scoring."""
    tops: Mapping[str, tuple[ResolvedTop, ...]]
    """The checks of the first hits, by case; cases without one are not in it."""
    counts: Mapping[str, int]
    """The number of targets by strategy: id, path, lines, heading, symbol, quote, gone."""
    gone: tuple[GoneLocation, ...] = ()
    """The locations that the corpus does not have any more."""
    notes: tuple[str, ...] = ()
    """Which labels do not count, in words and with counts."""


def resolve(suite: Suite, corpus: Corpus | None) -> Truth:
    """Find every target and every `top` of a suite.

    Without a corpus, ids, paths and lines are taken as they are written. Alternatives keep their group: they
    count once, whichever is found. A passage in several places is a group of these. What is gone is among the
    targets that should be found and has no location.

    Raises:
        InputError: with every location that is wrong or not unique, where its case was written.
    """
    index = LocationIndex(corpus)
    rows = [row for case in suite.cases for row in _rows(case, index)]
    tops = {
        case.id: (*_target_tops(case, index), *index.tops(_owner(case), case.where, case.top))
        for case in suite.cases
    }
    index.check(suite.path or f"suite {suite.name}")
    labelled = labelled_rows(suite, corpus)
    written = {_place(row) for row in rows}
    judgments = Judgments.of(
        TARGETS.of_rows([*rows, *(row for row in labelled.rows if _place(row) not in written)]),
        CASES.of_rows([case_row(case) for case in suite.cases]),
        where=suite.path or f"suite {suite.name}",
        matching=suite.matching,
        max_grade=suite.max_grade,
        no_relevant=suite.no_relevant,
        suite=suite.fingerprint,
        corpus=None if corpus is None else corpus.fingerprint,
    )
    lost = index.gone()
    return Truth(
        judgments,
        {case: found for case, found in tops.items() if found},
        dict(Counter(str(row["strategy"]) for row in rows)),
        tuple(_of_case(suite, lost)),
        labelled.notes,
    )


def _place(row: Mapping[str, object]) -> tuple[object, ...]:
    """Return what two rows share that speak of one location; the suite's own comes before a label."""
    return tuple(row[name] for name in ("query", "id", "path", "start", "end"))


def _of_case(suite: Suite, gone: Mapping[tuple[str, Location], GoneLocation]) -> Iterator[GoneLocation]:
    """Add to each missing location its case, and whether the verdict depends on it."""
    cases = {_owner(case): case for case in suite.cases}
    for (owner, location), one in gone.items():
        case = cases[owner]
        relevant = {
            target.location for target in case.targets if target.grade > 0 and is_gating(target, suite)
        }
        checked = {top.location for top in case.top}
        yield replace(one, case=case.id, counts=location in relevant | checked)


def _owner(case: Case) -> str:
    return f"case {case.id}"


def _rows(case: Case, index: LocationIndex) -> Iterator[dict[str, object]]:
    """Return the targets of a case as rows: one for each place, or one without a location if missing."""
    found = [(target, index.find(_owner(case), case.where, target.location)) for target in case.targets]
    gone: set[Location] = set()
    for target, spot in found:
        if spot is None:
            # A missing relevant target is still expected. One that is not relevant is left out.
            if target.grade > 0 and target.location not in gone:
                gone.add(target.location)
                yield target_row(case, target, GONE)
            continue
        for each, place in _alternatives(case, target, spot.every):
            yield target_row(case, each, place.strategy, **place.fields())


def _alternatives(case: Case, target: Target, spots: Sequence[Spot]) -> Iterator[tuple[Target, Spot]]:
    """Return a target at each of its places, as alternatives."""
    if len(spots) > 1 and target.group is None:
        taken = {each.group for each in case.targets}
        at = case.targets.index(target) + 1
        target = replace(target, group=next(one for one in _names(f"quote-{at}") if one not in taken))
    yield from ((target, spot) for spot in spots)


def _names(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{number}" for number in count(2))


def resolved_top(top: Top, spot: Spot | None) -> ResolvedTop | None:
    """Put a check of the first hits beside where its location was found; None where it was not."""
    if spot is None:
        return None
    first, *others = (ResolvedTop(top, **each.fields()) for each in spot.every)
    return replace(first, copies=tuple(others))


def _target_tops(case: Case, index: LocationIndex) -> Iterator[ResolvedTop]:
    """Yield a check for each relevant target of a case, and one for each `any_of` group."""
    if case.targets_within is None:
        return
    units: dict[object, list[ResolvedTop]] = {}
    for number, target in enumerate(case.targets):
        spot = index.find(_owner(case), case.where, target.location) if target.grade > 0 else None
        top = resolved_top(Top(target.location, case.targets_within), spot)
        if top is not None:
            unit = units.setdefault(number if target.group is None else target.group, [])
            unit += [top, *top.copies]
    for first, *others in units.values():
        yield replace(first, copies=tuple(others))


# ---- scenarios and invariants


@dataclass(frozen=True, slots=True)
class NamedLocation:
    """One location that a case, a scenario or an invariant names."""

    owner: str
    """What names it, in words."""
    where: str
    """The file, line and column that it was written at; empty where they are not known."""
    location: Location
    """The location as it is written."""
    case: str | None = None
    """The id of the case; None for a scenario or an invariant."""


def named_locations(suite: Suite) -> Iterator[NamedLocation]:
    """Go through every location, cases first, in the order of the suite; an owner names each once."""
    for case in suite.cases:
        for location in dict.fromkeys(case.locations):
            yield NamedLocation(f"case {case.id}", case.where, location, case.id)
    yield from dict.fromkeys(probe_locations(suite))


def probe_locations(suite: Suite) -> Iterator[NamedLocation]:
    """Go through the locations of scenarios and invariants in the order of the suite."""
    for scenario in suite.scenarios:
        for number, step in enumerate(scenario.steps):
            for location in (*step.finds, *(() if step.at is None else (step.at,))):
                yield NamedLocation(step_owner(scenario, number), step.where, location)
    for invariant in suite.invariants:
        for location in (*invariant.above, *invariant.below):
            yield NamedLocation(invariant_owner(invariant), invariant.where, location)


def step_owner(scenario: Scenario, number: int) -> str:
    """Name a step, counted from 0, as people count."""
    return f"scenario {scenario.name}, step {number + 1}"


def invariant_owner(invariant: Invariant) -> str:
    """Name an invariant."""
    return f"invariant {invariant.name}"


@dataclass(frozen=True, slots=True, eq=False)
class ProbePlan:
    """The locations of scenarios and invariants, found."""

    waypoints: Mapping[tuple[str, int], Waypoint]
    """Where the steps go that list a tree or read, by scenario and number of the step from 0."""
    tops: Mapping[str, tuple[ResolvedTop, ...]]
    """The locations to look for, by probe: `finds` of a step; `above`, then `below`, of ranks-above."""
    gone: tuple[GoneLocation, ...] = ()
    """The locations that the corpus does not have any more."""
    gone_scenarios: frozenset[str] = frozenset()
    """The scenarios that name one of these."""
    gone_invariants: frozenset[str] = frozenset()
    """The invariants that name one of these."""


def plan(suite: Suite, corpus: Corpus | None) -> ProbePlan:
    """Find every location that the scenarios and invariants of a suite name.

    Without a corpus, a node is known by its titles, or by the lines that were written, and what a search must
    find by its id.

    Raises:
        InputError: with every location that is wrong or not unique, where it was written; where something
            should be complete that has nothing below it; and for two scenarios or invariants of one name.
    """
    planner = _Planner(corpus)
    planner.refuse_twice("scenario", ((each.name, each.where) for each in suite.scenarios))
    planner.refuse_twice("invariant", ((each.name, each.where) for each in suite.invariants))
    waypoints: dict[tuple[str, int], Waypoint] = {}
    tops: dict[str, tuple[ResolvedTop, ...]] = {}
    for scenario in suite.scenarios:
        for number, step in enumerate(scenario.steps):
            owner, where = step_owner(scenario, number), step.where
            if step.finds:
                finds = [Top(location, step.k) for location in step.finds]
                tops[step_id(scenario.name, number)] = planner.index.tops(owner, where, finds)
            found = None if step.at is None else planner.waypoint(owner, step, step.at)
            if found is not None:
                waypoints[scenario.name, number] = found
    for each in suite.invariants:
        if each.above and each.queries:
            both = [Top(location, each.queries[0].k) for location in (*each.above, *each.below)]
            tops[query_id(each.name, 0)] = planner.index.tops(invariant_owner(each), each.where, both)
    planner.index.check(suite.path or f"suite {suite.name}")
    gone = planner.index.gone()
    owners = {owner for owner, _ in gone}
    scenarios = (
        one.name
        for one in suite.scenarios
        if any(step_owner(one, number) in owners for number in range(len(one.steps)))
    )
    invariants = (one.name for one in suite.invariants if invariant_owner(one) in owners)
    return ProbePlan(waypoints, tops, tuple(gone.values()), frozenset(scenarios), frozenset(invariants))


class _Planner:
    """Finds locations in a corpus, if there is one."""

    def __init__(self, corpus: Corpus | None) -> None:
        self._corpus = corpus
        self.index = LocationIndex(corpus)

    def waypoint(self, owner: str, step: Step, at: Location) -> Waypoint | None:
        if self._corpus is None:
            return _as_written(at)
        spot = self.index.find(owner, step.where, at)
        if spot is None or spot.path is None:
            return None
        found = outline_below(self.index.lookup, at, spot)
        below = tuple(node.name for node in found.below)
        if step.complete and step.action is Action.SUBTREE and not below:
            self.index.wrong(Code.TARGET_NOT_FOUND(step.where or owner, *nothing_below_it(at)))
        return Waypoint(spot.path, spot.start, spot.end, found.titles, below)

    def refuse_twice(self, kind: str, named: Iterable[tuple[str, str]]) -> None:
        """Add a problem for each name that occurs twice. The reader of native suites finds them before."""
        counts = Counter[str]()
        for name, where in named:
            counts[name] += 1
            if counts[name] == 2:
                problem = Code.REPEATED(
                    where or f"{kind} {name}", f"{name!r} a second time", "a name of its own"
                )
                self.index.wrong(problem)


def nothing_below_it(at: Location) -> tuple[str, str, str]:
    """Return found, expected and fix for `complete: true` of a location without content."""
    found = f"complete: true of '{at}', below which the corpus has nothing"
    fix = "leave it out, and write what the text contains"
    return found, "a location with sections or symbols below it", fix


def _as_written(at: Location) -> Waypoint:
    """Return a location as it is written, for a suite without a corpus."""
    titles = at.heading or (() if at.symbol is None else tuple(at.symbol.split(".")))
    start, end = (None, None) if at.lines is None else (at.lines.start, at.lines.end)
    return Waypoint(str(at.path), start, end, titles)
