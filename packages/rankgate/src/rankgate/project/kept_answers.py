"""Answers that were kept, read for a suite or beside others, with what they say of themselves."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError
from rankgate.project.configuration import HOME
from rankgate.runs.identity import listed
from rankgate.runs.kept import AskAgain, RunNeeds, cut_run, kept_run, made_by
from rankgate.runs.store.questions import question_table
from rankgate.runs.store.run_folder import StoredRun, repeat_folders
from rankgate.wording import many, shortest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.model import Suite
    from rankgate.runs.store.manifest import Manifest
    from rankgate.runs.store.tables import Run
    from rankgate.truth.judgments.table import Judgments


def kept_answers(suite: Suite, run: StoredRun, needs: RunNeeds) -> StoredRun:
    """Read a run as the answers to a suite.

    Raises:
        InputError: as `kept_run` does, with the command that makes a run that will do.
    """
    return kept_run(run, needs, ask_again(suite, run))


def kept_repeats(suite: Suite, run: StoredRun, needs: RunNeeds) -> tuple[StoredRun, ...]:
    """Read the repeats of a run, which stand in its folder.

    Raises:
        InputError: for repeats that are not whole, or of something else than the run.
    """
    folders = repeat_folders(run.folder)
    again = AskAgain(f"{ask_again(suite, run).command} --repeat {len(folders) + 1}")
    repeats = tuple(kept_run(StoredRun.open(folder), needs, again) for folder in folders)
    for one in repeats:
        if different := run.manifest.identity.differences(one.manifest.identity):
            found = f"answers to something else than {run.folder}: {listed(different)}"
            fix = f"ask again: {again.replacing}"
            raise InputError(Code.OTHER_ANSWERS(str(one.folder), found, "the same, asked again", fix))
    return repeats


def ask_again(suite: Suite, run: StoredRun) -> AskAgain:
    """Return the command that makes a run again."""
    written = shlex.quote(str(shortest(Path(suite.path).resolve()))) if suite.path else "SUITE"
    system = shlex.quote(run.manifest.system)
    folder = run.folder.resolve()
    if HOME in folder.parts:
        return AskAgain(f"rankgate test {written} --system {system}")
    return AskAgain(f"rankgate run {written} --system {system} -o {shlex.quote(str(shortest(folder)))}")


def judged_run(run: StoredRun, judgments: Judgments, depth: int | None) -> StoredRun:
    """Return a run as it answers what judgments are of, however little they know of the questions.

    Args:
        run: The run.
        judgments: What it is scored by: queries with their texts, or with none.
        depth: How many hits of each query are needed; None for all that there are.

    Raises:
        FormatError: as `kept_run` does.
        InputError: as `kept_run` does.
    """
    cases, manifest = judgments.cases, run.manifest
    # Foreign judgments without texts say nothing of the questions but ids, which are those of the run.
    text = cases["text"].cast(str)  # of no type where there are none
    unknown = judgments.suite is None and text.null_count() == cases.height
    needs = RunNeeds(
        question_table(()) if unknown else cases.select("query", question=text, asked=text),
        judgments.corpus or manifest.corpus,
        manifest.rules,
        depth,
        cut=False,
        by_text=True,
        # Foreign judgments may be of more queries than anybody asks.
        lenient=judgments.suite is None,
    )
    return kept_run(run, needs, made_by(run))


@dataclass(frozen=True, slots=True, eq=False)
class EqualDepths:
    """Two runs, read equally deep."""

    runs: tuple[Run, Run]
    """Both, of which no more hits are read than were asked for in either."""
    notes: tuple[str, ...] = ()
    """What was left out for it, if anything."""
    depth: int | None = None
    """How many hits are read of each query; None for all that there are."""

    def of(self, runs: Sequence[Run]) -> tuple[Run, ...]:
        """Read others equally deep."""
        return tuple(run if self.depth is None else cut_run(run, self.depth) for run in runs)


def at_one_depth(first: tuple[str, Run, int | None], second: tuple[str, Run, int | None]) -> EqualDepths:
    """Read two runs equally deep: a run that was asked for more hits is not better for that.

    Args:
        first: The name of one, the run, and how many hits were asked for, where it is known.
        second: The same of the other.
    """
    (name, run, k), (other, beside, deep) = first, second
    depth = min((one for one in (k, deep) if one is not None), default=None)
    if depth is None or k is None or deep is None or k == deep:
        return EqualDepths((run, beside), depth=depth)
    hits = many(k, "hit")
    note = f"{name} was asked for {hits} a query and {other} for {deep}: compared are the first {depth}"
    return EqualDepths((cut_run(run, depth), cut_run(beside, depth)), (note,), depth)


def run_facts(manifest: Manifest) -> str:
    """Return what a run says of itself, in a line."""
    when = manifest.finished or manifest.started
    return facts_of(manifest.version, when, commit_words(manifest), manifest.corpus, manifest.k)


def facts_of(
    version: str | None, time: str | None, commit: str | None, corpus: str | None, k: int | None
) -> str:
    """Return in a line when answers were given, by which version, over which corpus, and how deep.

    >>> facts_of("2.1", "2026-01-02T03:04:05+00:00", None, "0123456789abcdef", 10)
    'version 2.1, asked 2026-01-02T03:04:05+00:00, corpus 0123456789ab, k 10'
    """
    facts = {"version": version, "asked": time, "commit": commit, "corpus": corpus and corpus[:12], "k": k}
    return ", ".join(f"{name} {fact}" for name, fact in facts.items() if fact)


def commit_words(manifest: Manifest) -> str:
    """Return the commit at which a run was asked, shortened, with a sign where files were changed since."""
    return manifest.commit[:10] + "+" * manifest.changed if manifest.commit else ""
