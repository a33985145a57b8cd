"""Trim: proposals of the engine that it no longer makes, which nobody has reviewed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.review.change import Category, Change
from rankgate.review.proposals import ENGINE
from rankgate.scoring.placements import placements
from rankgate.suites.edits import DropTarget
from rankgate.truth.lookup import Spot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.review.subject import Subject


def no_longer_proposed(subject: Subject) -> Iterator[Change]:
    """Find unreviewed targets that came from this engine and are not among its hits any more.

    Those of another source stay, found or not: what a person, a heading or another engine proposed is no
    worse for not being found by this one.
    """
    answers = subject.answers
    if answers is None:
        return
    mine = {
        case.id: [
            number
            for number, target in enumerate(case.targets)
            if not target.reviewed and target.source in (ENGINE, answers.system)
        ]
        for case in subject.suite.cases
    }
    if not any(mine.values()):
        return
    ranks = {(query, place): rank for query, place, rank in _ranks(subject)}
    for case in subject.suite.cases:
        for number in mine[case.id]:
            target = case.targets[number]
            spot = subject.passages.find(target.location)
            if isinstance(spot, Spot) and ranks.get((case.id, _key(spot)), 0) is None:
                why = f"{answers.system} proposed it, nobody has reviewed it, and it is not returned any more"
                what = f"take out the unreviewed target '{target.location}'"
                yield Change(
                    Category.TRIM, case.id, what, why, DropTarget(case.id, number), (target.location,)
                )


def _ranks(subject: Subject) -> Iterator[tuple[str, object, int | None]]:
    """Give the rank of every target, or None where no hit reaches it; targets said twice are one."""
    answers = subject.answers
    if answers is None:
        return
    judgments = answers.judgments
    rows = placements(judgments, answers.run).iter_rows()
    columns = ["id", "path", "start", "end"]
    for (query, _, rank), about in zip(rows, judgments.targets.select(columns).iter_rows(), strict=True):
        yield query, about, rank


def _key(spot: Spot) -> tuple[object, ...]:
    return spot.id, spot.path, spot.start, spot.end
