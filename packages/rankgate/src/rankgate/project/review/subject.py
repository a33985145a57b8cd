"""What a review looks at, and what it proposes: a suite beside the answers of a system; changes, remarks."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from rankgate.runs.store.hits import read_hits
from rankgate.truth.anchors import Anchors
from rankgate.truth.locations.corpus_reader import CorpusReader
from rankgate.truth.locations.lookup import Spot

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from datetime import date

    from rankgate.corpora.corpus import Corpus
    from rankgate.gates.scored import Scored
    from rankgate.model.locations import Location
    from rankgate.model.suite import Suite
    from rankgate.runs.store.hits import HitRow
    from rankgate.suites.editing.edits import Edit


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What a system answered to a suite, and what was made of it."""

    system: str
    """What people call the system."""
    scored: Scored
    """The answers, what should have been found, and what they are worth."""
    short: Mapping[str, tuple[str, ...]]
    """The cases that fell short, each with its reasons."""


@dataclass
class ReviewSubject:
    """A suite under review."""

    suite: Suite
    corpus: Corpus | None
    """What its locations are in."""
    answers: Answers | None
    """What a system answered; None where locations must be repaired before it can be tested."""
    today: date
    """The day on which known misses are judged."""
    anchors: Anchors = field(default_factory=Anchors)
    """What was anchored."""
    tell: Callable[[str], None] = lambda _: None
    """Told in words what is under way."""

    @cached_property
    def reader(self) -> CorpusReader:
        """What finds locations and their texts."""
        return CorpusReader(self.corpus)

    def spot_key(self, location: Location) -> tuple[object, ...] | None:
        """Return what two locations share that are one, however written; None for one that is not found."""
        spot = self.reader.find(location)
        return (spot.id, spot.path, spot.start, spot.end) if isinstance(spot, Spot) else None

    def hits(self, cases: Collection[str], most: int) -> dict[str, list[HitRow]]:
        """Return the first hits of some cases."""
        if self.answers is None:
            return {case: [] for case in cases}
        found = read_hits(self.answers.scored.run, cases, most)
        return {case: found.get(case, []) for case in cases}


class Category(StrEnum):
    """What kind of change it is, which is how changes are accepted."""

    CREATE = "create"
    """Targets proposed by the engine for cases that have none; unreviewed, so that no gate counts them."""
    FIX = "fix"
    """What is wrong by the corpus, or too lenient by the run; never what the engine would have liked."""
    TRIM = "trim"
    """What says the same twice, or points at nothing."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change that a person may accept."""

    category: Category
    """How it is accepted."""
    case: str
    """The case it was found in."""
    what: str
    """What changes, in words."""
    why: str
    """The reason, in words."""
    edit: Edit
    """How the file changes."""
    sources: tuple[Location, ...] = ()
    """The locations whose text shows whether it is right."""


@dataclass(frozen=True, slots=True)
class ReviewRemark:
    """Something that wants a person and for which nothing is proposed."""

    case: str
    what: str
    """What there is to see, and why nothing is proposed."""

    @classmethod
    def unproposed(cls, case: str, found: str, advice: str) -> ReviewRemark:
        """Write what was found, and what a person can do about it."""
        return cls(case, f"{found}. Nothing is proposed: {advice}")
