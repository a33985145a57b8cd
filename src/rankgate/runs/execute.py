"""Asking a system every question of a suite, and keeping the answers as they come."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem
from rankgate.model.verdict import Answer
from rankgate.runs.keeping import KeptInFolder, KeptInMemory
from rankgate.runs.pace import Pace
from rankgate.runs.packing import packed
from rankgate.runs.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.model.search import System
    from rankgate.runs.asking import Asked, Locate, Question
    from rankgate.runs.manifest import Manifest
    from rankgate.runs.progress import Progress
    from rankgate.runs.store import Existing, StoredRun
    from rankgate.runs.tables import MemoryRun, TextLevel

SHARD = 1000
"""How many answers make a shard."""
SHARD_SECONDS = 10.0
"""How long answers are held before they are stored, if there are fewer."""


def execute(  # noqa: PLR0913 - one keyword for each thing that a caller may choose
    questions: Sequence[Question],
    systems: System | Sequence[System],
    *,
    folder: Path | str | None = None,
    manifest: Manifest,
    pace: Pace | None = None,
    locate: Locate | None = None,
    shard_size: int = SHARD,
    existing: Existing = "refuse",
    progress: Progress | None = None,
    texts: TextLevel = "snippet",
) -> MemoryRun | StoredRun:
    """Ask every question once and give the run.

    A question that the system fails to answer is stored as an error and the next is asked. With a folder,
    answers are on the disk as soon as there are `shard_size` of them or the first is ten seconds old (with
    one system, when the question under way is answered), and an interrupt from the keyboard stores what was
    answered up to it. A run that is resumed asks only what is not stored.

    Args:
        questions: What to ask; each id once.
        systems: What to ask it of; several, as `crew` gives them, are asked by as many threads.
        folder: Where to keep the run; None to keep it in memory.
        manifest: What the run says about itself. Who counted the tokens is filled in here, and so are `texts`
            and `paces`.
        pace: How hard to ask; its `concurrency` is the number of systems.
        locate: Gives hits their places; not part of the latency.
        shard_size: How many questions make a shard.
        existing: What to do with a run that is in the folder.
        progress: Told of every answer.
        texts: How much of the returned texts to keep.

    Raises:
        InputError: for an id that stands twice, a folder whose run is not this one, and a full disk.
    """
    _check(questions, shard_size)
    crew = systems if isinstance(systems, (tuple, list)) else (systems,)
    pace = replace(pace or Pace(), concurrency=len(crew))
    manifest = replace(manifest, texts=texts, paces=(pace.described(),))
    kept = (
        KeptInMemory(manifest) if folder is None else KeptInFolder(Path(folder), manifest, existing=existing)
    )
    with kept:
        ids = kept.missing([question.id for question in questions])
        pending = [question for question in questions if question.id in ids]
        workers = Workers(crew, pace, locate)
        workers.warm_up(pending)
        telling = _Telling(progress)
        telling.start(len(pending))
        try:
            for asked in _batches(workers, iter(pending), shard_size, telling):
                kept.add(packed(asked, texts), estimated=any(one.estimated for one in asked))
        finally:
            # Where the disk refused a shard, threads would go on asking for nobody.
            workers.left()
            telling.finish()
    return kept.run()


def _batches(
    workers: Workers, questions: Iterator[Question], size: int, telling: _Telling
) -> Iterator[list[Asked]]:
    """Gather answers for a shard each; an interrupt is passed on after what was answered up to it."""
    asked: list[Asked] = []
    first = 0.0
    try:
        for one in workers.answers(questions):
            if one is not None:
                first = first if asked else time.monotonic()
                asked.append(one)
                telling.advance(one)
            if len(asked) >= size or (asked and time.monotonic() - first > SHARD_SECONDS):
                yield asked
                asked = []
    except KeyboardInterrupt:
        asked += workers.left()
        if asked:
            yield asked
        raise
    if asked:
        yield asked


class _Telling:
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


def _check(questions: Sequence[Question], shard_size: int) -> None:
    if shard_size < 1:
        raise InputError(Problem("shard_size", str(shard_size), "1 or more"))
    seen: set[str] = set()
    for number, question in enumerate(questions):
        if question.id in seen:
            raise InputError(Problem(f"questions[{number}]", f"{question.id!r} again", "each id once"))
        seen.add(question.id)
