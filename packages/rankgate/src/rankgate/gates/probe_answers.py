"""The answers to what was asked beside the cases: for scenarios and invariants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.model import Answer
from rankgate.model.tokens import estimated_tokens
from rankgate.model.wording import quoted
from rankgate.runs.store.hits import read_hits

if TYPE_CHECKING:
    from rankgate.runs.store.hits import HitRow
    from rankgate.runs.store.tables import Run

_FAILED = (Answer.ERROR, Answer.TIMEOUT)


@dataclass(frozen=True, slots=True)
class ProbeAnswer:
    """How one probe ended."""

    status: Answer
    """How it ended."""
    error: str | None = None
    """What went wrong."""
    hits: tuple[HitRow, ...] = ()
    """Best first."""
    reported: int | None = None
    """What reading it costs, as the system reports."""

    @property
    def failed(self) -> bool:
        """True where the system did not answer."""
        return self.status in _FAILED

    @property
    def tokens(self) -> int:
        """What reading it costs: as reported, or by the texts, or by the names of the hits."""
        if self.reported is not None:
            return self.reported
        return sum(estimated_tokens(str(hit)) if hit.tokens is None else hit.tokens for hit in self.hits)

    def unanswered(self, query: str) -> str:
        """Return why there was no answer to a query."""
        return f"{quoted(query)}: {no_answer(self.status, self.error)}"


def no_answer(status: str, error: str | None) -> str:
    """Return why the system did not answer.

    >>> no_answer("timeout", None)
    'the system did not answer in time'
    """
    late = " in time" if status == Answer.TIMEOUT else ""
    return f"the system did not answer{late}" + (f" ({' '.join(error.split())})" if error else "")


class ProbeAnswers:
    """Every answer of a run, by the name of the probe."""

    def __init__(self, run: Run | None) -> None:
        self.asked = run is not None
        """False where nothing was asked."""
        self._answers: dict[str, ProbeAnswer] = {}
        hits = {} if run is None else read_hits(run)
        for shard in run.shards() if run is not None else ():
            rows = shard.queries.select("query", "status", "error", "tokens").iter_rows()
            for query, status, error, tokens in rows:
                found = tuple(hits.get(query, ()))
                self._answers[query] = ProbeAnswer(Answer(status), error, found, tokens)

    def __getitem__(self, probe: str) -> ProbeAnswer:
        return self._answers.get(probe, ProbeAnswer(Answer.MISSING))

    def __len__(self) -> int:
        return len(self._answers)

    @property
    def errored(self) -> int:
        """How many the system failed to answer."""
        return sum(answer.failed for answer in self._answers.values())
