"""Where the answers of a run come from: threads of this process (`workers.py`), or workers elsewhere."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from rankgate.model.systems import counts_of
from rankgate.runs.asking.workers import open_instances

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from rankgate.model.search import System
    from rankgate.runs.asking.ask import AnswerRecord, CaseQuery
    from rankgate.runs.asking.deadline import RunDeadline
    from rankgate.runs.asking.pace import Pace


@runtime_checkable
class AnswerSource(Protocol):
    """Who answers the questions of a run: threads of this process, or workers elsewhere."""

    def warm_up(self, questions: Sequence[CaseQuery]) -> None:
        """Let every worker ask some questions and forget the answers, whatever they are."""
        ...

    def answers(self, questions: Iterator[CaseQuery]) -> Iterator[AnswerRecord | None]:
        """Ask every question, and give what became of each once, as soon as it is known.

        None is given every now and then, whether there was an answer or not.
        """
        ...

    def left(self) -> list[AnswerRecord]:
        """Stop what is under way, and give the answers that had come and were not taken yet."""
        ...


class RemoteAnswers(AnswerSource, Protocol):
    """Answers from elsewhere, of which only what is asked for is known here."""

    def counts(self) -> Mapping[str, int]:
        """Return what all instances of the system counted so far, by `COUNTERS`."""
        ...

    def notes(self) -> tuple[str, ...]:
        """Return what was lost and repeated on the way, in words."""
        ...


class Executor(Protocol):
    """Has a system asked elsewhere."""

    def answering(
        self, system: System, pace: Pace, deadline: RunDeadline | None
    ) -> AbstractContextManager[RemoteAnswers]:
        """Yield who answers, as long as questions come.

        Args:
            system: The system as it is open here.
            pace: How hard it is asked, by all together.
            deadline: When the run ends.
        """
        ...


@dataclass(frozen=True, slots=True)
class Asked:
    """Who is asked for a while."""

    instances: tuple[System, ...]
    """Instances of the system in this process, one for each thread that asks."""
    remote: RemoteAnswers | None = None
    """Who answers in their place."""

    @property
    def source(self) -> tuple[System, ...] | RemoteAnswers:
        """Where answers come from."""
        return self.remote or self.instances

    def counts(self) -> Mapping[str, int]:
        """Return what was counted so far, by `COUNTERS`, wherever it was."""
        counted = Counter(self.remote.counts() if self.remote else {})
        for one in {id(one): one for one in self.instances}.values():
            counted.update(counts_of(one))
        return counted

    def notes(self) -> tuple[str, ...]:
        """Return what was lost and repeated on the way, in words."""
        return self.remote.notes() if self.remote else ()


@contextmanager
def open_source(
    system: System, pace: Pace, deadline: RunDeadline | None, executor: Executor | None
) -> Iterator[Asked]:
    """Open as many instances as threads ask, or have the system asked elsewhere.

    Raises:
        InputError: for a system that cannot be asked so.
    """
    if executor is not None:
        with executor.answering(system, pace, deadline) as remote:
            yield Asked((system,), remote)
    else:
        with open_instances(system, pace.concurrency) as instances:
            yield Asked(instances)
