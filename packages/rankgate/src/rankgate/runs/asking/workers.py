"""Asking many questions: one after another, or by several threads, each with an instance of the system."""

from __future__ import annotations

import threading
import time
from collections import deque
from contextlib import ExitStack, contextmanager
from itertools import count, islice
from queue import SimpleQueue
from typing import TYPE_CHECKING, cast

from rankgate.errors import Code, InputError
from rankgate.plugins import another_of, batch_of, close_system, is_thread_safe, system_name
from rankgate.runs.asking.ask import ask_again, ask_one
from rankgate.runs.asking.batch import ask_many
from rankgate.runs.asking.pace import A_WHILE, Limiter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.model import BatchSystem, System
    from rankgate.runs.asking.ask import AnswerRecord, CaseQuery
    from rankgate.runs.asking.deadline import RunDeadline
    from rankgate.runs.asking.pace import Pace


@contextmanager
def open_instances(system: System, size: int) -> Iterator[tuple[System, ...]]:
    """Yield a system for each of `size` threads; those that are opened here are closed at the end.

    A system that says ``thread_safe`` is the same for all; of one that has ``another()``, each gets its own.

    Raises:
        InputError: for a system that is neither, where more than one thread is wanted.
    """
    if size == 1 or is_thread_safe(system):
        yield (system,) * size
        return
    another = another_of(system)
    if another is None:
        name = system_name(system)
        fix = "say thread_safe = true if it is, or leave concurrency out"
        raise InputError(
            Code.NOT_SUPPORTED(
                f"{name}.concurrency", str(size), "1 for what is not thread-safe and only once there", fix
            )
        )
    with ExitStack() as opened:
        others = []
        for _ in range(size - 1):
            others.append(another())
            opened.callback(close_system, others[-1])
        yield (system, *others)


_WAITING_A_THREAD = 4
_SHORTEST_LOOK, _LONGEST_LOOK = 0.005, 0.05


class _Handover:
    """Carries answers from the threads that ask to the one that stores them.

    That one looks every few milliseconds, and when some are held. Woken for every answer, it would take the
    interpreter from those who ask as often, which costs more than the answer of a fast server.
    """

    def __init__(self, most: int) -> None:
        self._held: deque[AnswerRecord | BaseException | None] = deque()
        self._most = most
        # What is held is lost where the process is ended.
        self._many = most // 2
        self._wake = threading.Event()
        self._look = _SHORTEST_LOOK

    def put(self, one: AnswerRecord | BaseException | None) -> None:
        """Hand over an answer, an error, or that a thread has ended; wait where too many are held."""
        while len(self._held) >= self._most:
            # Answers must not pile up where they are stored more slowly than they come.
            self._wake.set()
            time.sleep(_SHORTEST_LOOK / 10)
        self._held.append(one)
        if one is None or isinstance(one, BaseException) or len(self._held) >= self._many:
            self._wake.set()

    def wait(self) -> None:
        """Wait a while, the longer the less there is."""
        if self._wake.wait(self._look):
            self._wake.clear()
        self._look = _SHORTEST_LOOK if self._held else min(2 * self._look, _LONGEST_LOOK)

    def taken(self) -> Iterator[AnswerRecord | BaseException | None]:
        """Take what there is, one after another."""
        while self._held:
            yield self._held.popleft()


class Workers:
    """One worker a system. A single one works in the thread of whoever asks, because a system may mind."""

    def __init__(
        self,
        systems: Sequence[System],
        pace: Pace,
        deadline: RunDeadline | None = None,
        beside: Workers | None = None,
    ) -> None:
        """Prepare the workers.

        Args:
            systems: The instances of the system, one for each worker.
            pace: How to run the queries.
            deadline: When the run ends.
            beside: The workers of another system, which runs each query too: by turns before and after.
        """
        self._beside, self._turns = beside, count()
        self.records: list[AnswerRecord] = []
        """The results of the queries that ran beside those of another system."""
        self._systems = systems if deadline is None else tuple(map(deadline.asking, systems))
        self._pace = pace
        self._limiter = Limiter(pace.rate, pace.burst, deadline=deadline)
        self._batch = min(map(batch_of, self._systems))
        self._answers = _Handover(len(systems) * _WAITING_A_THREAD * self._batch)
        self._idle: SimpleQueue[System] = SimpleQueue()
        for system in self._systems:
            self._idle.put(system)

    def warm_up(self, questions: Sequence[CaseQuery]) -> None:
        """Let every worker ask some questions and forget the answers, whatever they are."""
        if self._beside is not None:
            self._beside.warm_up(questions)
        if not questions or not self._pace.warmup:
            return
        work = [questions[number % len(questions)] for number in range(self._pace.warmup)]

        def ask(system: System) -> None:
            for question in work:
                if not self._limiter.wait():
                    return
                ask_one(question, system)

        if len(self._systems) == 1:
            ask(self._systems[0])
            return
        threads = [threading.Thread(target=ask, args=(one,), daemon=True) for one in self._systems]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(A_WHILE)

    def answers(self, questions: Iterator[CaseQuery]) -> Iterator[AnswerRecord | None]:
        """Ask every question once, and give what became of each as soon as it is known.

        Where threads ask, None is given every now and then, whether there was an answer or not.
        """
        if len(self._systems) == 1:
            system = self._systems[0]
            while taken := list(islice(questions, self._batch)):
                asked = self._asked(taken, system)
                yield from asked
                if len(asked) < len(taken):
                    return
            return
        yield from self._answers_of_threads(questions)

    def left(self) -> list[AnswerRecord]:
        """Stop, and give the answers that had come and were not taken yet."""
        self._limiter.stop()
        if self._beside is not None:
            self._beside.left()
        return [
            one for one in self._answers.taken() if one is not None and not isinstance(one, BaseException)
        ]

    def _answers_of_threads(self, questions: Iterator[CaseQuery]) -> Iterator[AnswerRecord | None]:
        lock = threading.Lock()

        def next_questions() -> list[CaseQuery]:
            with lock:
                return list(islice(questions, self._batch))

        def work(system: System) -> None:
            try:
                while taken := next_questions():
                    asked = self._asked(taken, system)
                    for one in asked:
                        self._answers.put(one)
                    if len(asked) < len(taken):
                        break
                self._answers.put(None)
            except BaseException as error:  # noqa: BLE001 - told where the answers are taken
                self._answers.put(error)

        # Daemons, so that a system that never answers cannot keep the process from ending.
        for system in self._systems:
            threading.Thread(target=work, args=(system,), daemon=True).start()
        working = len(self._systems)
        while working:
            self._answers.wait()
            yield None
            for one in self._answers.taken():
                if one is None:
                    working -= 1
                elif isinstance(one, BaseException):
                    self._limiter.stop()
                    raise one
                else:
                    yield one

    def _asked(self, questions: list[CaseQuery], system: System) -> list[AnswerRecord]:
        """Ask what one thread took; fewer answers than questions where the run was stopped."""
        if self._beside is None:
            return self._answered(questions, system)
        # The system that runs a query first warms up what both share, so they take turns.
        first = next(self._turns) % 2 == 0
        if first:
            self._beside.run_beside(questions)
        answers = self._answered(questions, system)
        if not first:
            self._beside.run_beside(questions)
        return answers

    def run_beside(self, questions: Sequence[CaseQuery]) -> None:
        """Run queries in a thread of another system's worker, with an instance that is idle."""
        system, left = self._idle.get(), iter(questions)
        try:
            while taken := list(islice(left, self._batch)):
                self.records += self._answered(taken, system)
        finally:
            self._idle.put(system)

    def _answered(self, questions: list[CaseQuery], system: System) -> list[AnswerRecord]:
        if len(questions) > 1:
            # No check of the protocol: since Python 3.12 that does not see what __getattr__ gives.
            return ask_many(questions, cast("BatchSystem", system), self._limiter, self._pace.retries)
        asked = ask_again(questions[0], system, self._limiter, self._pace.retries)
        return [] if asked is None else [asked]
