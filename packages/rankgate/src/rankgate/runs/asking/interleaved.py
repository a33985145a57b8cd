"""Asking several systems in turn, query by query: the only fair way to compare how long they take.

A machine is slower today than yesterday, and in one half of a minute than in the other. Asked in turn, with
whoever is first changing from query to query, all meet the same machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.runs.asking.answers import packed_answers
from rankgate.runs.asking.ask import ask_one
from rankgate.runs.store.tables import MemoryRun

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.model.search import System
    from rankgate.runs.asking.answers import AnswerRecord
    from rankgate.runs.asking.ask import CaseQuery, Locate
    from rankgate.runs.asking.progress import Progress


def ask_interleaved(
    questions: Sequence[CaseQuery],
    systems: Sequence[tuple[str, System]],
    locate: Locate,
    progress: Progress | None = None,
) -> list[MemoryRun]:
    """Ask every system every question, one at a time, and give a run for each.

    Each is asked the first question once before anything counts, so that what it opens on its first call is
    no part of its latency.

    Args:
        questions: What to ask.
        systems: Whom, each with its name.
        locate: Gives hits their places; not part of the latency.
        progress: Told of every question that all have answered.
    """
    for question in questions[:1]:
        for _, system in systems:
            ask_one(question, system)
    answers: list[list[AnswerRecord]] = [[] for _ in systems]
    if progress is not None:
        progress.start(len(questions))
    for at, question in enumerate(questions):
        for turn in range(len(systems)):
            who = (at + turn) % len(systems)
            answers[who].append(ask_one(question, systems[who][1], locate))
        if progress is not None:
            progress.advance(0)
    if progress is not None:
        progress.finish()
    return [
        MemoryRun(name, (packed_answers(asked, "snippet"),))
        for (name, _), asked in zip(systems, answers, strict=True)
    ]
