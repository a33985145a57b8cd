"""Further questions to a system that was tested: few, after the verdict, and kept by no run.

They change no score and no verdict. At most `RunOptions.follow_ups` are asked, one after the other, for a
minute at most; a system that fails on three of them is left alone.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from rankgate.errors import SystemFailedError
from rankgate.model.search import Navigator, Query
from rankgate.model.suite import Matching
from rankgate.model.systems import asked_of, holds_of
from rankgate.model.verdict import Answer
from rankgate.runs.asking.ask import CaseQuery, ask_again, packed_answers
from rankgate.runs.asking.deadline import RunDeadline
from rankgate.runs.asking.pace import Limiter
from rankgate.runs.store.hits import kept_texts, read_hits
from rankgate.runs.store.tables import MemoryRun
from rankgate.scoring.placements import reaches
from rankgate.truth.judgments.table import TARGETS, Judgments
from rankgate.truth.locations.placing import Placer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.evaluation.settings import RunOptions
    from rankgate.model.search import System
    from rankgate.model.suite import Suite
    from rankgate.runs.asking.ask import AnswerRecord
    from rankgate.runs.store.hits import HitRow

_SECONDS = 60
_FAILURES = 3
_PLACED = ("id", "path", "start", "end", "start_char", "end_char", "grade")


@dataclass(frozen=True, slots=True)
class FollowUp:
    """One further question."""

    key: str
    """What its answer is called."""
    query: Query
    """What is asked."""
    targets: tuple[Mapping[str, Any], ...] = ()
    """The targets whose rank matters, as judgments have them."""


@dataclass(frozen=True, slots=True)
class FollowUpAnswer:
    """What came of a further question."""

    hits: tuple[HitRow, ...] = ()
    """The hits, located."""
    rank: int | None = None
    """The rank of the first hit on a target; None where none is."""
    texts: Mapping[int, str] = field(default_factory=dict)
    """The texts that came with hits, whole, by rank."""


class FollowUps:
    """Asks further questions of one system."""

    def __init__(
        self,
        system: System,
        suite: Suite,
        corpus: Corpus | None,
        asking: RunOptions,
        seconds: float = _SECONDS,
    ) -> None:
        self.left = asking.follow_ups
        """How many may still be asked."""
        self._system, self._retries = system, asking.pace.retries
        self._matching = Matching(by=suite.matching.by)
        self._placer = Placer(corpus, suite.map_rules, asking.locate)
        self._ends = time.monotonic() + seconds
        self._deadline = asking.deadline or (RunDeadline(f"{_SECONDS}s") if asking.pace.deadline else None)
        self._limiter = Limiter(asking.pace.rate, asking.pace.burst, deadline=self._deadline)
        self._failed = 0
        self._documents: frozenset[str] | None = None

    def ask(self, questions: Iterable[FollowUp]) -> dict[str, FollowUpAnswer]:
        """Ask as many of these as may be asked; what was not answered has no answer here."""
        by_key = {one.key: one for one in questions}
        records: list[AnswerRecord] = []
        for one in by_key.values():
            if not self._may_ask():
                break
            record = self._record(one, self._system)
            if record is not None:
                records.append(record)
        return self._answers(by_key, records)

    def _may_ask(self) -> bool:
        return self.left > 0 and self._failed < _FAILURES and time.monotonic() <= self._ends

    def _record(self, one: FollowUp, system: System) -> AnswerRecord | None:
        """Ask one question; None where it was not answered, which is counted."""
        self.left -= 1
        asked = system if self._deadline is None else self._deadline.asking(system)
        record = ask_again(CaseQuery(one.key, one.query), asked, self._limiter, self._retries)
        if record is None or record.status is not Answer.OK:
            self._failed += 1
            return None
        return record

    def _answers(
        self, by_key: Mapping[str, FollowUp], records: Sequence[AnswerRecord]
    ) -> dict[str, FollowUpAnswer]:
        """Locate the hits of answers."""
        if not records:
            return {}
        shard = packed_answers(records, "full", self._placer.place)
        good = shard.queries.filter(pl.col("status") == Answer.OK.value)["query"].to_list()
        run = MemoryRun("follow-ups", (shard,))
        hits, ranks, texts = (
            read_hits(run),
            self._ranks(run, [by_key[key] for key in good]),
            _texts(run, good),
        )
        return {
            key: FollowUpAnswer(tuple(hits.get(key, ())), ranks.get(key), texts.get(key, {})) for key in good
        }

    def _ranks(self, run: MemoryRun, asked: Sequence[FollowUp]) -> dict[str, int]:
        """Return the rank of the first hit on a target of each question; any overlap will do."""
        rows = [(one.key, target) for one in asked for target in one.targets]
        if not rows:
            return {}
        columns = {name: [target[name] for _, target in rows] for name in _PLACED}
        table = TARGETS.of_columns({"query": [key for key, _ in rows], **columns})
        judgments = Judgments.of(table, matching=self._matching)
        found: dict[str, int] = {}
        for query, _, rank in reaches(judgments, run).iter_rows():
            found[query] = min(rank, found.get(query, rank))
        return found

    def holds(self, name: str) -> bool | None:
        """Return whether the system has a document of this path or id; None where it cannot tell."""
        try:
            told = holds_of(self._system, name)
            if told is None and isinstance(self._system, Navigator):
                told = name in self._listed(self._system)
        except SystemFailedError:
            return None
        return told

    def _listed(self, system: Navigator) -> frozenset[str]:
        """Return the documents that a system lists, by their ids and paths."""
        if self._documents is None:
            with asked_of(system, "documents"):
                nodes = system.documents()
            parts = (part for node in nodes for part in (node.id, node.location.path))
            self._documents = frozenset(part for part in parts if part is not None)
        return self._documents


def _texts(run: MemoryRun, keys: Sequence[str]) -> dict[str, dict[int, str]]:
    found: dict[str, dict[int, str]] = {}
    for one in kept_texts(run, keys):
        if one.whole and one.text:
            found.setdefault(one.query, {})[one.rank] = one.text
    return found
