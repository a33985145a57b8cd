"""A worker of a cluster: opens the system where it is, and asks what it is sent by threads of its own.

It knows nothing of what carries the messages. Questions are put in line as they come, so that its threads
have the next while answers are on their way.
"""

from __future__ import annotations

import os
import socket
import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError, RankgateError, SystemFailedError, described
from rankgate.evaluation.contents import system_contents
from rankgate.evaluation.executors.shared_limiter import SharedLimiter
from rankgate.evaluation.project.opening import askable, opened
from rankgate.model.systems import COUNTERS, counts_of, system_version
from rankgate.runs.asking.deadline import RunDeadline
from rankgate.runs.asking.workers import QuestionLine, Workers, open_instances

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from rankgate.evaluation.configuration import SystemEntry
    from rankgate.evaluation.executors.throttle import Grant, SlotRequest
    from rankgate.model import System
    from rankgate.model.suite import Suite
    from rankgate.runs.asking.ask import AnswerRecord, CaseQuery
    from rankgate.runs.asking.pace import Pace

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class WorkerOrder:
    """What a worker is to do; sent once, when it is started."""

    entry: SystemEntry
    """The system, as the configuration describes it: names of variables, none of their values."""
    root: Path
    """The folder of the configuration, on every machine."""
    here: Path
    """The folder that the command was called in."""
    suite: Suite
    """What is asked, without its cases: where its corpus lies."""
    corpus_root: Path
    """The folder that the corpus must be in."""
    pace: Pace
    """How hard all workers ask together."""
    made_of: Mapping[str, str] | None = None
    """What the system is made of where the run is kept; None to take it as it is."""
    threads: int = 1
    """How many questions this worker asks at once."""
    deadline: str | None = None
    """When to end, as it was written."""


@dataclass(frozen=True, slots=True)
class Work:
    """One message to a worker."""

    questions: Sequence[CaseQuery] = ()
    """What to ask beside what it was sent before."""
    warm_up: Sequence[CaseQuery] = ()
    """What to ask and forget, before anything else."""
    left: float | None = None
    """How many seconds are left to the deadline."""
    wait: float = 0.25
    """How many seconds to wait for answers, where there are few."""
    stop: bool = False
    """True to ask nothing more."""


@dataclass(frozen=True, slots=True)
class WorkerReply:
    """What a worker has done since the last message."""

    answers: Sequence[AnswerRecord] = ()
    """What became of questions, in the order in which it was known."""
    error: RankgateError | None = None
    """Why it cannot go on: the system does not open there, or is another one."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """What its instances of the system counted so far."""


class ClusterWorker:
    """Asks what it is sent. Messages come one at a time.

    Args:
        order: What to do.
        fetch: Calls the throttle that all workers share.
    """

    def __init__(self, order: WorkerOrder, fetch: Callable[[SlotRequest], Grant]) -> None:
        self._order, self._fetch = order, fetch
        self._line = QuestionLine()
        self._done: deque[AnswerRecord] = deque()
        self._under_way = 0
        self._changed = threading.Condition()
        self._error: RankgateError | None = None
        self._limiter: SharedLimiter | None = None
        self._systems: tuple[System, ...] = ()
        self._warm_up: Sequence[CaseQuery] = ()
        self._thread: threading.Thread | None = None

    def exchange(self, work: Work) -> WorkerReply:
        """Take questions, and return what was answered since the last call."""
        if self._thread is None:
            self._warm_up = work.warm_up
            # In one thread from opening on: a system that is asked by one thread may mind which it is.
            self._thread = threading.Thread(target=self._work, args=(work.left,), daemon=True)
            self._thread.start()
        self._line.put(work.questions)
        with self._changed:
            self._under_way += len(work.questions)
            if work.stop:
                self._stop()
            else:
                self._changed.wait_for(self._enough, work.wait)
            answers = [self._done.popleft() for _ in range(len(self._done))]
            self._under_way -= len(answers)
            return WorkerReply(answers, self._error, self._counts())

    def _enough(self) -> bool:
        """Check whether the answers are worth a message: half of all, since the rest takes a while yet."""
        return self._error is not None or (bool(self._done) and 2 * len(self._done) >= self._under_way)

    def _stop(self) -> None:
        self._line.end()
        if self._limiter is not None:
            self._limiter.stop()

    def _counts(self) -> Mapping[str, int]:
        counted = [counts_of(one) for one in {id(one): one for one in self._systems}.values()]
        return {kind: sum(one[kind] for one in counted) for kind in COUNTERS}

    def _work(self, left: float | None) -> None:
        try:
            self._answer_all(left)
        except RankgateError as error:
            self._fail(error)
        except BaseException as error:  # noqa: BLE001 - told to whoever started this
            self._fail(
                SystemFailedError(Code.SYSTEM_RAISED(_host(), described(error), "a system that opens"))
            )

    def _fail(self, error: RankgateError) -> None:
        with self._changed:
            self._error = error
            self._changed.notify_all()

    def _answer_all(self, left: float | None) -> None:
        order = self._order
        with suppress(OSError):
            os.chdir(order.here)
        with opened(order.entry, order.root, order.suite, order.corpus_root) as made:
            self._check(system := askable(made, order.entry.name))
            deadline = None if order.deadline is None else RunDeadline(order.deadline, left=left)
            self._limiter = limiter = SharedLimiter(
                self._fetch, limited=order.pace.rate is not None, deadline=deadline
            )
            with open_instances(system, order.threads) as systems:
                self._systems = systems
                watched = tuple(map(limiter.watching, systems))
                workers = Workers(watched, order.pace, deadline, limiter)
                workers.warm_up(self._warm_up)
                for answer in workers.answers(self._line):
                    if answer is not None:
                        with self._changed:
                            self._done.append(answer)
                            if self._enough():
                                self._changed.notify_all()

    def _check(self, system: System) -> None:
        """Check that the system here is the one that the run says it is made of."""
        if self._order.made_of is None:
            return
        wanted, found = self._order.made_of, made_of(self._order.entry, system, self._order.root)
        differing = sorted(name for name in {*wanted, *found} if wanted.get(name) != found.get(name))
        if differing:
            more = f" and {len(differing) - _SHOWN} more" if differing[_SHOWN:] else ""
            names = ", ".join(differing[:_SHOWN]) + more
            fix = "bring the project, its packages and its variables on all machines to one state"
            where = f"{self._order.entry.name} on {_host()}"
            problem = Code.OTHER_ANSWERS(where, f"another {names}", "the same system on every machine", fix)
            raise InputError(problem)


def made_of(entry: SystemEntry, system: System, root: Path) -> dict[str, str]:
    """Return what must be the same on every machine: the version and the contents of a system."""
    return {"version": str(system_version(system)), **system_contents(entry, system, root).known}


def _host() -> str:
    return socket.gethostname()
