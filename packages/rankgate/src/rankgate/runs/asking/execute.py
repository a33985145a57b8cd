"""Asking a system every question of a suite, and keeping the answers as they come."""

from __future__ import annotations

import errno
import random
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from rankgate.errors import Code, InputError, SystemFailedError
from rankgate.model import Answer
from rankgate.runs.asking.ask import ask_one, has_estimates, packed_answers
from rankgate.runs.asking.pace import Pace
from rankgate.runs.asking.progress import HeardAnswers
from rankgate.runs.asking.workers import Workers
from rankgate.runs.store.questions import question_table
from rankgate.runs.store.run_folder import StoredRun
from rankgate.runs.store.run_writer import RunWriter
from rankgate.runs.store.tables import MemoryRun
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Self

    from rankgate.model import System
    from rankgate.runs.asking.ask import AnswerRecord, CaseQuery
    from rankgate.runs.asking.deadline import RunDeadline
    from rankgate.runs.asking.equal_queries import EqualQueries
    from rankgate.runs.asking.progress import Progress
    from rankgate.runs.store.columns import Place, TextLevel
    from rankgate.runs.store.manifest import Manifest
    from rankgate.runs.store.run_writer import Existing
    from rankgate.runs.store.tables import Shard


SHARD = 1000
"""How many answers make a shard."""
SHARD_SECONDS = 10.0
"""How long answers are held before they are stored, if there are fewer."""

_FULL = {errno.ENOSPC, errno.EDQUOT}


class MemorySink:
    """Keeps shards until the run is done."""

    def __init__(self, manifest: Manifest) -> None:
        self._manifest = manifest
        self._shards: list[Shard] = []
        self._estimated = False

    def missing(self, questions: Sequence[CaseQuery]) -> list[CaseQuery]:
        """Return the questions that are to be asked: all."""
        return list(questions)

    def add(self, shard: Shard, *, estimated: bool) -> None:
        """Add a shard."""
        self._shards.append(shard)
        self._estimated |= estimated

    def run(self) -> MemoryRun:
        """Return the run."""
        manifest = self._manifest
        return MemoryRun(manifest.system, self._shards, order=manifest.order, estimated=self._estimated)


class FolderSink:
    """Writes each shard as it comes; what the folder has already is not asked again, but for errors."""

    def __init__(
        self, folder: Path, manifest: Manifest, questions: Sequence[CaseQuery], *, existing: Existing
    ) -> None:
        own_depth = manifest.k is None
        self._table = question_table(((one.id, one.query) for one in questions), own_depth=own_depth)
        self._rows = {one.id: number for number, one in enumerate(questions)}
        self._resumable = existing != "replace"
        self._writer = RunWriter(folder, manifest, existing=existing, questions=self._table)

    def __enter__(self) -> Self:
        """Take the folder.

        Raises:
            InputError: where the disk refuses it, beside what `RunWriter` refuses.
        """
        with self._told():
            self._writer.__enter__()
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        """Write that the run is finished, where it is, and let go of the folder.

        Raises:
            InputError: where the disk refuses it.
        """
        with self._told():
            self._writer.__exit__(kind, error, trace)

    def missing(self, questions: Sequence[CaseQuery]) -> list[CaseQuery]:
        """Return the questions that are to be asked: those that were not, then those that failed."""
        done, failed = self._writer.done, self._writer.failed
        new = [one for one in questions if one.id not in done and one.id not in failed]
        return new + [one for one in questions if one.id in failed]

    def add(self, shard: Shard, *, estimated: bool) -> None:
        """Store a shard, with what was asked; when this returns it is on the disk.

        Raises:
            InputError: where the disk refuses it; what was stored before is safe.
        """
        rows = [self._rows[name] for name in shard.queries["query"]]
        said = {name: self._table.get_column(name).gather(rows) for name in ("question", "asked")}
        columns = [said.get(one.name, one) for one in shard.queries.get_columns()]
        shard = replace(shard, queries=pl.DataFrame(columns))
        with self._told():
            self._writer.add(shard, estimated=estimated)

    def run(self) -> StoredRun:
        """Open what was written."""
        return StoredRun.open(self._writer.folder)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Raise what the disk refuses, saying what is safe all the same."""
        try:
            yield
        except OSError as error:
            done = len(self._writer.done)
            fix = "make room" if error.errno in _FULL else "see that it can be written to"
            if done and self._resumable:
                verb = "is" if done == 1 else "are"
                fix += f" and resume: {many(done, 'answer')} stored before {verb} safe"
            found = error.strerror or str(error)
            raise InputError(
                Code.NO_SPACE(str(self._writer.folder), found, "room for the run", fix)
            ) from error


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
    equal: EqualQueries | None = None
    """Equal queries that run once; None to run every query."""

    @contextmanager
    def sink(self, manifest: Manifest, questions: Sequence[CaseQuery]) -> Iterator[MemorySink | FolderSink]:
        """Open what takes the answers."""
        if self.folder is None:
            yield MemorySink(manifest)
        else:
            with FolderSink(Path(self.folder), manifest, questions, existing=self.existing) as kept:
                yield kept


def execute(  # noqa: PLR0913
    questions: Sequence[CaseQuery],
    systems: System | Sequence[System],
    *,
    manifest: Manifest,
    keep: KeepOptions | None = None,
    pace: Pace | None = None,
    place: Place | None = None,
    progress: Progress | None = None,
    deadline: RunDeadline | None = None,
    beside: Workers | None = None,
) -> MemoryRun | StoredRun:
    """Ask every question once and return the run.

    A question that the system fails to answer is stored as an error and the next is asked. With a folder,
    answers are on the disk as soon as there are `shard_size` of them or the first is ten seconds old (with
    one system, when the question under way is answered), and an interrupt from the keyboard stores what was
    answered up to it. A run that is resumed asks only what is not stored, and what failed.

    Args:
        questions: What to ask; each id once.
        systems: What to ask it of; several, as `open_instances` gives them, are asked by as many threads.
        manifest: What the run says about itself. Who counted the tokens is filled in here, and so are `texts`
            and `paces`.
        keep: How the answers are kept; in memory where nothing is said.
        pace: How hard to ask; its `concurrency` is the number of systems.
        place: Gives hits their locations; not part of the latency.
        progress: Told of every answer.
        deadline: When to end; what is not answered by then is stored as a time-out.
        beside: The workers of another system, which runs each query too and keeps its own results.

    Raises:
        InputError: for an id that stands twice, a folder whose run is not this one, and a full disk.
    """
    keep = keep or KeepOptions()
    _check(questions, keep.shard_size)
    instances = systems if isinstance(systems, (tuple, list)) else (systems,)
    pace = replace(pace or Pace(), concurrency=len(instances))
    workers = Workers(instances, pace, deadline, beside)
    with keep.sink(replace(manifest, texts=keep.texts, paces=(pace.described(),)), questions) as kept:
        pending = kept.missing(questions)
        reusing: list[CaseQuery] = []
        if keep.equal is not None:
            pending, reusing = keep.equal.split(pending)
        workers.warm_up(pending)
        progress = progress or HeardAnswers()
        progress.start(len(pending))
        try:
            for asked in _batches(workers, iter(pending), keep.shard_size, progress):
                shard = packed_answers(asked, keep.texts, place)
                kept.add(shard, estimated=has_estimates(shard, asked))
                if keep.equal is not None:
                    keep.equal.add(asked)
            if keep.equal is not None and (reused := keep.equal.records(reusing)):
                shard = packed_answers(reused, keep.texts, place)
                kept.add(shard, estimated=has_estimates(shard, reused))
        finally:
            # Where the disk refused a shard, threads would go on asking for nobody.
            workers.left()
            progress.finish()
    return kept.run()


def _batches(
    workers: Workers, questions: Iterator[CaseQuery], size: int, progress: Progress
) -> Iterator[list[AnswerRecord]]:
    """Gather answers for a shard each; an interrupt is passed on after what was answered up to it.

    So is that nobody is left to ask.
    """
    asked: list[AnswerRecord] = []
    first, errors = 0.0, 0
    try:
        for one in workers.answers(questions):
            if one is not None:
                now = time.monotonic()
                first = first if asked else now
                asked.append(one)
                errors += one.status is not Answer.OK
                progress.advance(errors)
            else:
                now = time.monotonic()
            if len(asked) >= size or (asked and now - first > SHARD_SECONDS):
                yield asked
                asked = []
    except (KeyboardInterrupt, SystemFailedError):
        asked += workers.left()
        if asked:
            yield asked
        raise
    if asked:
        yield asked


def _check(questions: Sequence[CaseQuery], shard_size: int) -> None:
    if shard_size < 1:
        raise InputError(Code.WRONG_VALUE("shard_size", str(shard_size), "1 or more"))
    seen: set[str] = set()
    for number, question in enumerate(questions):
        if question.id in seen:
            raise InputError(Code.REPEATED(f"questions[{number}]", f"{question.id!r} again", "each id once"))
        seen.add(question.id)


def ask_interleaved(
    questions: Sequence[CaseQuery],
    systems: Sequence[tuple[str, System, Place | None]],
    progress: Progress | None = None,
    *,
    seed: int | None = None,
) -> list[MemoryRun]:
    """Ask several systems in turn, query by query, and return a run of each.

    A machine is slower today than yesterday, and in one half of a minute than in the other. Asked in turn,
    with whoever is first changing from query to query, all meet the same machine. Each is asked the first
    question once before anything counts, so that what it opens on its first call is no part of its latency.

    Args:
        questions: What to ask.
        systems: Whom, each with its name and with what gives its hits their locations, if anything does.
        progress: Told of every question that all have answered.
        seed: Draws who is asked first, second and so on, anew for every query; without one they go round.
    """
    for question in questions[:1]:
        for _, system, _ in systems:
            ask_one(question, system)
    answers: list[list[AnswerRecord]] = [[] for _ in systems]
    progress = progress or HeardAnswers()
    progress.start(len(questions))
    for at, question in enumerate(questions):
        order = [(at + turn) % len(systems) for turn in range(len(systems))]
        if seed is not None:
            random.Random(f"{seed} {at}").shuffle(order)  # noqa: S311 - an order, no secret
        for who in order:
            answers[who].append(ask_one(question, systems[who][1]))
        progress.advance(0)
    progress.finish()
    runs = []
    for (name, _, place), asked in zip(systems, answers, strict=True):
        shard = packed_answers(asked, "snippet", place)
        runs.append(MemoryRun(name, (shard,), estimated=has_estimates(shard, asked)))
    return runs
