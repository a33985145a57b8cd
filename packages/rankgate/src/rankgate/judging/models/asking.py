"""Asking a model judge: what it will take, said before; one label for each passage, written at once."""

from __future__ import annotations

import queue
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from rankgate.errors import RetriableError, SystemFailedError
from rankgate.io.secrets import hidden, hiding
from rankgate.judging.models.answer import ModelOpinion, WrongAnswerError, read_answer
from rankgate.model import estimated_tokens
from rankgate.runs.asking.ask import LONGEST_WAIT, backoff, one_line
from rankgate.runs.asking.pace import A_WHILE, Limiter, Pace
from rankgate.systems.adapter.failures import StatusError, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.judging.models.adapters import ModelJudge
    from rankgate.judging.models.answer import ModelAnswer
    from rankgate.judging.models.judge_table import JudgeSettings
    from rankgate.judging.models.prompt import JudgePrompt
    from rankgate.judging.units import JudgingUnit
    from rankgate.runs.asking.progress import Progress
    from rankgate.truth.judgments.labels import Label, LabelLog

MOST_IN_A_ROW = 5
"""After how many passages without an answer, one after another, no more are asked."""


@dataclass(frozen=True, slots=True)
class AskingEstimate:
    """What it takes to ask a judge of some passages, before anything is asked."""

    passages: int
    """How many passages."""
    calls: int
    """How many calls, if none is asked again."""
    most_calls: int
    """How many at most, with those that are asked again."""
    tokens: int
    """The tokens of all prompts, estimated by their bytes."""
    cost: float | None
    """What the calls cost; None where the table does not say."""
    most_cost: float | None
    """What they cost at most."""

    def words(self) -> str:
        """Format it.

        >>> print(AskingEstimate(2, 6, 18, 5000, 0.01, 0.03).words())
        2 passages, 6 calls (18 at most, where calls fail and are made again)
        about 5,000 tokens of prompts (estimated: bytes/4; answers not counted)
        cost: about 0.01 (0.03 at most), by the judge's table
        """
        passages = f"{self.passages:,} passage{'' if self.passages == 1 else 's'}"
        calls = f"{self.calls:,} call{'' if self.calls == 1 else 's'}"
        said = "cost: not known, the judge's table has no cost_per_call and no cost_per_1000_tokens"
        if self.cost is not None:
            said = f"cost: about {self.cost:.4g} ({self.most_cost:.4g} at most), by the judge's table"
        return (
            f"{passages}, {calls} ({self.most_calls:,} at most, where calls fail and are made again)\n"
            f"about {self.tokens:,} tokens of prompts (estimated: bytes/4; answers not counted)\n{said}"
        )


def estimated(
    units: Sequence[JudgingUnit], prompt: JudgePrompt, settings: JudgeSettings, pace: Pace
) -> AskingEstimate:
    """Estimate what it takes; nothing is asked."""
    tokens = settings.repeats * sum(estimated_tokens(prompt.filled(unit).text) for unit in units)
    calls = settings.repeats * len(units)
    cost = None
    if settings.cost_per_call is not None:
        cost = calls * settings.cost_per_call
    elif settings.cost_per_1000_tokens is not None:
        cost = tokens / 1000 * settings.cost_per_1000_tokens
    tries = pace.retries + 1
    most = None if cost is None else cost * tries
    return AskingEstimate(len(units), calls, calls * tries, tokens, cost, most)


@dataclass(frozen=True, slots=True)
class AskingResult:
    """What came of asking a judge."""

    opinions: tuple[ModelOpinion, ...] = ()
    """What it said, of each passage that was labelled."""
    failures: tuple[str, ...] = ()
    """Why others were not, one for each."""
    calls: int = 0
    """How many calls were made."""
    wrong: int = 0
    """How many calls returned an invalid answer."""
    stopped: bool = False
    """True where so many failed in a row that the rest was not asked."""


_Found: TypeAlias = "ModelOpinion | SystemFailedError"


class JudgeAsker:
    """Asks a judge of passages, in threads, and writes each label as soon as all repeats are there.

    Args:
        judge: Who is asked.
        prompt: What is asked.
        repeats: How often of each passage.
        pace: How hard.
    """

    def __init__(
        self, judge: ModelJudge, prompt: JudgePrompt, repeats: int = 1, pace: Pace | None = None
    ) -> None:
        self._judge, self._prompt, self._repeats = judge, prompt, repeats
        self._pace = pace or Pace()
        self._limiter = Limiter(self._pace.rate, self._pace.burst)
        self._answers: queue.Queue[tuple[JudgingUnit, _Found] | BaseException | None] = queue.Queue()
        self._lock = threading.Lock()
        self._calls = self._wrong = self._in_a_row = 0

    def ask(
        self, units: Sequence[JudgingUnit], log: LabelLog, blank: Label, progress: Progress
    ) -> AskingResult:
        """Ask of every passage once; what fails has no label, so that the next call asks it again.

        Args:
            units: The passages.
            log: Where labels are written.
            blank: What every label says of the judge.
            progress: Told how far it is.
        """
        opinions: list[ModelOpinion] = []
        failures: list[str] = []

        def take(unit: JudgingUnit, found: _Found) -> None:
            if isinstance(found, ModelOpinion):
                log.append(model_label(unit, found, blank))
                opinions.append(found)
            else:
                failures.append(hidden(printable(one_line(found))))
            progress.advance(len(failures))

        progress.start(len(units))
        try:
            for unit, found in self._answered(units):
                take(unit, found)
        finally:
            self._limiter.stop()
            # What had come when somebody pressed Ctrl-C was paid for.
            for unit, found in self._left():
                take(unit, found)
            progress.finish()
        stopped = len(opinions) + len(failures) < len(units)
        return AskingResult(tuple(opinions), tuple(failures), self._calls, self._wrong, stopped)

    def _answered(self, units: Sequence[JudgingUnit]) -> Iterator[tuple[JudgingUnit, _Found]]:
        waiting = iter(units)

        def work() -> None:
            try:
                while (unit := self._next(waiting)) is not None:
                    found = self._opinion(unit)
                    if found is None:
                        break
                    self._answers.put((unit, found))
                    self._give_up(failed=not isinstance(found, ModelOpinion))
                self._answers.put(None)
            except BaseException as error:  # noqa: BLE001 - raised where the answers are taken
                self._answers.put(error)

        # Daemons, so that a judge that never answers cannot keep the process from ending.
        working = min(self._pace.concurrency, len(units))
        for _ in range(working):
            threading.Thread(target=work, daemon=True).start()
        while working:
            try:
                one = self._answers.get(timeout=A_WHILE)
            except queue.Empty:
                continue
            if isinstance(one, BaseException):
                raise one
            if one is None:
                working -= 1
            else:
                yield one

    def _left(self) -> Iterator[tuple[JudgingUnit, _Found]]:
        while True:
            try:
                one = self._answers.get_nowait()
            except queue.Empty:
                return
            if isinstance(one, tuple):
                yield one

    def _next(self, waiting: Iterator[JudgingUnit]) -> JudgingUnit | None:
        with self._lock:
            return next(waiting, None)

    def _give_up(self, *, failed: bool) -> None:
        """Ask no more where too many failed, one after another."""
        with self._lock:
            self._in_a_row = self._in_a_row + 1 if failed else 0
            if self._in_a_row >= MOST_IN_A_ROW:
                self._limiter.stop()

    def _opinion(self, unit: JudgingUnit) -> _Found | None:
        """Ask all repeats of one passage; the error where one has no answer, None where all was stopped."""
        answers: list[ModelAnswer] = []
        for _ in range(self._repeats):
            try:
                answer = self._answer(unit)
            except SystemFailedError as error:
                return error
            if answer is None:
                return None
            answers.append(answer)
        return ModelOpinion(tuple(answers))

    def _answer(self, unit: JudgingUnit) -> ModelAnswer | None:
        for attempt in range(self._pace.retries + 1):
            if not self._limiter.wait():
                return None
            with self._lock:
                self._calls += 1
            try:
                return self._asked_once(unit)
            except SystemFailedError as error:
                with self._lock:
                    self._wrong += isinstance(error, WrongAnswerError)
                pause = error.retry_after if isinstance(error, RetriableError) else None
                hopeless = isinstance(error, StatusError) or (pause or 0) > LONGEST_WAIT
                if hopeless or attempt == self._pace.retries:
                    raise
                if pause is not None:
                    self._limiter.pause(pause)
            if not self._limiter.rest(backoff(attempt)):
                return None
        raise AssertionError("the last attempt returns or raises")

    def _asked_once(self, unit: JudgingUnit) -> ModelAnswer:
        with hiding():
            found = self._judge.ask(self._prompt.filled(unit))
            return read_answer(found, self._prompt.scale.grades)


def model_label(unit: JudgingUnit, opinion: ModelOpinion, blank: Label) -> Label:
    """Return the label of a passage."""
    return replace(
        blank,
        case=unit.case,
        query=unit.query,
        at=None if unit.path is None else unit.location,
        id=unit.location if unit.path is None else None,
        said="unsure" if opinion.grade is None else "grade",
        grade=opinion.grade,
        comment=opinion.reason or None,
        source="model",
        text=unit.digest,
    )
