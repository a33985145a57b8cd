"""The side of whoever keeps the run: hands out questions to the workers of a cluster, and takes the answers.

Every worker has one message under way. Where it is lost, what it was sent and did not answer is asked again,
by the others or by one that takes its place, and nothing else is.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from rankgate.errors import Code, SystemFailedError
from rankgate.evaluation.executors.cluster_worker import Work, WorkerReply
from rankgate.model.verdict import Answer
from rankgate.model.wording import many
from rankgate.runs.asking.ask import AnswerRecord
from rankgate.runs.asking.pace import A_WHILE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Self

    from rankgate.runs.asking.ask import CaseQuery
    from rankgate.runs.asking.deadline import RunDeadline

BATCH = 200
"""How many questions a worker is sent at once; twice as many are lost with it at most."""
PATIENCE = 60.0
"""How many seconds a run goes on without any worker."""
FIRST_PATIENCE = 300.0
"""How many seconds the first worker may take to start: a cluster may have to grow for it."""
_STOPPING = 5.0
_MOST_LOSSES = 3
_ALONE = _MOST_LOSSES - 1
_MOST_FAILED_STARTS = 3


class WorkerLostError(Exception):
    """A worker is gone, with whatever it was asked."""


class ClusterEdge(Protocol):
    """What starts workers and carries messages to them; workers and calls are whatever it likes."""

    def start(self, threads: int) -> Any:
        """Start a worker, now or as soon as there is room."""
        ...

    def send(self, worker: Any, work: Work) -> Any:
        """Send a message, and return the call."""
        ...

    def wait(self, calls: Sequence[Any], seconds: float) -> Sequence[Any]:
        """Wait until one of the calls is done, and return those that are."""
        ...

    def reply(self, call: Any) -> WorkerReply:
        """Return what came of a call that is done.

        Raises:
            WorkerLostError: where the worker is gone.
        """
        ...

    def end(self, worker: Any) -> None:
        """End a worker, whether it still is there or not."""
        ...


@dataclass(slots=True, eq=False)
class _Worker:
    """One worker, as it is known here."""

    handle: Any
    threads: int
    call: Any = None
    sent: dict[str, CaseQuery] = field(default_factory=dict)
    replied: bool = False
    counts: Mapping[str, int] = field(default_factory=dict)


class ClusterAnswers:
    """Answers from the workers of a cluster; used with ``with``.

    Args:
        edge: What carries messages.
        threads: How many questions each worker asks at once; as many workers are started with the first.
        warmup: How many questions each thread asks before those that count.
        deadline: When the run ends.
        clock: The time, for tests.
    """

    def __init__(
        self,
        edge: ClusterEdge,
        threads: Sequence[int],
        *,
        warmup: int = 0,
        deadline: RunDeadline | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._edge, self._warmup, self._deadline, self._clock = edge, warmup, deadline, clock
        self._threads, self._workers = threads, list[_Worker]()
        self._again: deque[CaseQuery] = deque()
        self._losses: Counter[str] = Counter()
        self._warm_up: Sequence[CaseQuery] = ()
        self._batch = BATCH
        self._failed_starts = 0
        self._questions: Iterator[CaseQuery] = iter(())
        self._ahead: CaseQuery | None = None
        self._silent, self._patience = 0.0, FIRST_PATIENCE
        self._counted: Counter[str] = Counter()
        self.lost_workers = 0
        """How many workers were lost so far."""
        self.asked_again = 0
        """How many questions were sent once more because a worker was lost."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for worker in self._workers:
            self._edge.end(worker.handle)

    def _start(self) -> None:
        """Start the workers, where there is something to ask: a run that is complete needs none."""
        if not self._workers:
            self._workers = [_Worker(self._edge.start(number), number) for number in self._threads]

    def warm_up(self, questions: Sequence[CaseQuery]) -> None:
        """Let every worker begin with some questions, and forget the answers."""
        # Small enough that all workers have some to do at the end, and that a lost one costs little.
        self._batch = max(1, min(BATCH, len(questions) // (4 * len(self._threads))))
        if questions and self._warmup:
            self._warm_up = [questions[number % len(questions)] for number in range(self._warmup)]

    def answers(self, questions: Iterator[CaseQuery]) -> Iterator[AnswerRecord | None]:
        """Ask every question, and give what became of each once; None every now and then.

        Raises:
            SystemFailedError: where no worker is left for a while, or none can be started.
            RankgateError: where the system does not open on a worker, or is another one there.
        """
        self._questions, self._silent = questions, 0.0
        self._ahead = next(questions, None)
        if self._ahead is not None:
            self._start()
        while self._ahead is not None or self._again or any(worker.sent for worker in self._workers):
            for worker in self._workers:
                if worker.call is None:
                    self._send(worker, self._batch_for(worker))
            calls = {worker.call: worker for worker in self._workers if worker.call is not None}
            begun = self._clock()
            done = self._edge.wait(tuple(calls), A_WHILE)
            self._note_silence(0.0 if done else self._clock() - begun)
            for call in done:
                yield from self._taken(calls[call])
            yield None

    def left(self) -> list[AnswerRecord]:
        """Stop the workers where something is under way, and give what they had answered."""
        asked = [worker for worker in self._workers if worker.sent]
        if not asked:
            return []
        answers: list[AnswerRecord] = []
        end = self._clock() + _STOPPING
        for stopping in (False, True):
            if stopping:
                for worker in asked:
                    self._send(worker, [], stop=True)
            calls = {worker.call: worker for worker in asked if worker.call is not None}
            while calls and self._clock() < end:
                for call in self._edge.wait(tuple(calls), A_WHILE):
                    worker = calls.pop(call)
                    worker.call = None
                    try:
                        answers += self._new_answers(worker, self._edge.reply(call))
                    except WorkerLostError:
                        asked.remove(worker)
            asked = [worker for worker in asked if worker.call is None]
        for worker in self._workers:
            worker.sent.clear()
        return answers

    def counts(self) -> Mapping[str, int]:
        """Return what all instances of the system counted; those of lost workers up to their last reply."""
        return sum((Counter(worker.counts) for worker in self._workers), self._counted)

    def notes(self) -> tuple[str, ...]:
        """Return how many workers were lost, and what that cost; nothing where none was."""
        if not self.lost_workers:
            return ()
        again = many(self.asked_again, "query", "queries")
        return (f"{many(self.lost_workers, 'worker')} of the cluster lost, {again} asked again for it",)

    def _batch_for(self, worker: _Worker) -> list[CaseQuery]:
        """Return what to send to a worker: one batch is under way there, and one in line.

        One that has not been heard of gets nothing yet: there may never be room for it.
        """
        if not worker.replied or any(self._losses[name] >= _ALONE for name in worker.sent):
            return []
        batch: list[CaseQuery] = []
        room = 2 * max(self._batch, worker.threads) - len(worker.sent)
        while self._again and len(batch) < room:
            if self._losses[self._again[0].id] >= _ALONE:
                # Perhaps it is what ends workers; then it takes no other question with it.
                return batch if batch or worker.sent else [self._again.popleft()]
            batch.append(self._again.popleft())
        while self._ahead is not None and len(batch) < room:
            batch.append(self._ahead)
            self._ahead = next(self._questions, None)
        return batch

    def _send(self, worker: _Worker, batch: list[CaseQuery], *, stop: bool = False) -> None:
        """Send a message, unless the worker has nothing to do and has been heard of."""
        if not batch and not worker.sent and worker.replied and not stop:
            return
        worker.sent |= {one.id: one for one in batch}
        left = None if self._deadline is None else self._deadline.left
        worker.call = self._edge.send(worker.handle, Work(batch, self._warm_up, left, stop=stop))

    def _taken(self, worker: _Worker) -> Iterator[AnswerRecord]:
        call, worker.call = worker.call, None
        try:
            reply = self._edge.reply(call)
        except WorkerLostError as error:
            yield from self._replaced(worker, str(error))
            return
        if reply.error is not None:
            raise reply.error
        worker.replied, self._failed_starts = True, 0
        self._silent, self._patience = 0.0, PATIENCE
        yield from self._new_answers(worker, reply)

    def _new_answers(self, worker: _Worker, reply: WorkerReply) -> list[AnswerRecord]:
        """Return the answers to what the worker was sent; others are dropped, so that each comes once."""
        worker.counts = reply.counts
        return [one for one in reply.answers if worker.sent.pop(one.id, None) is not None]

    def _replaced(self, worker: _Worker, words: str) -> Iterator[AnswerRecord]:
        """Put another worker in the place of one that is lost, and its questions in line again."""
        self._edge.end(worker.handle)
        self._counted.update(worker.counts)
        self.lost_workers += 1
        if not worker.replied:
            self._failed_starts += 1
            if self._failed_starts >= _MOST_FAILED_STARTS * len(self._workers):
                found = f"workers that do not start: {words}"
                raise SystemFailedError(Code.SYSTEM_FAILED("--executor", found, "workers that ask"))
        self._losses.update(worker.sent.keys())
        for name, question in worker.sent.items():
            if self._losses[name] >= _MOST_LOSSES:
                error = f"the worker that asked it was lost {_MOST_LOSSES} times [{Code.SYSTEM_FAILED}]"
                yield AnswerRecord(name, status=Answer.ERROR, error=error, attempts=_MOST_LOSSES)
            else:
                self._again.append(question)
                self.asked_again += 1
        self._workers[self._workers.index(worker)] = _Worker(self._edge.start(worker.threads), worker.threads)

    def _note_silence(self, seconds: float) -> None:
        """Count how long nothing was heard of any worker: each that is there replies within a second."""
        self._silent += seconds
        if self._silent <= self._patience:
            return
        found = f"no worker of the cluster for {self._patience:g} s"
        fix = "see that the cluster is up and has room, and resume: what was answered is stored"
        raise SystemFailedError(Code.SYSTEM_FAILED("--executor", found, "one that asks", fix))
