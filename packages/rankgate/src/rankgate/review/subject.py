"""What a review looks at: a suite, its corpus and its anchors, and what a system answered."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from rankgate.runs.store.hits import read_hits
from rankgate.truth.anchors import Anchors
from rankgate.truth.locations.corpus_reader import CorpusReader

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from datetime import date

    from rankgate.corpora.corpus import Corpus
    from rankgate.gates.scored import Scored
    from rankgate.model.suite import Suite
    from rankgate.runs.store.hits import HitRow


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
    """The suite."""
    corpus: Corpus | None
    """What its places are in."""
    answers: Answers | None
    """What a system answered; None where places must be repaired before it can be tested."""
    today: date
    """The day on which known misses are judged."""
    anchors: Anchors = field(default_factory=Anchors)
    """What was anchored."""
    tell: Callable[[str], None] = lambda _: None
    """Told in words what is under way."""

    @cached_property
    def reader(self) -> CorpusReader:
        """What finds places and their texts."""
        return CorpusReader(self.corpus)

    def hits(self, cases: Collection[str], most: int) -> dict[str, list[HitRow]]:
        """Return the first hits of some cases."""
        if self.answers is None:
            return {case: [] for case in cases}
        found = read_hits(self.answers.scored.run, cases, most)
        return {case: found.get(case, []) for case in cases}
