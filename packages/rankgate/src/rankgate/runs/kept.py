"""Runs that were made before, as they are read: unchanged, whole, and answers to what is asked today.

Everything that reads the folder of a run comes through `kept_run`. What has changed since is refused in
words; judgments, gates and metrics are no matter of a run and may be any.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError, Problem
from rankgate.model import Query, map_fingerprint
from rankgate.runs.store.questions import MatchedQuestions, asked_questions, question_table
from rankgate.runs.store.run_folder import RunView, StoredRun
from rankgate.runs.store.schemas import HITS, TEXTS
from rankgate.runs.store.tables import HoldsTexts, MemoryRun, Shard
from rankgate.wording import many, quoted, shortest

if TYPE_CHECKING:
    import polars as pl

    from rankgate.model import Suite
    from rankgate.runs.store.tables import Run

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class AskAgain:
    """The command that asks what a run answers once more."""

    command: str
    """The command itself: ``rankgate test …``, or ``rankgate run … -o FOLDER``."""

    @property
    def replacing(self) -> str:
        """Return the command that asks everything again."""
        return self.command + (" --replace" if self.command.startswith("rankgate run ") else "")

    @property
    def resuming(self) -> str:
        """Return the command that completes the run; a test always runs all its queries."""
        return self.command + (" --resume" if self.command.startswith("rankgate run ") else "")


@dataclass(frozen=True, slots=True, eq=False)
class RunNeeds:
    """What somebody needs of a run."""

    questions: pl.DataFrame
    """What is asked today, as `question_table` makes it."""
    corpus: str | None
    """The fingerprint of today's corpus."""
    rules: str | None = None
    """The fingerprint of the rules by which ids become locations."""
    depth: int | None = None
    """How many hits of each query are needed, and read; None for all that there are."""
    cut: bool = True
    """False to read all hits, however many are needed."""
    by_text: bool = False
    """True where of the questions only the texts are known."""
    lenient: bool = False
    """True where a query may be missing, and then counts as one without hits."""

    @classmethod
    def of_suite(cls, suite: Suite, corpus: str | None, depth: int | None = None) -> RunNeeds:
        """Return what a suite needs of a run."""
        asked = ((case.id, Query(case.query, filters=case.filters)) for case in suite.cases)
        return cls(question_table(asked), corpus, map_fingerprint(suite), depth)


def kept_run(run: StoredRun, needs: RunNeeds, again: AskAgain) -> StoredRun:
    """Return a run as it answers today's questions, each under the id that it has today.

    Args:
        run: The run.
        needs: What it must answer.
        again: The command that makes a run that will do.

    Raises:
        FormatError: for a file that is missing or cannot be read.
        InputError: with everything that keeps the run from answering what is asked.
    """
    run.verify()
    if needs.by_text and needs.questions.is_empty():
        asked = needs.questions  # the questions of the run would be read for nothing
    else:
        asked = asked_questions(replace(run, view=RunView()))
    if needs.by_text:
        asked = asked.with_columns(question="asked")
    matched = MatchedQuestions.of(asked, needs.questions, by_id=True)
    if problems := [*_state_problems(run, again), *_asking_problems(run, needs, matched, again)]:
        raise InputError(problems)
    k = run.manifest.k
    deeper = needs.cut and needs.depth is not None and k is not None and k > needs.depth
    names = matched.names if matched.renamed or (matched.gone and not needs.by_text) else None
    view = RunView(names, needs.depth if deeper else None)
    return replace(run, view=view, notes=(*run.notes, *_notes(run, needs, matched)))


def whole_run(run: StoredRun) -> StoredRun:
    """Return a run that is whole, whatever it answers.

    Raises:
        FormatError: for a file that is missing or cannot be read.
        InputError: for a part, and for a run that is not finished.
    """
    run.verify()
    if problems := _state_problems(run, made_by(run)):
        raise InputError(problems)
    return run


def made_by(run: StoredRun) -> AskAgain:
    """Return the command that makes a run again, where its suite is not known."""
    return AskAgain(f"rankgate run SUITE --system {run.manifest.system} -o {shortest(run.folder)}")


def _state_problems(run: StoredRun, again: AskAgain) -> list[Problem]:
    """Return what keeps a run from being a whole one."""
    where, manifest = str(shortest(run.folder)), run.manifest
    if manifest.part is not None:
        fix = "join the parts: rankgate runs merge PART... -o WHOLE"
        return [Code.UNFINISHED_RUN(where, f"part {manifest.part} of a run", "a whole run", fix)]
    if manifest.finished is None:
        fix = f"finish it: {again.resuming}"
        return [Code.UNFINISHED_RUN(where, "a run that is not finished", "a whole run", fix)]
    return []


def _asking_problems(
    run: StoredRun, needs: RunNeeds, matched: MatchedQuestions, again: AskAgain
) -> list[Problem]:
    """Return what keeps a run from answering what is asked today."""
    where, manifest, fix = str(shortest(run.folder)), run.manifest, f"ask again: {again.replacing}"
    problems = []
    if manifest.corpus != needs.corpus:
        found = "answers over another state of the corpus"
        problems.append(Code.OTHER_ANSWERS(where, found, "the corpus as it is today", fix))
    if manifest.questions is not None and manifest.rules != needs.rules:
        found = "locations by another map than the suite's"
        problems.append(Code.OTHER_ANSWERS(where, found, "the map as it is today", fix))
    if None not in (manifest.k, needs.depth) and manifest.k < needs.depth:  # type: ignore[operator]
        found, deep = f"{many(manifest.k or 0, 'hit')} a query", f"{again.replacing} --k {needs.depth}"
        problems.append(
            Code.DEPTH_TOO_SMALL(where, found, f"{needs.depth}, as they are needed", f"ask again: {deep}")
        )
    if changes := [*matched.changes()]:
        found = f"answers to other questions: {', '.join(changes)}"
        problems.append(Code.OTHER_ANSWERS(where, found, "the questions of today", fix))
    # What a run that was cut short did not get to, or another part has, is said already.
    whole = manifest.part is None and manifest.finished is not None
    if matched.missing.height and whole and not needs.lenient:
        names = ", ".join(map(quoted, matched.missing["query"].head(_SHOWN)))
        more = ", …" if matched.missing.height > _SHOWN else ""
        found = f"no answer to {many(matched.missing.height, 'query', 'queries')} ({names}{more})"
        problems.append(Code.MISSING_ANSWERS(where, found, "an answer to every query of the suite", fix))
    return problems


def _notes(run: StoredRun, needs: RunNeeds, matched: MatchedQuestions) -> list[str]:
    notes = []
    if run.manifest.contents is None:
        notes.append("the run does not tell what its system was made of")
    if matched.gone and not needs.by_text:
        notes.append(f"{many(matched.gone, 'query', 'queries')} of the run not asked any more, left out")
    if matched.renamed:
        notes.append(f"{many(matched.renamed, 'query', 'queries')} of the run matched by question, not by id")
    return notes


def cut_run(run: Run, depth: int) -> Run:
    """Return a run of which only the first hits of each query are read."""
    if isinstance(run, StoredRun):
        view = run.view
        return replace(run, view=replace(view, depth=min(depth, view.depth or depth)))
    view = RunView(depth=depth)
    shards = [
        Shard(
            view.of_queries(shard.queries.lazy()).collect(),
            view.of_hits(shard.scan_hits(HITS.names)).collect(),
            shard.read_texts() if isinstance(shard, HoldsTexts) else TEXTS.empty(),
        )
        for shard in run.shards()
    ]
    return MemoryRun(
        run.name, shards, notes=getattr(run, "notes", ()), order=getattr(run, "order", "returned")
    )
