"""Answers as a run keeps them: a record each, what reading them costs, and the tables of a shard."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rankgate.errors import RankgateError, escaped
from rankgate.model.search import Ranking
from rankgate.model.verdict import Answer
from rankgate.runs.store.tables import QUERIES, Shard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.runs.store.tables import TextLevel

_LONGEST_ERROR = 2000


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """What became of one question."""

    id: str
    """The question."""
    ranking: Ranking = field(default_factory=Ranking)
    """The answer; empty where there was none."""
    status: Answer = Answer.OK
    """How it ended."""
    error: str | None = None
    """What went wrong, on one line."""
    latency_ms: float | None = None
    """How long the system took, the last time it was asked; None where it failed."""
    attempts: int = 1
    """How often it was asked."""
    estimated: bool = False
    """True where tokens of the answer are an estimate."""


def failed(name: str, error: Exception, attempts: int = 1) -> AnswerRecord:
    """Return the record of a question that went wrong."""
    status = Answer.TIMEOUT if isinstance(error, TimeoutError) else Answer.ERROR
    return AnswerRecord(name, status=status, error=one_line(error), attempts=attempts)


def one_line(error: Exception) -> str:
    """Format what went wrong on one line, with control characters as escapes."""
    try:
        text = "; ".join(str(error).splitlines())
    except Exception:  # noqa: BLE001 - an exception of a user may refuse to be shown
        text = ""
    if not isinstance(error, RankgateError):
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    if len(text) > _LONGEST_ERROR:
        text = text[: _LONGEST_ERROR - 1] + "…"
    return escaped(text)


def estimated_tokens(text: str) -> int:
    """Estimate the tokens of a text: its UTF-8 bytes / 4, rounded up.

    >>> estimated_tokens("größer")
    2
    """
    return -(-len(text.encode(errors="replace")) // 4)


def with_tokens(ranking: Ranking) -> tuple[Ranking, bool]:
    """Estimate the tokens of every hit that has text and no count; tell whether there was one."""
    unknown = [hit.tokens is None and hit.text is not None for hit in ranking.hits]
    if not any(unknown):
        return ranking, False
    hits = tuple(
        replace(hit, tokens=estimated_tokens(hit.text or "")) if guess else hit
        for hit, guess in zip(ranking.hits, unknown, strict=True)
    )
    return replace(ranking, hits=hits), True


def packed_answers(asked: Sequence[AnswerRecord], texts: TextLevel) -> Shard:
    """Make the tables. An answer that they cannot hold becomes an error of its question alone."""
    try:
        return _tables(asked, texts)
    except Exception:  # noqa: BLE001 - a system's hits may hold anything; the next line finds whose they are
        return _tables([_storable(one) for one in asked], texts)


def _tables(asked: Sequence[AnswerRecord], texts: TextLevel) -> Shard:
    queries: dict[str, Sequence[object]] = {
        "query": [one.id for one in asked],
        "status": [one.status.value for one in asked],
        "error": [one.error for one in asked],
        "attempts": [one.attempts for one in asked],
        "latency_ms": [one.latency_ms for one in asked],
        "tokens": [one.ranking.tokens for one in asked],
        "hits": [len(one.ranking.hits) for one in asked],
    }
    return Shard.of_answers(QUERIES.of_columns(queries), {one.id: one.ranking for one in asked}, texts)


def _storable(asked: AnswerRecord) -> AnswerRecord:
    try:
        _tables([asked], "none")
    except Exception as error:  # noqa: BLE001 - as above
        return failed(asked.id, error, asked.attempts)
    return asked
