"""Who keeps a run hands out questions and takes answers: lost workers, answers from the dead, interrupts."""

from __future__ import annotations

import dataclasses
import itertools
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import InputError, SystemFailedError
from rankgate.evaluation.configuration import SystemEntry, SystemSource
from rankgate.evaluation.executors import cluster
from rankgate.evaluation.executors.cluster import BATCH, ClusterAnswers, WorkerLostError
from rankgate.evaluation.executors.cluster_worker import ClusterWorker, Work, WorkerOrder, WorkerReply
from rankgate.evaluation.executors.executor import shares
from rankgate.evaluation.executors.throttle import Throttle
from rankgate.model.search import Query
from rankgate.model.suite import Suite
from rankgate.model.verdict import Answer
from rankgate.runs.asking.ask import AnswerRecord, CaseQuery
from rankgate.runs.asking.deadline import RunDeadline
from rankgate.runs.asking.execute import KeepOptions, execute
from rankgate.runs.asking.pace import Pace
from rankgate.runs.store.manifest import Manifest
from rankgate.runs.store.run_folder import StoredRun

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


def questions(number: int) -> list[CaseQuery]:
    return [CaseQuery(f"q{at}", Query(f"text {at}")) for at in range(number)]


class ScriptedEdge:
    """Workers that answer every question of a message in the next reply, unless a test says otherwise."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, str]] = []
        self.started = self.ended = 0
        self.lose: Callable[[int, Work], bool] = lambda _worker, _work: False
        self.answer: Callable[[int, Work], list[AnswerRecord]] = self.answers
        self.silent: Callable[[int], bool] = lambda _worker: False
        self._calls: dict[int, tuple[int, Work]] = {}
        self._numbers = itertools.count()

    def start(self, threads: int) -> int:  # noqa: ARG002 - as the protocol has it
        self.started += 1
        return self.started - 1

    def send(self, worker: int, work: Work) -> int:
        call = next(self._numbers)
        self._calls[call] = (worker, work)
        self.asked += [(worker, one.id) for one in work.questions]
        return call

    def wait(self, calls: Sequence[int], seconds: float) -> Sequence[int]:  # noqa: ARG002 - as above
        return [call for call in calls if not self.silent(self._calls[call][0])]

    def reply(self, call: int) -> WorkerReply:
        worker, work = self._calls.pop(call)
        if self.lose(worker, work):
            raise WorkerLostError("its machine is gone")
        return WorkerReply(self.answer(worker, work), counts={"dropped": 1})

    def answers(self, _worker: int, work: Work) -> list[AnswerRecord]:
        return [AnswerRecord(one.id) for one in work.questions]

    def end(self, worker: Any) -> None:  # noqa: ARG002 - as above
        self.ended += 1


def test_no_worker_is_started_where_nothing_is_asked() -> None:
    edge = ScriptedEdge()
    with ClusterAnswers(edge, [1, 1]) as answers:
        assert taken(answers, []) == []
        assert answers.left() == []
        assert edge.started == 0
        assert len(taken(answers, questions(3))) == 3
        assert len(taken(answers, questions(3))) == 3
    assert (edge.started, edge.ended) == (2, 2)


def taken(answers: ClusterAnswers, asked: list[CaseQuery]) -> list[AnswerRecord]:
    answers.warm_up(asked)
    return [one for one in answers.answers(iter(asked)) if one is not None]


def test_every_question_is_sent_once_and_every_answer_taken_once() -> None:
    edge, asked = ScriptedEdge(), questions(5000)
    with ClusterAnswers(edge, [1, 1, 1]) as answers:
        found = taken(answers, asked)
    assert sorted(one.id for one in found) == sorted(one.id for one in asked)
    assert len(edge.asked) == 5000
    assert edge.ended == 3
    assert answers.notes() == ()
    assert answers.counts() == {"dropped": 3}


def test_all_workers_have_something_to_do_where_there_are_few_questions() -> None:
    edge = ScriptedEdge()
    with ClusterAnswers(edge, [1, 1, 1, 1]) as answers:
        taken(answers, questions(40))
    assert {worker for worker, _ in edge.asked} == {0, 1, 2, 3}


def test_what_a_lost_worker_had_is_asked_again_and_nothing_else() -> None:
    edge, asked = ScriptedEdge(), questions(5000)
    seen = itertools.count()
    edge.lose = lambda worker, work: worker == 1 and bool(work.questions) and next(seen) == 2
    with ClusterAnswers(edge, [1, 1, 1]) as answers:
        found = taken(answers, asked)
    names = [name for _, name in edge.asked]
    again = {name for name in names if names.count(name) > 1}
    assert sorted(one.id for one in found) == sorted(one.id for one in asked)
    assert 0 < len(again) <= 2 * BATCH
    assert {worker for worker, name in edge.asked if name in again} >= {1}
    assert answers.notes() == (f"1 worker of the cluster lost, {len(again)} queries asked again for it",)
    assert edge.started == 4


def test_a_worker_for_which_there_is_no_room_holds_no_questions_back() -> None:
    edge, asked = ScriptedEdge(), questions(300)
    edge.silent = lambda worker: worker == 1
    with ClusterAnswers(edge, [1, 1]) as answers:
        found = taken(answers, asked)
    assert len(found) == 300
    assert {worker for worker, _ in edge.asked} == {0}


def test_answers_from_the_dead_and_answers_twice_are_dropped() -> None:
    edge, asked = ScriptedEdge(), questions(100)
    edge.answer = lambda worker, work: [
        *edge.answers(worker, work),
        AnswerRecord("q0"),
        AnswerRecord("other"),
    ]
    with ClusterAnswers(edge, [1, 1]) as answers:
        found = taken(answers, asked)
    assert sorted(one.id for one in found) == sorted(one.id for one in asked)


def test_a_question_that_ends_workers_fails_alone() -> None:
    edge, asked = ScriptedEdge(), questions(100)
    edge.lose = lambda _worker, work: any(one.id == "q50" for one in work.questions)
    with ClusterAnswers(edge, [1, 1]) as answers:
        found = {one.id: one for one in taken(answers, asked)}
    assert len(found) == 100
    failed = [one for one in found.values() if one.status is not Answer.OK]
    assert [one.id for one in failed] == ["q50"]
    assert failed[0].error == "the worker that asked it was lost 3 times [system-failed]"


def test_without_any_worker_the_run_ends_and_what_was_answered_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edge, asked, clock = ScriptedEdge(), questions(2000), itertools.count()
    edge.silent = lambda _worker: len(edge.asked) > 800
    keep = KeepOptions(folder=tmp_path / "run")
    with (
        ClusterAnswers(edge, [1, 1], clock=lambda: float(next(clock))) as answers,
        pytest.raises(SystemFailedError, match="no worker of the cluster for 60 s") as raised,
    ):
        execute(asked, answers, manifest=Manifest("app"), keep=keep)
    assert raised.value.exit_code == 3
    stored = sum(entry.queries.rows for entry in StoredRun.open(tmp_path / "run").manifest.shards)
    assert 0 < stored < 2000
    again = ScriptedEdge()
    with ClusterAnswers(again, [1, 1]) as answers:
        keep = KeepOptions(folder=tmp_path / "run", existing="resume")
        run = execute(asked, answers, manifest=Manifest("app"), keep=keep)
    assert sum(shard.queries.height for shard in run.shards()) == 2000
    assert len(again.asked) == 2000 - stored


def test_workers_that_never_start_end_the_run_with_their_words() -> None:
    edge = ScriptedEdge()
    edge.lose = lambda _worker, _work: True
    with (
        ClusterAnswers(edge, [1, 1]) as answers,
        pytest.raises(SystemFailedError, match="workers that do not start: its machine is gone"),
    ):
        taken(answers, questions(10))


def test_an_interrupt_stores_what_workers_had_answered(tmp_path: Path) -> None:
    edge, asked = ScriptedEdge(), questions(3000)

    interrupts = iter([KeyboardInterrupt()])

    def answer(worker: int, work: Work) -> list[AnswerRecord]:
        if len(edge.asked) > 1000 and (interrupt := next(interrupts, None)):
            raise interrupt
        return edge.answers(worker, work)

    edge.answer = answer
    with ClusterAnswers(edge, [1, 1]) as answers, pytest.raises(KeyboardInterrupt):
        execute(asked, answers, manifest=Manifest("app"), keep=KeepOptions(folder=tmp_path / "run"))
    stored = StoredRun.open(tmp_path / "run").manifest
    assert not stored.finished
    assert sum(entry.queries.rows for entry in stored.shards) > 100


def test_threads_are_divided_among_the_cores() -> None:
    assert [shares(*given) for given in ((16, 3), (2, 8), (1, 1))] == [[6, 5, 5], [1, 1], [1]]


class ThreadEdge:
    """Real workers, each in this process, called in a thread."""

    def __init__(self, order: WorkerOrder) -> None:
        self.throttle = Throttle(order.pace.rate, order.pace.burst)
        self.order = order
        self.workers: list[ClusterWorker] = []
        self._lock = threading.Lock()

    def start(self, threads: int) -> ClusterWorker:
        self.workers.append(
            ClusterWorker(dataclasses.replace(self.order, threads=threads), self.throttle.grant)
        )
        return self.workers[-1]

    def send(self, worker: ClusterWorker, work: Work) -> _Call:
        call: list[Any] = []
        threading.Thread(target=lambda: call.append(worker.exchange(work)), daemon=True).start()
        return _Call(call)

    def wait(self, calls: Sequence[Any], seconds: float) -> Sequence[Any]:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if done := [call for call in calls if call.held]:
                return done
            time.sleep(0.002)
        return []

    def reply(self, call: Any) -> WorkerReply:
        reply: WorkerReply = call.held[0]
        return reply

    def end(self, worker: ClusterWorker) -> None:
        worker.exchange(Work(stop=True))


class _Call:
    def __init__(self, held: list[Any]) -> None:
        self.held = held


def order(tmp_path: Path, text: str, pace: Pace, **options: Any) -> WorkerOrder:
    (tmp_path / "shop.py").write_text(text, encoding="utf-8")
    entry = SystemEntry("shop", SystemSource.FUNCTION, "./shop.py:search", {"thread_safe": True})
    suite = Suite("s", ())
    return WorkerOrder(entry, tmp_path, tmp_path, suite, tmp_path, pace, **options)


SHOP = """
def search(query: str, k: int):
    if query.endswith("7"):
        raise ValueError("seven")
    return [f"{query} {at}" for at in range(k)]
"""


def test_workers_answer_as_the_system_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    edge = ThreadEdge(order(tmp_path, SHOP, Pace(4)))
    with ClusterAnswers(edge, [2, 2], warmup=2) as answers:
        found = {one.id: one for one in taken(answers, questions(300))}
    assert len(found) == 300
    assert found["q12"].ranking.hits[0].id == "text 12 0"
    assert found["q17"].status is Answer.ERROR
    assert found["q17"].error is not None
    assert found["q17"].error.startswith("ValueError: seven (shop.py:4)")


def test_workers_of_a_batch_do_not_wait_for_a_full_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "def search(queries: list, k: int):\n    return [[q + ' 0'] for q in queries]\n"
    made = order(tmp_path, text, Pace(2))
    entry = dataclasses.replace(made.entry, options={"thread_safe": True, "batch": 64})
    edge = ThreadEdge(dataclasses.replace(made, entry=entry))
    with ClusterAnswers(edge, [1, 1]) as answers:
        found = {one.id: one for one in taken(answers, questions(150))}
    assert len(found) == 150
    assert found["q12"].ranking.hits[0].id == "text 12 0"


def test_a_deadline_comes_to_the_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = "import time\n\ndef search(query: str, k: int):\n    time.sleep(0.05)\n    return []\n"
    edge = ThreadEdge(order(tmp_path, text, Pace(2), deadline="1s"))
    with ClusterAnswers(edge, [1, 1], deadline=RunDeadline("1s")) as answers:
        found = taken(answers, questions(400))
    late = [one for one in found if one.status is Answer.TIMEOUT]
    assert len(found) == 400
    assert 0 < len(late) < 400
    assert "the deadline of 1s" in str(late[-1].error)


def test_a_system_that_does_not_open_on_a_worker_ends_the_run(tmp_path: Path) -> None:
    edge = ThreadEdge(order(tmp_path, "x = 1\n", Pace(1)))
    with ClusterAnswers(edge, [1]) as answers, pytest.raises(InputError, match="search"):
        taken(answers, questions(10))


def test_a_machine_with_another_state_of_the_project_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    edge = ThreadEdge(order(tmp_path, SHOP, Pace(1), made_of={"version": "None", "shop.py": "other"}))
    with (
        ClusterAnswers(edge, [1]) as answers,
        pytest.raises(InputError, match="the same system on every machine"),
    ):
        taken(answers, questions(10))


def test_the_patience_counts_waiting_and_not_what_is_done_with_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 0.2)
    edge = ScriptedEdge()
    with ClusterAnswers(edge, [1]) as answers:
        answers.warm_up(questions(2000))
        found = 0
        for one in answers.answers(iter(questions(2000))):
            found += one is not None
            if one is None:
                time.sleep(0.1)
    assert found == 2000
