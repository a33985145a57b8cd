"""Asking one question: whatever a system does becomes an answer, an error or a time-out."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from itertools import product
from types import NoneType
from typing import TYPE_CHECKING, TypeAlias

from rankgate.errors import Problem, RankgateError, RetriableError, SystemFailedError, escaped
from rankgate.model.places import Lines
from rankgate.model.search import Hit, Ranking
from rankgate.model.verdict import Answer
from rankgate.runs.tokens import with_tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankgate.model.search import Query, System
    from rankgate.runs.pace import Limiter

Locate: TypeAlias = "Callable[[tuple[Hit, ...]], tuple[Hit, ...]]"
"""Gives the hits of a ranking their places."""

LONGEST_WAIT = 60.0
"""How many seconds a system may ask to be left alone before it counts as failed."""

_LONGEST_ERROR = 2000
_FIRST_WAIT, _LONGEST_BACKOFF = 0.2, 10.0
_TYPES: dict[str, tuple[type, ...]] = {
    "id": (str, NoneType),
    "path": (str, NoneType),
    "lines": (Lines, NoneType),
    "score": (float, int, NoneType),
    "text": (str, NoneType),
    "tokens": (int, NoneType),
    "matches": (int, NoneType),
}
_EXACT = frozenset(product(*_TYPES.values()))


@dataclass(frozen=True, slots=True)
class Question:
    """One query of a suite, under the name of its case."""

    id: str
    """The name under which the answer is stored."""
    query: Query
    """What is asked."""


@dataclass(frozen=True, slots=True)
class Asked:
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


def ask_one(question: Question, system: System, locate: Locate | None = None) -> Asked:
    """Ask one question once."""
    try:
        return _answer(question, system, locate)
    except Exception as error:  # noqa: BLE001 - a system under test may raise anything
        return failed(question.id, error)


def ask_again(
    question: Question,
    system: System,
    locate: Locate | None,
    limiter: Limiter,
    retries: int,
) -> Asked | None:
    """Ask one question, and again where the system is busy or out of reach; None where the run was stopped.

    What is not said to be retriable is never asked again: a time-out, a refusal, a wrong answer.
    """
    for attempt in range(retries + 1):
        if not limiter.wait():
            return None
        try:
            return _answer(question, system, locate, attempt + 1)
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
    raise AssertionError("the last attempt returns")


def backoff(attempt: int) -> float:
    """Say how long to wait after an attempt, counted from 0: twice as long each time, half of it by chance.

    Chance keeps threads that failed together from coming back together.
    """
    whole: float = min(_LONGEST_BACKOFF, _FIRST_WAIT * 2.0**attempt)
    return whole * (1 + random.random()) / 2  # noqa: S311 - no secret depends on it


def failed(name: str, error: Exception, attempts: int = 1) -> Asked:
    """Say what went wrong with a question."""
    status = Answer.TIMEOUT if isinstance(error, TimeoutError) else Answer.ERROR
    return Asked(name, status=status, error=one_line(error), attempts=attempts)


def one_line(error: Exception) -> str:
    """Say what went wrong on one line, with control characters as escapes."""
    try:
        text = "; ".join(str(error).splitlines())
    except Exception:  # noqa: BLE001 - an exception of a user may refuse to be shown
        text = ""
    if not isinstance(error, RankgateError):
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    if len(text) > _LONGEST_ERROR:
        text = text[: _LONGEST_ERROR - 1] + "…"
    return escaped(text)


def _answer(question: Question, system: System, locate: Locate | None, attempts: int = 1) -> Asked:
    start = time.perf_counter()
    ranking = system.search(question.query)
    latency = (time.perf_counter() - start) * 1000
    ranking, estimated = with_tokens(_checked(ranking))
    if locate is not None:
        ranking = Ranking(locate(ranking.hits), ranking.tokens)
    return Asked(question.id, ranking, latency_ms=latency, attempts=attempts, estimated=estimated)


def _checked(answer: object) -> Ranking:
    """Check the types; what they hold is checked when the tables are made."""
    if not isinstance(answer, Ranking):
        raise SystemFailedError(Problem("answer", f"a {type(answer).__name__}", "a Ranking"))
    for number, hit in enumerate(answer.hits):
        if (
            type(hit) is not Hit
            or (
                type(hit.id),
                type(hit.path),
                type(hit.lines),
                type(hit.score),
                type(hit.text),
                type(hit.tokens),
                type(hit.matches),
            )
            not in _EXACT
        ):
            _check_types(hit, f"answer[{number}]")
    return answer


def _check_types(hit: object, where: str) -> None:
    """Look at one value after another; subclasses will do."""
    if not isinstance(hit, Hit):
        raise SystemFailedError(Problem(where, f"a {type(hit).__name__}", "a Hit"))
    for name, kinds in _TYPES.items():
        if not isinstance(value := getattr(hit, name), kinds):
            expected = f"a {kinds[0].__name__} or None"
            raise SystemFailedError(Problem(f"{where}.{name}", f"a {type(value).__name__}", expected))
