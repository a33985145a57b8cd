"""A system that takes a batch of queries is asked in batches, and one query cannot fail the others."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from rankgate.errors import RetriableError
from rankgate.model import Answer, Hit, Query, Ranking
from rankgate.plugins import SystemBase
from rankgate.runs.asking.ask import CaseQuery
from rankgate.runs.asking.deadline import RunDeadline
from rankgate.runs.asking.execute import execute
from rankgate.runs.asking.pace import Pace
from rankgate.runs.asking.workers import Workers
from rankgate.runs.store.manifest import Manifest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.runs.asking.ask import AnswerRecord

QUESTIONS = [CaseQuery(f"q{number}", Query(f"text {number}")) for number in range(50)]


class Batched(SystemBase):
    """Answers with the text of the query, and notes the size of every call."""

    thread_safe = True

    def __init__(self, batch: int = 8) -> None:
        super().__init__("batched")
        self.batch = batch
        self.calls: list[int] = []
        self.alone: list[str] = []

    def search(self, query: Query) -> Ranking:
        self.alone.append(query.text)
        return Ranking((Hit(query.text),))

    def search_many(self, queries: Sequence[Query]) -> Sequence[Ranking]:
        self.calls.append(len(queries))
        return [Ranking((Hit(query.text),)) for query in queries]


def asked(
    system: Batched, pace: Pace | None = None, deadline: RunDeadline | None = None
) -> list[AnswerRecord]:
    pace = pace or Pace()
    workers = Workers((system,) * pace.concurrency, pace, deadline)
    return [one for one in workers.answers(iter(QUESTIONS)) if one is not None]


@pytest.mark.parametrize("threads", [1, 4])
def test_every_query_is_asked_once_in_batches(threads: int) -> None:
    system = Batched()
    found = asked(system, Pace(threads))
    assert sorted(one.id for one in found) == sorted(one.id for one in QUESTIONS)
    assert {one.id: one.ranking.hits[0].id for one in found} == {one.id: one.query.text for one in QUESTIONS}
    assert sorted(system.calls) == [2, 8, 8, 8, 8, 8, 8]
    assert not system.alone


def test_a_batch_of_one_and_a_system_without_search_many_are_asked_by_search() -> None:
    single = Batched(batch=1)
    asked(single)
    assert not single.calls
    assert len(single.alone) == 50


def test_a_system_behind_a_proxy_loses_no_query() -> None:
    class Proxy:
        def __init__(self, inner: Batched) -> None:
            self._inner = inner

        def __getattr__(self, name: str) -> object:
            return getattr(self._inner, name)

    inner = Batched()
    found = [one for one in Workers((Proxy(inner),), Pace()).answers(iter(QUESTIONS)) if one is not None]  # type: ignore[arg-type]
    assert len(found) == len(QUESTIONS)
    assert len(inner.calls) == 7


def test_a_query_that_fails_its_batch_fails_alone() -> None:
    class Poisoned(Batched):
        def search(self, query: Query) -> Ranking:
            if query.text == "text 13":
                raise ValueError("not 13")
            return super().search(query)

        def search_many(self, queries: Sequence[Query]) -> Sequence[Ranking]:
            if any(query.text == "text 13" for query in queries):
                raise ValueError("not 13")
            return super().search_many(queries)

    system = Poisoned()
    found = {one.id: one for one in asked(system)}
    assert [name for name, one in found.items() if one.status is not Answer.OK] == ["q13"]
    assert "not 13" in str(found["q13"].error)
    # The batch of 13 was asked twice, the others once.
    assert {name for name, one in found.items() if one.attempts == 2} == {f"q{at}" for at in range(8, 16)}


@pytest.mark.parametrize("size", [0, 3, 9])
def test_another_number_of_answers_is_no_answer_to_anyone(size: int) -> None:
    class Short(Batched):
        def search_many(self, queries: Sequence[Query]) -> Sequence[Ranking]:
            super().search_many(queries)
            return [Ranking((Hit("of somebody else"),))] * size

    system = Short()
    found = asked(system)
    assert {one.ranking.hits[0].id for one in found} == {one.query.text for one in QUESTIONS}
    assert len(system.alone) == 50


def test_one_answer_that_is_none_fails_one_query() -> None:
    class Odd(Batched):
        def search_many(self, queries: Sequence[Query]) -> Sequence[Ranking]:
            found = list(super().search_many(queries))
            return ["nothing", *found[1:]]  # type: ignore[list-item]

    wrong = [one.id for one in asked(Odd(batch=25)) if one.status is Answer.ERROR]
    assert wrong == ["q0", "q25"]


def test_a_busy_system_is_left_alone_as_long_as_it_asks() -> None:
    class Busy(Batched):
        def search_many(self, queries: Sequence[Query]) -> Sequence[Ranking]:
            if len(self.calls) < 1:
                self.calls.append(0)
                raise RetriableError("busy", retry_after=0.3)
            return super().search_many(queries)

    system = Busy(batch=50)
    start = time.monotonic()
    found = asked(system)
    assert time.monotonic() - start >= 0.3
    assert {one.status for one in found} == {Answer.OK}
    assert {one.attempts for one in found} == {2}


def test_a_batch_keeps_the_rate() -> None:
    start = time.monotonic()
    asked(Batched(batch=10), Pace(rate=100))
    assert time.monotonic() - start >= 0.45


def test_a_batch_that_is_late_is_a_time_out_of_all_and_what_was_not_asked_waited_for_nothing() -> None:
    class Slow(Batched):
        def search_many(self, queries: Sequence[Query]) -> Sequence[Ranking]:
            if self.calls:
                time.sleep(2)
            return super().search_many(queries)

    found = asked(Slow(batch=20), deadline=RunDeadline("0.5s"))
    by_status = [one.status for one in sorted(found, key=lambda one: int(one.id[1:]))]
    assert by_status == [Answer.OK] * 20 + [Answer.TIMEOUT] * 30
    waited = {one.id: one.latency_ms for one in found if one.status is Answer.TIMEOUT}
    assert waited["q49"] is None
    assert waited["q20"] is not None


def test_the_latency_of_a_query_is_that_of_its_batch_and_a_run_is_the_same_as_without() -> None:
    class Timed(Batched):
        def search_many(self, queries: Sequence[Query]) -> Sequence[Ranking]:
            time.sleep(0.02)
            return super().search_many(queries)

    assert all((one.latency_ms or 0) >= 20 for one in asked(Timed(batch=25)))
    every = [execute(QUESTIONS, system, manifest=Manifest("a")) for system in (Batched(), Batched(batch=1))]
    many, single = (
        [shard.scan_hits(["query", "rank", "id"]).collect().to_dicts() for shard in run.shards()]
        for run in every
    )
    assert many == single
