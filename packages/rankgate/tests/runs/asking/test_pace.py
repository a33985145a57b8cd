"""How hard a system is asked: the rate, the retries, the warm-up, the threads."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest

from rankgate.errors import InputError, Problem, RetriableError, SystemFailedError
from rankgate.model import Answer, Hit, Query, Ranking
from rankgate.runs.asking import ask as asking
from rankgate.runs.asking.ask import CaseQuery, backoff
from rankgate.runs.asking.execute import KeepOptions, execute
from rankgate.runs.asking.pace import Limiter, Pace
from rankgate.runs.asking.workers import open_instances
from rankgate.runs.store.manifest import Manifest
from rankgate.runs.store.run_folder import StoredRun

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import polars as pl

    from rankgate.runs.store.tables import Run

MANIFEST = Manifest("mine")


class Asked:
    """Answers every query with its own text, counts how many ask at once, and does what it is told first."""

    thread_safe = True

    def __init__(self, before: Callable[[Query], None] = lambda _: None) -> None:
        self._before = before
        self._lock = threading.Lock()
        self.texts: list[str] = []
        self.threads: set[int] = set()
        self.starts: list[float] = []
        self.now = self.most = 0

    def search(self, query: Query) -> Ranking:
        with self._lock:
            self.starts.append(time.monotonic())
            self.texts.append(query.text)
            self.threads.add(threading.get_ident())
            self.now += 1
            self.most = max(self.most, self.now)
        try:
            self._before(query)
        finally:
            with self._lock:
                self.now -= 1
        return Ranking((Hit(id=query.text),))


def questions(number: int) -> list[CaseQuery]:
    return [CaseQuery(f"q{n}", Query(f"text {n}")) for n in range(number)]


def rows(run: Run) -> dict[str, dict[str, object]]:
    return {row["query"]: row for shard in run.shards() for row in shard.queries.iter_rows(named=True)}


def ids(run: Run) -> dict[str, str]:
    found = (shard.scan_hits(["query", "id"]).collect() for shard in run.shards())
    return dict(row for frame in found for row in frame.iter_rows())


def fails(times: int, error: Callable[[], Exception]) -> Callable[[Query], None]:
    left: dict[str, int] = {}
    lock = threading.Lock()

    def fail(query: Query) -> None:
        with lock:
            left[query.text] = left.get(query.text, times) - 1
            if left[query.text] >= 0:
                raise error()

    return fail


def busy(retry_after: float | None = None) -> RetriableError:
    return RetriableError(Problem("server", "status 503", "status 200"), retry_after, 503)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "_FIRST_WAIT", 0.001)


def test_threads_ask_as_many_at_once_as_wanted_and_no_more() -> None:
    system = Asked(lambda _: time.sleep(0.01))
    run = execute(questions(40), [system] * 8, manifest=MANIFEST)
    assert system.most == 8
    assert len(system.threads) == 8
    assert ids(run) == {f"q{n}": f"text {n}" for n in range(40)}


def test_one_worker_asks_in_the_thread_of_whoever_called() -> None:
    system = Asked()
    execute(questions(3), system, manifest=MANIFEST)
    assert system.threads == {threading.get_ident()}


def test_latency_is_that_of_the_system_and_not_of_waiting_for_a_turn() -> None:
    system = Asked(lambda _: time.sleep(0.005))
    started = time.monotonic()
    run = execute(questions(8), [system] * 4, manifest=MANIFEST, pace=Pace(rate=10))
    assert time.monotonic() - started > 7 / 10
    latencies = sorted(float(str(row["latency_ms"])) for row in rows(run).values())
    # All but the first waited 100 to 400 ms for their turn; half may have been held up by another process.
    assert 5 <= latencies[len(latencies) // 2] < 80


def test_every_answer_comes_once_whatever_the_number_of_threads(tmp_path: Path) -> None:
    system = Asked()
    run = execute(
        questions(500), [system] * 16, manifest=MANIFEST, keep=KeepOptions(folder=tmp_path, shard_size=7)
    )
    assert sorted(system.texts) == sorted(f"text {n}" for n in range(500))
    assert ids(run) == {f"q{n}": f"text {n}" for n in range(500)}


def test_a_retriable_error_is_asked_again_until_it_is_answered(quick: None) -> None:
    run = execute(questions(3), Asked(fails(2, busy)), manifest=MANIFEST, pace=Pace(retries=2))
    assert {(row["status"], row["attempts"]) for row in rows(run).values()} == {("ok", 3)}


def test_retries_end_and_are_counted(quick: None) -> None:
    run = execute(questions(1), Asked(fails(9, busy)), manifest=MANIFEST, pace=Pace(retries=3))
    (row,) = rows(run).values()
    assert (row["status"], row["attempts"], row["latency_ms"]) == ("error", 4, None)
    assert "status 503" in str(row["error"])


def test_retries_can_be_switched_off() -> None:
    run = execute(questions(1), Asked(fails(1, busy)), manifest=MANIFEST, pace=Pace(retries=0))
    (row,) = rows(run).values()
    assert (row["status"], row["attempts"]) == ("error", 1)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (SystemFailedError(Problem("server", "status 404", "status 200")), "error"),
        (TimeoutError("late"), "timeout"),
        (ConnectionError("an adapter says what is retriable, not the exception"), "error"),
    ],
)
def test_nothing_else_is_asked_again(error: Exception, status: str) -> None:
    run = execute(questions(1), Asked(fails(1, lambda: error)), manifest=MANIFEST, pace=Pace(retries=5))
    (row,) = rows(run).values()
    assert (row["status"], row["attempts"]) == (status, 1)


def test_a_system_that_asks_to_be_left_alone_is_left_alone_by_all_threads(quick: None) -> None:
    first = fails(1, lambda: busy(1.0))
    four = threading.Barrier(4, timeout=30)

    def only_the_first(query: Query) -> None:
        if len(system.starts) <= 4:
            four.wait()
        if query.text == "text 0":
            first(query)
        time.sleep(0.4)

    system = Asked(only_the_first)
    execute(questions(8), [system] * 4, manifest=MANIFEST)
    starts = sorted(system.starts)
    # Four begin together; nothing more until the time is over.
    assert starts[4] - starts[3] >= 1.0


def test_a_system_that_asks_for_an_hour_has_failed() -> None:
    run = execute(questions(1), Asked(fails(1, lambda: busy(3600))), manifest=MANIFEST)
    (row,) = rows(run).values()
    assert (row["status"], row["attempts"]) == ("error", 1)


def test_waiting_doubles_and_half_of_it_is_chance() -> None:
    for attempt, whole in enumerate((0.2, 0.4, 0.8, 1.6)):
        found = [backoff(attempt) for _ in range(200)]
        assert whole / 2 <= min(found) < whole * 0.6
        assert whole * 0.9 < max(found) <= whole
    assert backoff(50) <= 10


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_tokens_come_at_the_rate_and_a_rest_saves_no_more_than_the_burst() -> None:
    clock = Clock()
    limiter = Limiter(10, burst=3, clock=clock)
    assert [round(limiter.reserve() - 100, 3) for _ in range(5)] == [0, 0, 0, 0.1, 0.2]
    clock.now = 200.0
    assert [round(limiter.reserve() - 200, 3) for _ in range(4)] == [0, 0, 0, 0.1]


def test_the_rate_holds_after_a_pause_too() -> None:
    limiter = Limiter(40)
    starts: list[float] = []

    def take() -> None:
        assert limiter.wait()
        starts.append(time.monotonic())

    threads = [threading.Thread(target=take) for _ in range(12)]
    for thread in threads:
        thread.start()
    over = time.monotonic() + 0.5
    limiter.pause(0.5)
    for thread in threads:
        thread.join()
    late = [start for start in sorted(starts) if start >= over]
    # A thread may be late, never early.
    assert late
    assert all(start - over >= number / 40 for number, start in enumerate(late))


def test_without_a_rate_nothing_waits() -> None:
    limiter = Limiter(None, clock=Clock())
    assert {limiter.reserve() for _ in range(100)} == {100.0}


def test_no_second_has_more_questions_than_the_rate_allows() -> None:
    system = Asked()
    begun = time.monotonic()
    execute(questions(30), [system] * 8, manifest=MANIFEST, pace=Pace(rate=50))
    # A thread may be late, never early.
    assert all(start - begun >= number / 50 - 1e-6 for number, start in enumerate(sorted(system.starts)))


def test_every_worker_warms_up_and_nothing_of_it_is_stored(tmp_path: Path) -> None:
    system = Asked(lambda _: time.sleep(0.002))
    run = execute(
        questions(4), [system] * 3, manifest=MANIFEST, pace=Pace(warmup=2), keep=KeepOptions(folder=tmp_path)
    )
    assert len(system.texts) == 3 * 2 + 4
    assert set(rows(run)) == {"q0", "q1", "q2", "q3"}
    assert StoredRun.open(tmp_path).manifest.paces == ({"concurrency": 3, "warmup": 2},)


def test_a_warm_up_that_fails_changes_nothing() -> None:
    run = execute(questions(2), Asked(fails(1, busy)), manifest=MANIFEST, pace=Pace(warmup=2, retries=0))
    assert {row["status"] for row in rows(run).values()} == {Answer.OK.value}


def test_a_run_that_is_resumed_at_another_pace_says_so(tmp_path: Path) -> None:
    execute(questions(2), Asked(), manifest=MANIFEST, keep=KeepOptions(folder=tmp_path))
    execute(
        questions(2), [Asked()] * 2, manifest=MANIFEST, keep=KeepOptions(folder=tmp_path, existing="resume")
    )
    assert StoredRun.open(tmp_path).manifest.paces == ({}, {"concurrency": 2})


def test_an_interrupt_keeps_what_threads_had_answered(tmp_path: Path) -> None:
    class Interrupting:
        """A progress that is interrupted, as a person would: while answers are being gathered."""

        def __init__(self) -> None:
            self.told = 0

        def start(self, total: int, doing: str = "") -> None: ...

        def advance(self, errors: int) -> None:  # noqa: ARG002 - the protocol's
            self.told += 1
            if self.told == 20:
                raise KeyboardInterrupt

        def finish(self) -> None: ...

    system = Asked(lambda _: time.sleep(0.001))
    with pytest.raises(KeyboardInterrupt):
        execute(
            questions(200),
            [system] * 4,
            manifest=MANIFEST,
            keep=KeepOptions(folder=tmp_path),
            progress=Interrupting(),
        )
    stored = StoredRun.open(tmp_path)
    kept = set(rows(stored))
    assert 20 <= len(kept) < 200
    assert stored.manifest.finished is None
    again = Asked()
    run = execute(
        questions(200), [again] * 4, manifest=MANIFEST, keep=KeepOptions(folder=tmp_path, existing="resume")
    )
    assert len(again.texts) == 200 - len(kept)
    assert ids(run) == {f"q{n}": f"text {n}" for n in range(200)}


def test_an_error_of_our_own_ends_the_run() -> None:
    def place(_: pl.DataFrame, texts: Sequence[str | None]) -> pl.DataFrame:
        raise SystemExit(len(texts))

    with pytest.raises(SystemExit):
        execute(questions(9), [Asked()] * 3, manifest=MANIFEST, place=place)


def test_a_system_that_is_not_thread_safe_is_opened_once_a_thread_and_closed() -> None:
    closed: list[Single] = []

    class Single(Asked):
        thread_safe = False

        def another(self) -> Single:
            return Single()

        def close(self) -> None:
            closed.append(self)

    system = Single()
    with open_instances(system, 3) as instances:
        assert len(set(map(id, instances))) == 3
        execute(questions(30), instances, manifest=MANIFEST)
        assert all(len(one.threads) <= 1 for one in instances if isinstance(one, Single))
    assert closed == [*reversed(instances[1:])]


def test_a_system_that_is_there_only_once_is_refused_to_several_threads() -> None:
    class Single(Asked):
        thread_safe = False

    with (
        pytest.raises(InputError, match=r"found 4, expected 1 .* thread_safe = true"),
        open_instances(Single(), 4),
    ):
        pass
    with open_instances(Single(), 1) as instances:
        assert len(instances) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"concurrency": 0},
        {"rate": 0.0},
        {"rate": float("inf")},
        {"retries": -1},
        {"warmup": -1},
        {"burst": 0},
    ],
)
def test_a_pace_that_makes_no_sense_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        Pace().but(**wrong)
