"""Asking several questions at once, of a system that takes a batch of them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rankgate.errors import Code, RetriableError, SystemFailedError, contained
from rankgate.plugins import batch_of, time_limit_of
from rankgate.runs.asking.ask import answered, ask_again, failed, masked
from rankgate.runs.asking.deadline import NotAskedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.model import BatchSystem, Ranking
    from rankgate.runs.asking.ask import AnswerRecord, CaseQuery
    from rankgate.runs.asking.pace import Limiter


def ask_many(
    questions: Sequence[CaseQuery], system: BatchSystem, limiter: Limiter, retries: int
) -> list[AnswerRecord]:
    """Ask questions in one call; fewer answers where the run was stopped.

    The latency of each is that of the call, which is how long its answer took to come. Where the call fails
    or gives another number of answers, each question is asked alone, so that one of them cannot fail the
    others; where it is not answered in time, all have failed.
    """
    if not all(limiter.wait() for _ in questions):
        return []
    start = time.perf_counter()
    try:
        with contained():
            rankings = _rankings(questions, system)
    except NotAskedError as error:
        records = [failed(one.id, error) for one in questions]
    except TimeoutError as error:
        waited = 1000 * max(time.perf_counter() - start, time_limit_of(system) or 0.0)
        records = [failed(one.id, error)._replace(latency_ms=waited) for one in questions]
    except Exception as error:  # noqa: BLE001 - a system under test may raise anything
        if isinstance(error, RetriableError) and error.retry_after is not None:
            limiter.pause(error.retry_after)
        return _alone(questions, system, limiter, retries)
    else:
        latency = 1000 * (time.perf_counter() - start)
        records = [_record(one, ranking, latency) for one, ranking in zip(questions, rankings, strict=True)]
    return [masked(record) for record in records]


def _rankings(questions: Sequence[CaseQuery], system: BatchSystem) -> Sequence[Ranking]:
    rankings = system.search_many([one.query for one in questions])
    if len(rankings) != len(questions):
        found = f"{len(rankings)} answers to {len(questions)} queries"
        raise SystemFailedError(Code.WRONG_ANSWER("answers", found, "one answer for each, in their order"))
    return rankings


def _record(question: CaseQuery, ranking: object, latency_ms: float) -> AnswerRecord:
    try:
        return answered(question, ranking, latency_ms)
    except Exception as error:  # noqa: BLE001 - hits may hold anything, and are those of one question
        return failed(question.id, error)


def _alone(
    questions: Sequence[CaseQuery], system: BatchSystem, limiter: Limiter, retries: int
) -> list[AnswerRecord]:
    records = []
    for one in questions:
        asked = ask_again(one, system, limiter, retries)
        if asked is None:
            break
        records.append(asked._replace(attempts=asked.attempts + 1))
    return records


def batch_notes(system: object) -> tuple[str, ...]:
    """Return what latency means where several queries are asked in one call; nothing where each is alone."""
    batch = batch_of(system)
    return (
        (f"asked {batch} queries at a time: the latency of each is that of its batch",) if batch > 1 else ()
    )
