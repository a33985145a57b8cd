"""The suite that is looked at, with all that several rules need of it worked out once."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from rankgate.model import wording
from rankgate.truth.anchors import compare
from rankgate.truth.lint.finding import place
from rankgate.truth.lint.words import Stems, fold
from rankgate.truth.lookup import Spot
from rankgate.truth.passages import Passages
from rankgate.truth.probe_places import probe_places, step_owner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import date

    from rankgate.corpora.corpus import Corpus
    from rankgate.errors import Problem
    from rankgate.model.places import Location
    from rankgate.model.scenarios import Step
    from rankgate.model.suite import Case, Suite, Target
    from rankgate.truth.anchors import Anchors, Comparison
    from rankgate.truth.lookup import Miss
    from rankgate.truth.probe_places import ProbePlace

QUOTED = 60
"""How many characters of a query are quoted."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One place that a case names."""

    case: Case
    """Whose it is."""
    location: Location
    """The place as it is written."""
    found: Spot | Miss
    """Where it is, or why it is not."""
    target: Target | None
    """The target; None for a place that is only to be among the first hits."""


@dataclass(frozen=True, slots=True)
class Visited:
    """One place that a scenario or an invariant names."""

    place: ProbePlace
    """The place, and what names it."""
    found: Spot | Miss
    """Where it is, or why it is not."""


@dataclass(frozen=True, slots=True)
class Stop:
    """One step of a scenario whose place was found."""

    step: Step
    """The step."""
    at: Location
    """The place as it is written."""
    spot: Spot
    """Where it is."""
    where: str
    """Where the step was written, or what it is."""


@dataclass
class Subject:
    """A suite with its corpus and its anchors."""

    suite: Suite
    """What is looked at."""
    corpus: Corpus | None
    """What its places are in."""
    anchors: Anchors
    """What was anchored; empty where nothing was."""
    min_n: int
    """How many cases a slice needs."""
    today: date
    """The day on which known misses are judged."""
    tell: Callable[[str], None]
    """Told in words what is under way."""
    unread: tuple[Problem, ...] = ()
    """What is wrong with the file of anchors, where it could not be read."""
    idle: tuple[str, ...] = ()
    """The rules that need a corpus, of those that are run."""
    stems: Stems = field(default_factory=Stems)
    """The stems of words, each worked out once."""

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """The cases; a large suite reads them as they are needed, and rules go through them often."""
        return tuple(self.suite.cases)

    @cached_property
    def passages(self) -> Passages:
        """What finds places and their texts."""
        return Passages(self.corpus)

    @cached_property
    def wanted(self) -> tuple[Wanted, ...]:
        """Every place that a case names, in the order of the suite."""
        find = self.passages.find
        wanted: list[Wanted] = []
        for number, case in enumerate(self.cases):
            self.tell(f"looking up the places of {number} of {len(self.cases)} cases")
            wanted += (Wanted(case, each.location, find(each.location), each) for each in case.targets)
            wanted += (Wanted(case, each.location, find(each.location), None) for each in case.top)
        return tuple(wanted)

    @cached_property
    def visited(self) -> tuple[Visited, ...]:
        """Every place that a scenario or an invariant names; without a corpus nothing says where it is."""
        if self.corpus is None:
            return ()
        return tuple(Visited(each, self.passages.find(each.location)) for each in probe_places(self.suite))

    def stops(self) -> Iterator[Stop]:
        """Give the steps that list a tree or read, and whose place is in the corpus."""
        if self.corpus is None:
            return
        for scenario in self.suite.scenarios:
            for number, step in enumerate(scenario.steps):
                spot = None if step.at is None else self.passages.find(step.at)
                if step.at is not None and isinstance(spot, Spot) and spot.path is not None:
                    yield Stop(step, step.at, spot, self.place(step.where, step_owner(scenario, number)))

    def place(self, where: str, owner: str) -> str:
        """Say where something was written, or else what it is."""
        return where or f"{self.where}: {owner}"

    @cached_property
    def folded(self) -> tuple[str, ...]:
        """The query of each case, without regard to case, white space and punctuation."""
        return tuple(fold(case.query) for case in self.cases)

    @cached_property
    def comparison(self) -> Comparison:
        """The suite beside its anchors."""
        return compare(self.suite, self.passages, self.anchors, self.tell)

    def relevant(self) -> Iterator[tuple[str, Wanted, Spot]]:
        """Give the relevant targets that have a text, document by document, so that each is read once."""
        placed = [
            (document, wanted, wanted.found)
            for wanted in self.wanted
            if wanted.target is not None
            and wanted.target.grade > 0
            and isinstance(wanted.found, Spot)
            and (document := self.passages.document(wanted.found)) is not None
        ]
        for number, each in enumerate(sorted(placed, key=lambda each: each[0])):
            self.tell(f"reading the texts of {number} of {len(placed)} targets")
            yield each

    @property
    def where(self) -> str:
        """Name the suite: by its file, or by its name."""
        return self.suite.path or f"suite {self.suite.name}"

    @property
    def command(self) -> str:
        """What names the suite on a command line."""
        return self.suite.path or "SUITE"


def quoted(text: str) -> str:
    """Quote a query, cut where it is long."""
    return wording.quoted(text, QUOTED)


def named(case: Case) -> str:
    """Name another case so that it is found: by its line, where it has one.

    >>> from rankgate.model.suite import Case
    >>> named(Case("rotate", "rotate a key", where="search.yaml:4:5"))
    'case rotate in line 4'
    """
    _, line, _ = place(case.where)
    return f"case {case.id}" + ("" if line is None else f" in line {line}")
