"""Asking one question: whatever a system does becomes an answer, an error or a time-out.

A run keeps a record of each, with what reading it costs, and many make the tables of a shard.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, replace
from types import NoneType
from typing import TYPE_CHECKING, NamedTuple

from rankgate.errors import (
    Code,
    RankgateError,
    RetriableError,
    SystemFailedError,
    contained,
    described,
    escaped,
)
from rankgate.io.secrets import hidden
from rankgate.locations import Characters, Lines
from rankgate.model import Answer, ColumnRanking, Hit, Ranking, estimated_tokens
from rankgate.plugins import time_limit_of, without_secrets
from rankgate.runs.asking.deadline import NotAskedError
from rankgate.runs.store.columns import hit_count
from rankgate.runs.store.schemas import QUERIES
from rankgate.runs.store.tables import Shard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.model import Query, System
    from rankgate.runs.asking.pace import Limiter
    from rankgate.runs.store.columns import Place, TextLevel


_LONGEST_ERROR = 2000


class AnswerRecord(NamedTuple):
    """What became of one question."""

    id: str
    """The question."""
    ranking: Ranking = Ranking()
    """The answer; empty where there was none."""
    status: Answer = Answer.OK
    """How it ended."""
    error: str | None = None
    """What went wrong, on one line."""
    latency_ms: float | None = None
    """How long the system took the last time, or was waited for until it timed out; None for an error."""
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
    text = described(error)
    if isinstance(error, RankgateError):
        text = text.removeprefix(f"{type(error).__name__}: ")
    text = "; ".join(text.splitlines())
    if len(text) > _LONGEST_ERROR:
        text = text[: _LONGEST_ERROR - 1] + "…"
    own = Code.TIMED_OUT if isinstance(error, TimeoutError) else Code.SYSTEM_RAISED
    return f"{escaped(text)} [{error.code if isinstance(error, RankgateError) else own}]"


def with_tokens(ranking: Ranking) -> tuple[Ranking, bool]:
    """Estimate the tokens of every hit that has text and no count; tell whether there was one."""
    if isinstance(ranking, ColumnRanking):
        texts = ranking.columns.get("text")
        if texts is None or "tokens" in ranking.columns:
            return ranking, False
        counted = [estimated_tokens(text) for text in texts]
        return ColumnRanking.of({**ranking.columns, "tokens": counted}, ranking.size), True
    unknown = [hit.tokens is None and hit.text is not None for hit in ranking.hits]
    if not any(unknown):
        return ranking, False
    hits = tuple(
        replace(hit, tokens=estimated_tokens(hit.text or "")) if guess else hit
        for hit, guess in zip(ranking.hits, unknown, strict=True)
    )
    return replace(ranking, hits=hits), True


def has_estimates(shard: Shard, asked: Sequence[AnswerRecord]) -> bool:
    """Check whether tokens in a shard are estimates: of a text that was returned, or of the corpus there."""
    if any(one.estimated for one in asked):
        return True
    known = shard.hits["tokens"].count()
    return bool(known) and known > sum(_counted_hits(one.ranking) for one in asked)


def _counted_hits(ranking: Ranking) -> int:
    """Return how many hits came with a count of their tokens."""
    if isinstance(ranking, ColumnRanking):
        return ranking.size if "tokens" in ranking.columns else 0
    return sum(hit.tokens is not None for hit in ranking.hits)


def packed_answers(asked: Sequence[AnswerRecord], texts: TextLevel, place: Place | None = None) -> Shard:
    """Make the tables, and give hits their locations.

    An answer that the tables cannot hold becomes an error of its question alone.
    """
    try:
        return _tables(asked, texts, place)
    except Exception:  # noqa: BLE001 - a system's hits may hold anything; the next line finds whose they are
        return _tables([_storable(one, placed=place is not None) for one in asked], texts, place)


def _tables(asked: Sequence[AnswerRecord], texts: TextLevel, place: Place | None) -> Shard:
    queries: dict[str, Sequence[object]] = {
        "query": [one.id for one in asked],
        "status": [one.status.value for one in asked],
        "error": [one.error for one in asked],
        "attempts": [one.attempts for one in asked],
        "latency_ms": [one.latency_ms for one in asked],
        "tokens": [one.ranking.tokens for one in asked],
        "hits": [hit_count(one.ranking) for one in asked],
        "question": [None] * len(asked),
        "asked": [None] * len(asked),
    }
    rankings = {one.id: one.ranking for one in asked}
    return Shard.of_answers(QUERIES.of_columns(queries), rankings, texts, place)


def _storable(asked: AnswerRecord, *, placed: bool) -> AnswerRecord:
    """Return a failure in place of an answer that the tables cannot hold, wherever its hits may be placed."""
    ranking = asked.ranking
    if placed:
        # Then any path will do that could be an id; what fails beyond that is not the system's fault.
        paths = tuple(Hit(hit.path) for hit in ranking.hits if hit.path is not None)
        bare = tuple(replace(hit, path=None) for hit in ranking.hits)
        ranking = Ranking((*bare, *paths), ranking.tokens)
    try:
        _tables([asked._replace(ranking=ranking)], "none", None)
    except Exception as error:  # noqa: BLE001 - as above
        return failed(asked.id, error, asked.attempts)
    return asked


LONGEST_WAIT = 60.0
"""How many seconds a system may ask to be left alone before it counts as failed."""

_FIRST_WAIT, _LONGEST_BACKOFF = 0.2, 10.0
_TYPES: dict[str, tuple[type, ...]] = {
    "id": (str, NoneType),
    "path": (str, NoneType),
    "lines": (Lines, NoneType),
    "score": (float, int, NoneType),
    "text": (str, NoneType),
    "tokens": (int, NoneType),
    "characters": (Characters, NoneType),
    "fields": (dict, NoneType),
}
_STRING, _LINES, _NUMBER, _COUNT, _OFFSETS, _FIELDS = (
    frozenset(_TYPES[name]) for name in ("id", "lines", "score", "tokens", "characters", "fields")
)


@dataclass(frozen=True, slots=True)
class CaseQuery:
    """One query of a suite, under the name of its case."""

    id: str
    """The name under which the answer is stored."""
    query: Query
    """What is asked."""


def ask_one(question: CaseQuery, system: System) -> AnswerRecord:
    """Ask one question once."""
    try:
        answer = _answer(question, system)
    except Exception as error:  # noqa: BLE001 - a system under test may raise anything
        return masked(failed(question.id, error))
    return masked(answer)


def ask_again(question: CaseQuery, system: System, limiter: Limiter, retries: int) -> AnswerRecord | None:
    """Ask one question, and again where the system is busy or out of reach; None where the run was stopped.

    What is not said to be retriable is never asked again: a time-out, a refusal, a wrong answer.
    """
    asked = _asked(question, system, limiter, retries)
    return None if asked is None else masked(asked)


def _asked(question: CaseQuery, system: System, limiter: Limiter, retries: int) -> AnswerRecord | None:
    for attempt in range(retries + 1):
        if not limiter.wait():
            return None
        try:
            answer = _answer(question, system, attempt + 1)
        except RetriableError as error:
            waiting = error.retry_after
            if attempt == retries or (waiting is not None and waiting > LONGEST_WAIT):
                return failed(question.id, error, attempt + 1)
            if waiting is not None:
                limiter.pause(waiting)
            if not limiter.rest(backoff(attempt)):
                return None
        except Exception as error:  # noqa: BLE001 - as above
            return failed(question.id, error, attempt + 1)
        else:
            return answer
    raise AssertionError("the last attempt returns")


def masked(asked: AnswerRecord) -> AnswerRecord:
    """Mask secrets in the answer to a query or its error; all of a run's answers pass through here."""
    error = None if asked.error is None else hidden(asked.error)
    return asked._replace(ranking=without_secrets(asked.ranking), error=error)


def backoff(attempt: int) -> float:
    """Return how long to wait after an attempt, from 0 on: twice as long each time, half of it by chance.

    Chance keeps threads that failed together from coming back together.
    """
    whole: float = min(_LONGEST_BACKOFF, _FIRST_WAIT * 2.0**attempt)
    return whole * (1 + random.random()) / 2  # noqa: S311 - no secret depends on it


def _answer(question: CaseQuery, system: System, attempts: int = 1) -> AnswerRecord:
    start = time.perf_counter()
    try:
        with contained():
            ranking = system.search(question.query)
    except NotAskedError:
        raise
    except TimeoutError as error:
        # Whoever asked waited so long at least: left out, it would make a slow system fast.
        waited = max(time.perf_counter() - start, time_limit_of(system) or 0.0)
        return failed(question.id, error, attempts)._replace(latency_ms=waited * 1000)
    return answered(question, ranking, (time.perf_counter() - start) * 1000, attempts)


def answered(question: CaseQuery, answer: object, latency_ms: float, attempts: int = 1) -> AnswerRecord:
    """Return the record of an answer; that of a failure where the answer is none.

    Raises:
        SystemFailedError: for an answer that is none.
    """
    ranking, estimated = with_tokens(_checked(answer))
    return AnswerRecord(question.id, ranking, Answer.OK, None, latency_ms, attempts, estimated)


def _checked(answer: object) -> Ranking:
    """Check the types; what they hold is checked when the tables are made.

    Nearly all are the very types, which is told a hit at a time without a loop over its fields.
    """
    if type(answer) is ColumnRanking:
        return answer
    if not isinstance(answer, Ranking):
        raise SystemFailedError(Code.WRONG_ANSWER("answer", f"a {type(answer).__name__}", "a Ranking"))
    for number, hit in enumerate(answer.hits):
        if type(hit) is Hit and (
            type(hit.id) in _STRING
            and type(hit.path) in _STRING
            and type(hit.lines) in _LINES
            and type(hit.score) in _NUMBER
            and type(hit.text) in _STRING
            and type(hit.tokens) in _COUNT
            and type(hit.characters) in _OFFSETS
            and type(hit.fields) in _FIELDS
        ):
            continue
        if not isinstance(hit, Hit):
            raise SystemFailedError(
                Code.WRONG_ANSWER(f"answer[{number}]", f"a {type(hit).__name__}", "a Hit")
            )
        for name, kinds in _TYPES.items():
            if not isinstance(value := getattr(hit, name), kinds):
                where, expected = f"answer[{number}].{name}", f"a {kinds[0].__name__} or None"
                raise SystemFailedError(Code.WRONG_ANSWER(where, f"a {type(value).__name__}", expected))
    return answer
