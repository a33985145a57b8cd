"""Answers that were kept, read for a suite: a run and its repeats, with the command that asks them again."""

from __future__ import annotations

import shlex
from itertools import count, takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem
from rankgate.evaluation.configuration import HOME, shortest
from rankgate.model.identity import listed
from rankgate.runs.kept import AskAgain, RunNeeds, kept_run, made_by
from rankgate.runs.store.run_folder import StoredRun, has_run, repeat_folder

if TYPE_CHECKING:
    from rankgate.model import Suite
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
    folders = list(takewhile(has_run, (repeat_folder(run.folder, number) for number in count(2))))
    again = AskAgain(f"{ask_again(suite, run).command} --repeat {len(folders) + 1}")
    repeats = tuple(kept_run(StoredRun.open(folder), needs, again) for folder in folders)
    for one in repeats:
        if different := run.manifest.identity.differences(one.manifest.identity):
            found = f"answers to something else than {run.folder}: {listed(different)}"
            fix = f"ask again: {again.replacing}"
            raise InputError(Problem(str(one.folder), found, "the same, asked again", fix))
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
    needs = RunNeeds(
        cases.select("query", question="text", asked="text"),
        judgments.corpus or manifest.corpus,
        manifest.rules,
        depth,
        cut=False,
        by_text=True,
        # Foreign judgments may be of more queries than anybody asks.
        lenient=judgments.suite is None,
    )
    return kept_run(run, needs, made_by(run))
