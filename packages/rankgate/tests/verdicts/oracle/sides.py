"""Two sides of a comparison: the answers of today, asked once or more, and those of a baseline."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from verdicts.oracle.scorer import Seen, terms, value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verdicts.state import Answer, Baseline, Case, Documents

UNLABELLED = ("latency", "zero", "abstention_p", "abstention_r")
"""What is worked out without any labels."""
LIMIT_MS = 2000.0
"""After how long a system of a state is too late."""


@dataclass(frozen=True)
class Answers:
    """What a verdict is about."""

    by_case: Mapping[str, Answer]
    k: int
    repeats: tuple[Mapping[str, Answer], ...] = ()
    times: tuple[Mapping[str, float], ...] = ()
    """How long each took, time by time. Where nobody says, what is late took too long, the rest nothing."""
    probes: Mapping[str, Answer] = field(default_factory=dict)
    """What was answered to scenarios and invariants, by their names."""

    def every(self, case: str) -> list[Answer]:
        """Return what a case was answered each time that it was asked."""
        return [one[case] for one in (self.by_case, *self.repeats)]

    def took(self, case: str) -> list[float | None]:
        """Return how long a case took each time; None where that is not known."""
        given = self.every(case)
        usual = {"error": None, "missing": None, "late": LIMIT_MS}
        times = [usual.get(one, 0.0) if isinstance(one, str) else 0.0 for one in given]
        for at, one in enumerate(self.times):
            times[at] = None if given[at] in ("error", "missing") else one.get(case)
        return times

    def fails(self, case: str) -> bool:
        """Return whether a case was without an answer at any time."""
        return any(one in ("error", "late") for one in self.every(case))

    @property
    def failed(self) -> int:
        """How many cases and probes were without an answer at any time."""
        probes = sum(one in ("error", "late") for one in self.probes.values())
        return sum(map(self.fails, self.by_case)) + probes


class Side:
    """What every case was answered on one side, and what it is worth."""

    def __init__(
        self,
        cases: Sequence[Case],
        answers: Answers,
        *,
        gated: bool,
        documents: Documents | None = None,
    ) -> None:
        self._documents = documents
        self.cases = {case.name: case for case in cases if case.name in answers.by_case}
        self.answers, self.gated = answers, gated
        every = [one for case in cases for one in case.targets]
        self.told = any(one.grade <= 0 and (one.reviewed or not gated) for one in every)
        self._seen: dict[str, list[Seen]] = {}
        self._values: dict[tuple[str, str], float | None] = {}

    @classmethod
    def kept(
        cls,
        cases: Sequence[Case],
        baseline: Baseline,
        k: int,
        *,
        gated: bool,
        documents: Documents | None = None,
    ) -> Side:
        """Look at a baseline, no deeper than is asked for today."""
        names = {question: name for name, (question, _) in baseline.answers.items()}
        shared = [case for case in cases if case.question in names]
        times: list[dict[str, Answer]] = [{} for _ in (None, *baseline.repeats)]
        for case in shared:
            for one, answer in zip(times, baseline.every(names[case.question]), strict=True):
                one[case.name] = answer if isinstance(answer, str) else answer[:k]
        first, *again = times
        answers = Answers(first, k, tuple(again), tuple({} for _ in times))
        return cls(cases, answers, gated=gated, documents=documents)

    def gone(self, case: Case) -> bool:
        """Return whether a case has relevant targets, of those that count here, and none is left."""
        counted = [one for one in case.targets if one.grade > 0 and (one.reviewed or not self.gated)]
        documents = self._documents
        return (
            documents is not None and bool(counted) and not any(documents.has(one.place) for one in counted)
        )

    def seen(self, name: str) -> list[Seen]:
        """Return each answer to a case."""
        if name not in self._seen:
            case, given = self.cases[name], self.answers.every(name)
            self._seen[name] = [
                Seen.of(case, one, gated=self.gated, ms=ms, told=self.told)
                for one, ms in zip(given, self.answers.took(name), strict=True)
            ]
        return self._seen[name]

    def value(self, metric: str, name: str) -> float | None:
        """Score a case by its mean over all times that have a value; None where none has."""
        if self.gone(self.cases[name]) and any(one.name not in UNLABELLED for one in terms(metric)):
            return None
        if (metric, name) not in self._values:
            found = [one for seen in self.seen(name) if (one := value(metric, seen)) is not None]
            self._values[metric, name] = math.fsum(found) / len(found) if found else None
        return self._values[metric, name]

    def rank(self, name: str) -> int | None:
        """Return the smallest rank at which half of the times find something relevant."""
        ranks = sorted(rank for one in self.seen(name) if (rank := one.first_rank()) is not None)
        times = len(self.seen(name))
        return next((rank for at, rank in enumerate(ranks, 1) if 2 * at >= times), None)
