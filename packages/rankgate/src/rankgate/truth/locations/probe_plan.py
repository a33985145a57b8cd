"""The locations of scenarios and invariants, and what a navigator and a ranking must show of them.

Nothing is asked here: what must be found, and what a node of a tree is known by, comes from the suite and the
corpus alone.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.errors import Code
from rankgate.model import Action, Top, Waypoint, query_id, step_id
from rankgate.truth.locations.outline_below import outline_below
from rankgate.truth.locations.resolve import LocationIndex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rankgate.corpora.corpus import Corpus
    from rankgate.locations import Location
    from rankgate.model import Invariant, Scenario, Step, Suite
    from rankgate.truth.gone import GoneLocation
    from rankgate.truth.locations.resolve import ResolvedTop


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
        """Keep names that would be taken for one another; a file of ours is refused before."""
        counts = Counter[str]()
        for name, where in named:
            counts[name] += 1
            if counts[name] == 2:
                problem = Code.REPEATED(
                    where or f"{kind} {name}", f"{name!r} a second time", "a name of its own"
                )
                self.index.wrong(problem)


def nothing_below_it(at: Location) -> tuple[str, str, str]:
    """Return what was found, what was expected and what to do where nothing could be complete."""
    found = f"complete: true of '{at}', below which the corpus has nothing"
    fix = "leave it out, and write what the text contains"
    return found, "a location with sections or symbols below it", fix


def _as_written(at: Location) -> Waypoint:
    """Take a location as it is written, where there is no corpus to look in."""
    titles = at.heading or (() if at.symbol is None else tuple(at.symbol.split(".")))
    start, end = (None, None) if at.lines is None else (at.lines.start, at.lines.end)
    return Waypoint(str(at.path), start, end, titles)
