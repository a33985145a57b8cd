"""One limit for many workers: who may begin when, and when all of them pause."""

from __future__ import annotations

import itertools
import random
import threading
import time
from math import ceil

import pytest

from rankgate.errors import RetriableError
from rankgate.evaluation.executors import shared_limiter
from rankgate.evaluation.executors.shared_limiter import ClockOffset, SharedLimiter
from rankgate.evaluation.executors.throttle import OUT_OF_REACH, Grant, SlotRequest, Throttle
from rankgate.model.search import Query, Ranking
from support.recording_server import most_in_a_second


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_slots_of_all_workers_come_at_the_rate() -> None:
    throttle = Throttle(100, clock=Clock())
    slots = [slot for _ in range(5) for slot in throttle.grant(SlotRequest(10)).slots]
    assert slots == pytest.approx([1000 + number / 100 for number in range(50)])


@pytest.mark.parametrize(("rate", "least"), [(10, 0.9), (37.5, 0.96), (400, 0.98), (2000, 0.99)])
@pytest.mark.parametrize("share", [0.0, 0.05, 0.15])
def test_times_that_nobody_used_are_made_good_within_the_rate(
    rate: float, least: float, share: float
) -> None:
    clock, chance = Clock(), random.Random(7)
    throttle = Throttle(rate, clock=clock)
    used: list[float] = []
    unused: list[float] = []
    while clock.now < 1020:
        grant = throttle.grant(SlotRequest(max(1, int(rate / 20)), unused=tuple(unused)))
        unused = [slot for slot in grant.slots if chance.random() < share]
        used += [slot for slot in grant.slots if slot not in unused]
        clock.now = max(clock.now, grant.slots[-1] - 0.01)
    assert most_in_a_second(used) <= ceil(rate)
    assert (len(used) - 1) / (used[-1] - used[0]) >= least * rate


def test_a_worker_tells_the_times_that_it_let_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_limiter, "LATEST", -1.0)  # it wakes too late for every one
    throttle, told = Throttle(200), threading.Event()
    given: set[float] = set()

    def fetch(request: SlotRequest) -> Grant:
        if request.unused and given >= {*request.unused}:
            told.set()
        grant = throttle.grant(request)
        given.update(grant.slots)
        return grant

    limiter = SharedLimiter(fetch, limited=True)
    thread = threading.Thread(target=limiter.wait)
    thread.start()
    assert told.wait(10)
    limiter.stop()
    thread.join(5)


def test_a_pause_of_one_worker_moves_the_slots_of_all() -> None:
    throttle = Throttle(100, clock=Clock())
    throttle.grant(SlotRequest(pause=3))
    grant = throttle.grant(SlotRequest(2))
    assert grant.paused_until == 1003
    assert grant.slots == pytest.approx([1003, 1003.01])


def test_where_nobody_answers_all_pause_and_longer_each_time() -> None:
    clock = Clock()
    throttle = Throttle(None, clock=clock)
    pauses = []
    for _ in range(4):
        throttle.grant(SlotRequest(failed=OUT_OF_REACH))
        pauses.append(throttle.grant(SlotRequest()).paused_until - clock.now)
        clock.now += pauses[-1]
    assert pauses == [1, 2, 4, 8]


def test_few_failures_or_an_answer_between_them_pause_nobody() -> None:
    throttle = Throttle(None, clock=Clock())
    throttle.grant(SlotRequest(failed=OUT_OF_REACH - 1))
    throttle.grant(SlotRequest(failed=OUT_OF_REACH - 1, answered=True))
    assert throttle.grant(SlotRequest()).paused_until < 1000


def test_an_outage_is_waited_for_a_minute_and_not_for_ever() -> None:
    clock = Clock()
    throttle = Throttle(None, clock=clock)
    waited = 0.0
    for _ in range(200):
        until = throttle.grant(SlotRequest(failed=OUT_OF_REACH)).paused_until
        waited += max(0.0, until - clock.now)
        clock.now = max(clock.now, until)
    assert 60 <= waited <= 70


def test_after_a_crash_nothing_begins_for_a_while() -> None:
    assert Throttle(100, clock=Clock(), rest=1.0).grant(SlotRequest(1)).slots == (1001,)


def test_the_quickest_call_says_best_how_far_a_clock_is_ahead() -> None:
    offset = ClockOffset()
    # Sent at 10, read there at 510.9 (that is 10.9 here), received at 11.
    offset.learn(Grant("a", 510.9, (), 0), 10.0, 11.0)
    assert offset.here(600.0) == pytest.approx(100.1)
    offset.learn(Grant("a", 511.001, (), 0), 11.0, 11.002)
    assert offset.here(600.0) == pytest.approx(100.001, abs=1e-3)
    offset.learn(Grant("a", 512.5, (), 0), 12.0, 14.0)
    assert offset.here(600.0) == pytest.approx(100.001, abs=2e-3)


def test_another_clock_is_learnt_anew() -> None:
    offset = ClockOffset()
    assert offset.learn(Grant("a", 500.0, (), 0), 10.0, 10.0)
    assert offset.learn(Grant("b", 20.0, (), 0), 11.0, 11.0)
    assert offset.here(20.0) == pytest.approx(11.0)


@pytest.mark.parametrize("delay", [0.0, 0.03])
def test_workers_together_keep_the_rate_however_slow_the_way_to_the_throttle_is(delay: float) -> None:
    throttle, rate = Throttle(400), 400
    begun: list[float] = []
    lock = threading.Lock()

    def fetch(request: SlotRequest) -> Grant:
        time.sleep(delay / 2)
        with lock:
            grant = throttle.grant(request)
        time.sleep(delay / 2)
        return grant

    limiters = [SharedLimiter(fetch, limited=True) for _ in range(3)]
    end = time.monotonic() + 2.0

    def work(limiter: SharedLimiter) -> None:
        while time.monotonic() < end and limiter.wait():
            begun.append(time.monotonic())

    threads = [threading.Thread(target=work, args=(one,)) for one in limiters for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for limiter in limiters:
        limiter.stop()
    assert most_in_a_second(begun) <= rate * 1.05
    assert len(begun) > 50


def test_a_pause_comes_to_a_worker_that_has_no_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_limiter, "LOOK", 0.02)
    throttle = Throttle(None)
    asked, other = (SharedLimiter(throttle.grant, limited=False) for _ in range(2))
    assert asked.wait()
    assert other.wait()
    begun = time.monotonic()
    asked.pause(0.5)
    time.sleep(0.2)
    assert other.wait()
    assert time.monotonic() - begun >= 0.5
    asked.stop()
    other.stop()


def test_a_worker_that_is_stopped_waits_for_nothing() -> None:
    limiter = SharedLimiter(Throttle(0.01).grant, limited=True)
    assert limiter.wait()
    ended: list[bool] = []
    thread = threading.Thread(target=lambda: ended.append(limiter.wait()))
    thread.start()
    time.sleep(0.05)
    limiter.stop()
    thread.join(5)
    assert ended == [False]


def test_a_throttle_that_cannot_be_reached_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_limiter, "LOOK", 0.01)
    throttle, calls = Throttle(1000), itertools.count()

    def fetch(request: SlotRequest) -> Grant:
        if next(calls) < 3:
            raise OSError("gone")
        return throttle.grant(request)

    limiter = SharedLimiter(fetch, limited=True)
    assert limiter.wait()
    limiter.stop()


class Shop:
    """A system that is there or is not."""

    batch = 3

    def __init__(self, error: Exception | None) -> None:
        self.error = error

    def search(self, query: Query) -> Ranking:  # noqa: ARG002 - as a system has it
        if self.error is not None:
            raise self.error
        return Ranking()

    def search_many(self, queries: list[Query]) -> list[Ranking]:
        return [self.search(one) for one in queries]


@pytest.mark.parametrize(
    ("error", "failed"),
    [(RetriableError("refused"), 1), (RetriableError("busy", 2.0), 0), (ValueError("x"), 0), (None, 0)],
)
def test_only_a_system_that_is_not_there_counts_as_out_of_reach(error: Exception | None, failed: int) -> None:
    seen: list[SlotRequest] = []
    throttle = Throttle(None)

    def fetch(request: SlotRequest) -> Grant:
        seen.append(request)
        return throttle.grant(request)

    limiter = SharedLimiter(fetch, limited=False)
    watched = limiter.watching(Shop(error))
    assert watched.batch == 3
    if error is None:
        assert watched.search(Query("a")) == Ranking()
    else:
        with pytest.raises(type(error)):
            watched.search(Query("a"))
    limiter.pause(0.001)
    deadline = time.monotonic() + 10
    while not any(one.pause for one in seen) and time.monotonic() < deadline:
        time.sleep(0.01)
    limiter.stop()
    assert sum(one.failed for one in seen) == failed
