"""The results of the queries of scenarios and invariants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.model import Answer, estimated_tokens
from rankgate.runs.store.hits import read_hits
from rankgate.wording import quoted

if TYPE_CHECKING:
    from rankgate.runs.store.hits import HitRow
    from rankgate.runs.store.tables import Run

_FAILED = (Answer.ERROR, Answer.TIMEOUT)


@dataclass(frozen=True, slots=True)
class ProbeAnswer:
    """The results of one query."""

    status: Answer
    error: str | None = None
    """The error message."""
    hits: tuple[HitRow, ...] = ()
    """The results, best first."""
    reported: int | None = None
    """The number of tokens that the system reported."""

    @property
    def failed(self) -> bool:
        """True if the query ended with an error or timed out."""
        return self.status in _FAILED

    @property
    def tokens(self) -> int:
        """The number of tokens: as reported, or estimated from the texts or names of the results."""
        if self.reported is not None:
            return self.reported
        return sum(estimated_tokens(str(hit)) if hit.tokens is None else hit.tokens for hit in self.hits)

    def error_text(self, query: str) -> str:
        """Describe the error of a query."""
        return f"{quoted(query)}: {error_text(self.status, self.error)}"


def error_text(status: str, error: str | None) -> str:
    """Describe an error or a time-out of the system.

    >>> error_text("timeout", None), error_text("error", "connection refused")
    ('timed out', 'error: connection refused')
    """
    kind = "timed out" if status == Answer.TIMEOUT else "error"
    return f"{kind}: {' '.join(error.split())}" if error else kind


class ProbeAnswers:
    """The results of all queries of a run, by the name of the query."""

    def __init__(self, run: Run | None) -> None:
        self.available = run is not None
        """False if there is no run."""
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
        """The number of queries with an error or a time-out."""
        return sum(answer.failed for answer in self._answers.values())
