"""Asking a system every question of a suite, and keeping the answers as they come."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem, RankgateError, SystemFailedError, escaped
from rankgate.model.places import Lines
from rankgate.model.search import Hit, Ranking
from rankgate.model.verdict import Answer
from rankgate.runs.keeping import KeptInFolder, KeptInMemory
from rankgate.runs.tables import QUERIES, Shard
from rankgate.runs.tokens import with_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rankgate.model.search import Query, System
    from rankgate.runs.manifest import Manifest
    from rankgate.runs.progress import Progress
    from rankgate.runs.store import StoredRun
    from rankgate.runs.tables import MemoryRun, TextLevel

_LONGEST_ERROR = 2000
_TYPES: dict[str, tuple[type, ...]] = {
    "id": (str, NoneType),
    "path": (str, NoneType),
    "lines": (Lines, NoneType),
    "score": (float, int, NoneType),
    "text": (str, NoneType),
    "tokens": (int, NoneType),
    "matches": (int, NoneType),
}


@dataclass(frozen=True, slots=True)
class Question:
    """One query of a suite, under the name of its case."""

    id: str
    """The name under which the answer is stored."""
    query: Query
    """What is asked."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What became of one question."""

    id: str
    """The question."""
    ranking: Ranking = field(default_factory=Ranking)
    """The answer; empty where there was none."""
    status: Answer = Answer.OK
    """How it ended."""
    error: str | None = None
    """What went wrong, on one line."""
    latency_ms: float | None = None
    """How long the system took; None where it failed."""
    estimated: bool = False
    """True where tokens of the answer are an estimate."""


def execute(  # noqa: PLR0913 - one keyword for each thing that a caller may choose
    questions: Sequence[Question],
    system: System,
    *,
    folder: Path | str | None = None,
    manifest: Manifest,
    locate: Callable[[Hit], Hit] | None = None,
    shard_size: int = 200,
    resume: bool = False,
    progress: Progress | None = None,
    texts: TextLevel = "snippet",
) -> MemoryRun | StoredRun:
    """Ask every question once, in order, and give the run.

    A question that the system fails to answer is stored as an error and the next is asked. With a folder,
    each `shard_size` answers are on the disk before more are asked, and an interrupt from the keyboard stores
    what was answered up to it. A run that is resumed asks only what is not stored.

    Args:
        questions: What to ask; each id once.
        system: What to ask it of.
        folder: Where to keep the run; None to keep it in memory.
        manifest: What the run says about itself. Who counted the tokens is filled in here, and so is `texts`.
        locate: Gives a hit its place; not part of the latency.
        shard_size: How many questions make a shard.
        resume: Go on with the run that is in the folder.
        progress: Told of every answer.
        texts: How much of the returned texts to keep.

    Raises:
        InputError: for an id that stands twice, and a folder whose run is not this one.
    """
    _check(questions, shard_size)
    manifest = replace(manifest, texts=texts)
    kept = KeptInMemory(manifest) if folder is None else KeptInFolder(Path(folder), manifest, resume=resume)
    ids = kept.missing([question.id for question in questions])
    pending = (question for question in questions if question.id in ids)
    told = _Told(progress)
    with kept:
        told.start(len(ids))
        try:
            while batch := list(islice(pending, shard_size)):
                asked, interrupt = _ask(batch, system, locate, told)
                if asked:
                    kept.add(_shard(asked, texts), estimated=any(one.estimated for one in asked))
                if interrupt is not None:
                    raise interrupt
        finally:
            told.finish()
    return kept.run()


def ask_one(question: Question, system: System, locate: Callable[[Hit], Hit] | None = None) -> Asked:
    """Ask one question; whatever the system does becomes an answer, an error or a time-out."""
    start = time.perf_counter()
    try:
        ranking = system.search(question.query)
        latency = (time.perf_counter() - start) * 1000
        ranking, estimated = with_tokens(_checked(ranking))
        if locate is not None:
            ranking = replace(ranking, hits=tuple(map(locate, ranking.hits)))
    except TimeoutError as error:
        return Asked(question.id, status=Answer.TIMEOUT, error=_one_line(error))
    except Exception as error:  # noqa: BLE001 - a system under test may raise anything
        return Asked(question.id, status=Answer.ERROR, error=_one_line(error))
    return Asked(question.id, ranking, latency_ms=latency, estimated=estimated)


class _Told:
    """Tells a progress, where there is one, and counts the errors for it."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._errors = 0

    def start(self, total: int) -> None:
        if self._progress is not None:
            self._progress.start(total)

    def advance(self, asked: Asked) -> None:
        self._errors += asked.status is not Answer.OK
        if self._progress is not None:
            self._progress.advance(self._errors)

    def finish(self) -> None:
        if self._progress is not None:
            self._progress.finish()


def _ask(
    batch: Sequence[Question], system: System, locate: Callable[[Hit], Hit] | None, told: _Told
) -> tuple[list[Asked], KeyboardInterrupt | None]:
    """Ask some questions; an interrupt ends it and gives what was answered, so that it can be stored."""
    asked: list[Asked] = []
    try:
        for question in batch:
            asked.append(ask_one(question, system, locate))
            told.advance(asked[-1])
    except KeyboardInterrupt as interrupt:
        return asked, interrupt
    return asked, None


def _shard(asked: Sequence[Asked], texts: TextLevel) -> Shard:
    """Make the tables. An answer that they cannot hold becomes an error of its question alone."""
    try:
        return _tables(asked, texts)
    except Exception:  # noqa: BLE001 - a system's hits may hold anything; the next line finds whose they are
        return _tables([_storable(one) for one in asked], texts)


def _tables(asked: Sequence[Asked], texts: TextLevel) -> Shard:
    shard = Shard.of_rankings({one.id: one.ranking for one in asked}, texts=texts)
    rows = [
        (one.id, one.status.value, one.error, 1, one.latency_ms, one.ranking.tokens, len(one.ranking.hits))
        for one in asked
    ]
    return Shard.of(QUERIES.of_rows(rows), shard.hits, shard.texts)


def _storable(asked: Asked) -> Asked:
    try:
        _tables([asked], "none")
    except Exception as error:  # noqa: BLE001 - as above
        return Asked(asked.id, status=Answer.ERROR, error=_one_line(error))
    return asked


def _checked(answer: object) -> Ranking:
    """Check the types; what they hold is checked when the tables are made."""
    if not isinstance(answer, Ranking):
        raise SystemFailedError(Problem("answer", f"a {type(answer).__name__}", "a Ranking"))
    for number, hit in enumerate(answer.hits):
        if not isinstance(hit, Hit):
            raise SystemFailedError(Problem(f"answer[{number}]", f"a {type(hit).__name__}", "a Hit"))
        for name, kinds in _TYPES.items():
            if not isinstance(value := getattr(hit, name), kinds):
                expected = kinds[0].__name__
                where = f"answer[{number}].{name}"
                raise SystemFailedError(Problem(where, f"a {type(value).__name__}", f"a {expected} or None"))
    return answer


def _check(questions: Sequence[Question], shard_size: int) -> None:
    if shard_size < 1:
        raise InputError(Problem("shard_size", str(shard_size), "1 or more"))
    seen: set[str] = set()
    for number, question in enumerate(questions):
        if question.id in seen:
            raise InputError(Problem(f"questions[{number}]", f"{question.id!r} again", "each id once"))
        seen.add(question.id)


def _one_line(error: Exception) -> str:
    """Say what went wrong on one line, with control characters as escapes."""
    try:
        text = "; ".join(str(error).splitlines())
    except Exception:  # noqa: BLE001 - an exception of a user may refuse to be shown
        text = ""
    if not isinstance(error, RankgateError):
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    if len(text) > _LONGEST_ERROR:
        text = text[: _LONGEST_ERROR - 1] + "…"
    return escaped(text)
