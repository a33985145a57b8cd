"""Asking a system every question of a suite, and keeping the answers as they come."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem
from rankgate.model.verdict import Answer
from rankgate.runs.asking.answers import packed_answers
from rankgate.runs.asking.pace import Pace
from rankgate.runs.asking.run_sink import FolderSink, MemorySink
from rankgate.runs.asking.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.model.search import System
    from rankgate.runs.asking.answers import AnswerRecord
    from rankgate.runs.asking.ask import CaseQuery, Locate
    from rankgate.runs.asking.progress import Progress
    from rankgate.runs.store.manifest import Manifest
    from rankgate.runs.store.run_folder import Existing, StoredRun
    from rankgate.runs.store.tables import MemoryRun, TextLevel

SHARD = 1000
"""How many answers make a shard."""
SHARD_SECONDS = 10.0
"""How long answers are held before they are stored, if there are fewer."""


@dataclass(frozen=True, slots=True)
class KeepOptions:
    """How the answers of a run are kept."""

    folder: Path | str | None = None
    """Where to keep the run; None to keep it in memory."""
    existing: Existing = "refuse"
    """What to do with a run that is in the folder."""
    shard_size: int = SHARD
    """How many answers make a shard."""
    texts: TextLevel = "snippet"
    """How much of the returned texts to keep."""

    def sink(self, manifest: Manifest) -> MemorySink | FolderSink:
        """Open what takes the answers."""
        if self.folder is None:
            return MemorySink(manifest)
        return FolderSink(Path(self.folder), manifest, existing=self.existing)


def execute(
    questions: Sequence[CaseQuery],
    systems: System | Sequence[System],
    *,
    manifest: Manifest,
    keep: KeepOptions | None = None,
    pace: Pace | None = None,
    locate: Locate | None = None,
    progress: Progress | None = None,
) -> MemoryRun | StoredRun:
    """Ask every question once and return the run.

    A question that the system fails to answer is stored as an error and the next is asked. With a folder,
    answers are on the disk as soon as there are `shard_size` of them or the first is ten seconds old (with
    one system, when the question under way is answered), and an interrupt from the keyboard stores what was
    answered up to it. A run that is resumed asks only what is not stored.

    Args:
        questions: What to ask; each id once.
        systems: What to ask it of; several, as `open_instances` gives them, are asked by as many threads.
        manifest: What the run says about itself. Who counted the tokens is filled in here, and so are `texts`
            and `paces`.
        keep: How the answers are kept; in memory where nothing is said.
        pace: How hard to ask; its `concurrency` is the number of systems.
        locate: Gives hits their locations; not part of the latency.
        progress: Told of every answer.

    Raises:
        InputError: for an id that stands twice, a folder whose run is not this one, and a full disk.
    """
    keep = keep or KeepOptions()
    _check(questions, keep.shard_size)
    instances = systems if isinstance(systems, (tuple, list)) else (systems,)
    pace = replace(pace or Pace(), concurrency=len(instances))
    kept = keep.sink(replace(manifest, texts=keep.texts, paces=(pace.described(),)))
    with kept:
        ids = kept.missing([question.id for question in questions])
        pending = [question for question in questions if question.id in ids]
        workers = Workers(instances, pace, locate)
        workers.warm_up(pending)
        telling = _Telling(progress)
        telling.start(len(pending))
        try:
            for asked in _batches(workers, iter(pending), keep.shard_size, telling):
                kept.add(packed_answers(asked, keep.texts), estimated=any(one.estimated for one in asked))
        finally:
            # Where the disk refused a shard, threads would go on asking for nobody.
            workers.left()
            telling.finish()
    return kept.run()


def _batches(
    workers: Workers, questions: Iterator[CaseQuery], size: int, telling: _Telling
) -> Iterator[list[AnswerRecord]]:
    """Gather answers for a shard each; an interrupt is passed on after what was answered up to it."""
    asked: list[AnswerRecord] = []
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

    def advance(self, asked: AnswerRecord) -> None:
        self._errors += asked.status is not Answer.OK
        if self._progress is not None:
            self._progress.advance(self._errors)

    def finish(self) -> None:
        if self._progress is not None:
            self._progress.finish()


def _check(questions: Sequence[CaseQuery], shard_size: int) -> None:
    if shard_size < 1:
        raise InputError(Problem("shard_size", str(shard_size), "1 or more"))
    seen: set[str] = set()
    for number, question in enumerate(questions):
        if question.id in seen:
            raise InputError(Problem(f"questions[{number}]", f"{question.id!r} again", "each id once"))
        seen.add(question.id)
