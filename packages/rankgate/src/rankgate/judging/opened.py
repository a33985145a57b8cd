"""A judging session as somebody wants it: the pool of a suite, its scale and guidelines, and an order."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError
from rankgate.io.text import read_text
from rankgate.judging.pool.gather import GatheredPool, PoolWishes, gathered
from rankgate.judging.session.documents import CorpusDocuments
from rankgate.judging.session.scale import Guidelines
from rankgate.judging.session.session import JudgingSession, JudgingTask
from rankgate.project.opening import GUIDELINES_LIMIT, guidelines_file
from rankgate.truth.judgments.labels import LabelLog, read_labels

if TYPE_CHECKING:
    from rankgate.judging.pool.pool import PooledUnit
    from rankgate.judging.units import JudgingUnit
    from rankgate.model import Suite
    from rankgate.project.project import Project


def opened_session(
    project: Project, suite: Suite, wishes: PoolWishes
) -> tuple[JudgingSession, tuple[str, ...]]:
    """Open the session of one judge; the notes say what cannot be judged.

    Raises:
        InputError: for missing results or guidelines, or a suite that is no file.
    """
    if suite.path is None:
        raise InputError(Code.NO_SUITE(f"suite {suite.name}", "no file", "a suite that is a file"))
    found = gathered(project, suite, read_labels(suite.path), wishes)
    labels = found.labels
    guidelines = read_guidelines(suite, project.configuration.corpus_root)
    in_turn = [pooled.unit for pooled in found.pool.units]
    task = JudgingTask(
        tuple(in_turn if wishes.in_turn else by_rank(found)),
        suite.name,
        guidelines.scale(top_grade(suite), suite.name),
        guidelines,
        {case.id: case.group for case in suite.cases if case.group is not None},
        CorpusDocuments(found.reader),
    )
    session = JudgingSession(task, LabelLog(suite.path, wishes.judge), labels)
    return session, (*labels.notes, *found.pool.notes)


def by_rank(found: GatheredPool) -> list[JudgingUnit]:
    """Return the passages by their best rank, at each rank those that the fewest systems returned first.

    What no system returned comes last. The order of the pool, which is random, decides between equals.
    """
    systems = {one.name for one in found.answers}

    def place(pooled: PooledUnit) -> tuple[float, int]:
        ranks = [vote.rank for vote in pooled.votes if vote.source in systems]
        return min(ranks, default=math.inf), len(ranks)

    return [pooled.unit for pooled in sorted(found.pool.units, key=place)]


def top_grade(suite: Suite) -> int:
    """Return the highest grade of a suite: what it declares, or what its targets have."""
    grades = (target.grade for case in suite.cases for target in case.targets)
    return max(1, int(suite.max_grade or max(grades, default=1)))


def read_guidelines(suite: Suite, root: Path) -> Guidelines:
    """Read the guidelines that a suite names; none where it names none.

    Args:
        suite: The suite.
        root: The folder that the file must be in, because model judges receive its text: the project.

    Raises:
        InputError: for a file that does not exist, is outside the project, or is no text.
    """
    path = guidelines_file(suite, root)
    return Guidelines() if path is None else Guidelines(read_text(path, limit=GUIDELINES_LIMIT).decode())
