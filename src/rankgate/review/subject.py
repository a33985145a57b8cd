"""What a review looks at: a suite, its corpus and its anchors, and what a system answered."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import polars as pl

from rankgate.reports.failures import place_text
from rankgate.truth.anchors import Anchors
from rankgate.truth.passages import Passages

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from datetime import date

    from rankgate.corpora.corpus import Corpus
    from rankgate.model.suite import Suite
    from rankgate.runs.tables import Run
    from rankgate.truth.judgments import Judgments


@dataclass(frozen=True, slots=True)
class Found:
    """One hit of the run."""

    id: str | None
    """Its id."""
    path: str | None
    """Its file, where it has a place."""
    start: int | None
    """Its first line."""
    end: int | None
    """Its last line."""

    def __str__(self) -> str:
        return place_text({"id": self.id, "path": self.path, "start": self.start, "end": self.end})


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What a system answered to a suite, and what was made of it."""

    system: str
    """What people call the system."""
    run: Run
    """The answers."""
    judgments: Judgments
    """What should have been found."""
    short: Mapping[str, tuple[str, ...]]
    """The cases that fell short, each with its reasons."""


@dataclass
class Subject:
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
    def passages(self) -> Passages:
        """What finds places and their texts."""
        return Passages(self.corpus)

    def hits(self, cases: Collection[str], most: int) -> dict[str, list[Found]]:
        """Give the first hits of some cases."""
        found: dict[str, list[Found]] = {case: [] for case in cases}
        if self.answers is None or not cases:
            return found
        wanted = pl.col("query").is_in(list(cases)) & (pl.col("rank") <= most)
        columns = ["query", "rank", "id", "path", "start", "end"]
        for shard in self.answers.run.shards():
            for query, _, *about in (
                shard.scan_hits(columns).filter(wanted).collect().sort("rank").iter_rows()
            ):
                found[query].append(Found(*about))
        return found
