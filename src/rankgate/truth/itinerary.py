"""From the places of scenarios and invariants to what a navigator and a ranking are held to.

Nothing is asked here: what must be found, and what a node of a tree is known by, comes from the suite and the
corpus alone.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.errors import Problem
from rankgate.model.probes import query_id, step_id
from rankgate.model.scenarios import Action, Waypoint
from rankgate.model.suite import Top
from rankgate.truth.branches import branch
from rankgate.truth.probe_places import invariant_owner, step_owner
from rankgate.truth.resolve import resolved_top
from rankgate.truth.seeking import Seeking

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rankgate.corpora.corpus import Corpus
    from rankgate.model.places import Location
    from rankgate.model.scenarios import Scenario, Step
    from rankgate.model.suite import Suite
    from rankgate.truth.resolve import ResolvedTop


@dataclass(frozen=True, slots=True, eq=False)
class Itinerary:
    """The places of scenarios and invariants, found."""

    waypoints: Mapping[tuple[str, int], Waypoint]
    """Where the steps go that list a tree or read, by scenario and number of the step from 0."""
    tops: Mapping[str, tuple[ResolvedTop, ...]]
    """What searches must find, by probe: what a step `finds`; of ranks-above, what is `above` and `below`."""


def plan(suite: Suite, corpus: Corpus | None) -> Itinerary:
    """Find every place that the scenarios and invariants of a suite name.

    Without a corpus, a node is known by its titles, or by the lines that were written, and what a search must
    find by its id.

    Raises:
        InputError: with every place that is not there or not unique, where it was written; where something
            should be complete that has nothing below it; and for two scenarios or invariants of one name.
    """
    planning = _Planning(corpus)
    planning.refuse_twice("scenario", ((each.name, each.where) for each in suite.scenarios))
    planning.refuse_twice("invariant", ((each.name, each.where) for each in suite.invariants))
    waypoints: dict[tuple[str, int], Waypoint] = {}
    tops: dict[str, tuple[ResolvedTop, ...]] = {}
    for scenario in suite.scenarios:
        for number, step in enumerate(scenario.steps):
            owner, where = step_owner(scenario, number), step.where
            if step.finds:
                tops[step_id(scenario.name, number)] = planning.tops(owner, where, step.finds, step.k)
            found = None if step.at is None else planning.waypoint(scenario, number, step, step.at)
            if found is not None:
                waypoints[scenario.name, number] = found
    for each in suite.invariants:
        if each.above is not None and each.below is not None and each.queries:
            pair, k = (each.above, each.below), each.queries[0].k
            tops[query_id(each.name, 0)] = planning.tops(invariant_owner(each), each.where, pair, k)
    planning.seeking.check(suite)
    return Itinerary(waypoints, tops)


class _Planning:
    """Finds places in a corpus, if there is one."""

    def __init__(self, corpus: Corpus | None) -> None:
        self._corpus = corpus
        self.seeking = Seeking(corpus)

    def tops(self, owner: str, where: str, wanted: Iterable[Location], k: int) -> tuple[ResolvedTop, ...]:
        found = [
            resolved_top(Top(location, k), self.seeking.find(owner, where, location)) for location in wanted
        ]
        return tuple(each for each in found if each is not None)

    def waypoint(self, scenario: Scenario, number: int, step: Step, at: Location) -> Waypoint | None:
        if self._corpus is None:
            return _written(at)
        owner = step_owner(scenario, number)
        spot = self.seeking.find(owner, step.where, at)
        if spot is None or spot.path is None:
            return None
        found = branch(self.seeking.lookup, at, spot)
        below = tuple(node.name for node in found.below)
        if step.complete and step.action is Action.SUBTREE and not below:
            said = f"complete: true of '{at}', below which the corpus has nothing"
            fix = "leave it out, and write what the text contains"
            where = step.where or owner
            self.seeking.wrong(Problem(where, said, "a place with sections or symbols below it", fix))
        return Waypoint(spot.path, spot.start, spot.end, found.titles, below)

    def refuse_twice(self, kind: str, named: Iterable[tuple[str, str]]) -> None:
        """Keep names that would be taken for one another; a file of ours is refused before."""
        counts = Counter[str]()
        for name, where in named:
            counts[name] += 1
            if counts[name] == 2:
                problem = Problem(where or f"{kind} {name}", f"{name!r} a second time", "a name of its own")
                self.seeking.wrong(problem)


def _written(at: Location) -> Waypoint:
    """Take a place as it is written, where there is no corpus to look in."""
    titles = at.heading or (() if at.symbol is None else tuple(at.symbol.split(".")))
    start, end = (None, None) if at.lines is None else (at.lines.start, at.lines.end)
    return Waypoint(str(at.path), start, end, titles)
