"""Asking a system what a suite wants to know, and telling what was lost or repeated on the way."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from rankgate.model.search import Query
from rankgate.model.verdict import Answer
from rankgate.model.wording import many
from rankgate.runs.asking import Question
from rankgate.runs.crew import crew
from rankgate.runs.execute import execute
from rankgate.runs.manifest import Manifest
from rankgate.runs.store import MANIFEST, StoredRun
from rankgate.truth.locate import Locator

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Self

    from rankgate.corpora.corpus import Corpus
    from rankgate.evaluation.asking import Asking
    from rankgate.evaluation.indexing import Index
    from rankgate.model import Suite, System
    from rankgate.runs.tables import Run, TextLevel

_UNLOCATED = {
    "unlocated": ("hit", "with no place in the corpus"),
    "ambiguous": ("hit", "whose text stands in several places"),
    "file_only": ("hit", "whose file is known and whose heading or symbol is not"),
}
_LOST = {
    "dropped": ("hit", "beyond the number asked for"),
    "cut": ("answer", "of some files only, since the engine had enough matches"),
    "unmatched_lines": ("line", "that no rule matched"),
    "unnamed": ("hit", "in a file whose name is not UTF-8"),
    "noise_lines": ("line", "of noise that a server printed"),
    "restarts": ("process", "that did not answer and was started anew"),
}


class Interview:
    """Asks one system, any number of times; used with ``with``."""

    def __init__(
        self, suite: Suite, system: System, corpus: Corpus | None, asking: Asking, index: Index
    ) -> None:
        self._asking = asking
        self._system = system
        self._locator = Locator(corpus, suite.map_rules)
        self._manifest = Manifest(
            getattr(system, "name", type(system).__name__),
            suite=suite.fingerprint,
            corpus=None if corpus is None else corpus.fingerprint,
            version=getattr(system, "version", None),
            options={**getattr(system, "describe", dict)(), **index.options},
            part=None if asking.part is None else str(asking.part),
        )
        self._stored = 0
        self._open = ExitStack()
        self._crew: tuple[System, ...] = (system,)

    def __enter__(self) -> Self:
        self._crew = self._open.enter_context(crew(self._system, self._asking.pace.concurrency))
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()

    def ask(
        self,
        questions: Sequence[Question],
        folder: Path | None,
        texts: TextLevel = "snippet",
        k: int | None = None,
    ) -> Run:
        """Ask questions and keep the answers, in a folder where one is given.

        Args:
            questions: What to ask.
            folder: Where to keep the answers.
            texts: How much of the returned texts to keep.
            k: How many hits all of them want, where that is the same for all.
        """
        self._stored += _stored(folder) if self._asking.existing == "resume" else 0
        return execute(
            questions,
            self._crew,
            folder=folder,
            manifest=replace(self._manifest, k=k),
            pace=self._asking.pace,
            locate=self._locator.locate_all,
            existing=self._asking.existing,
            progress=self._asking.progress,
            texts=texts,
        )

    @property
    def located(self) -> Mapping[str, int]:
        """How many hits were located how."""
        return self._locator.counts

    def _resumed(self) -> tuple[str, ...]:
        if not self._stored:
            return ()
        were = f"{many(self._stored, 'answer')} {'was' if self._stored == 1 else 'were'} stored before"
        return (f"{were}; hits and lines are counted for those that were asked now",)

    def notes(self) -> tuple[str, ...]:
        """Count what did not find its place, and what was left out."""
        counts, asked = self._locator.counts, {id(one): one for one in self._crew}.values()
        lost = {kind: sum(getattr(one, kind, 0) for one in asked) for kind in _LOST}
        return (
            *_counted(counts, _UNLOCATED),
            *_counted(lost, _LOST),
            *self._resumed(),
            *(f"map rule {rule.pattern!r} matched nothing" for rule in self._locator.unused_rules),
        )


def _stored(folder: Path | None) -> int:
    """Count the answers that a folder has already."""
    if folder is None or not (folder / MANIFEST).is_file():
        return 0
    return sum(entry.queries.rows for entry in StoredRun.open(folder).manifest.shards)


def questions_of(suite: Suite, k: int) -> list[Question]:
    """Name what a suite asks, by case."""
    return [Question(case.id, Query(case.query, k, case.filters)) for case in suite.cases]


def _counted(counts: Mapping[str, int], words: Mapping[str, tuple[str, str]]) -> list[str]:
    plural = {"process": "processes"}
    return [
        f"{many(number, noun, plural.get(noun))} {rest}"
        for kind, (noun, rest) in words.items()
        if (number := counts.get(kind, 0))
    ]


def retried(run: Run) -> tuple[str, ...]:
    """Say which queries had to be asked more than once, if any."""
    again = [
        shard.queries.filter(pl.col("attempts") > 1).select("status", "attempts") for shard in run.shards()
    ]
    rows = [row for frame in again for row in frame.iter_rows()]
    if not rows:
        return ()
    failed = sum(status != Answer.OK.value for status, _ in rows)
    retries = many(sum(attempts - 1 for _, attempts in rows), "retry", "retries")
    words = f"{many(len(rows), 'query', 'queries')} asked again where the system was busy, {retries}"
    return (f"{words}; {failed} failed all the same" if failed else words,)
