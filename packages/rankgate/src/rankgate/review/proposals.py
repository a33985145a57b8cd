"""Create: the first hits of the engine as targets of cases that have none, unreviewed.

An engine's own answers are no evidence that it is right. They save typing, and nothing else: each is marked
`reviewed: false` with the engine as its source, and no gate counts it until a person has taken that out. What
nobody has reviewed and the engine does not return any more is proposed to be taken out again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.errors import LocationError
from rankgate.model.locations import Lines, Location
from rankgate.model.suite import Target
from rankgate.model.wording import many
from rankgate.review.change import Category, Change, ReviewRemark
from rankgate.suites.editing.edits import AddTargets, DropTarget
from rankgate.truth.locations.lookup import Spot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.model.suite import Case
    from rankgate.review.subject import ReviewSubject
    from rankgate.runs.store.hits import HitRow
    from rankgate.scoring.placements import JudgedHits

PROPOSED = 3
"""How many hits are proposed for a case."""
ENGINE = "engine"
"""The source of what ``rankgate ask --save-case`` wrote."""


def created(subject: ReviewSubject) -> Iterator[Change | ReviewRemark]:
    """Propose targets for cases without one, and more for those that `ask --save-case` began."""
    answers = subject.answers
    if answers is None:
        return
    wanting = {case.id: case for case in subject.suite.cases if _wants(case)}
    hits = subject.hits(wanting, PROPOSED)
    for name, case in wanting.items():
        if case.exhaustive:
            yield ReviewRemark(
                name, "exhaustive, and without a target: only a person can say what all of it is"
            )
            continue
        known = {target.location for target in case.targets}
        places = [place for hit in hits[name] if (place := _place(hit, subject)) is not None]
        kind = places[0].id is None if places else True
        new = [place for place in dict.fromkeys(places) if place not in known and (place.id is None) == kind]
        if not new:
            if not known:
                yield ReviewRemark(
                    name, f"no target, and {answers.system} returned nothing that could be proposed"
                )
            continue
        source = case.targets[0].source if case.targets else answers.system
        targets = tuple(Target(place, source=source, reviewed=False) for place in new)
        what = f"{many(len(new), 'unreviewed target')}: {', '.join(map(str, new))}"
        yield Change(
            Category.CREATE, name, what, _why(case, answers.system), AddTargets(name, targets), tuple(new)
        )


def no_longer_proposed(subject: ReviewSubject) -> Iterator[Change]:
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
    ranks = {(query, place): rank for query, place, rank in _ranks(answers.scored.judged_hits)}
    for case in subject.suite.cases:
        for number in mine[case.id]:
            target = case.targets[number]
            spot = subject.reader.find(target.location)
            if isinstance(spot, Spot) and ranks.get((case.id, _key(spot)), 0) is None:
                why = f"{answers.system} proposed it, nobody has reviewed it, and it is not returned any more"
                what = f"take out the unreviewed target '{target.location}'"
                yield Change(
                    Category.TRIM, case.id, what, why, DropTarget(case.id, number), (target.location,)
                )


def _wants(case: Case) -> bool:
    if case.expect_empty or case.top:
        return False
    return not case.targets or _saved(case)


def _saved(case: Case) -> bool:
    """Check for a case that `ask --save-case` wrote, with the first hit alone."""
    return len(case.targets) == 1 and case.targets[0].source == ENGINE and not case.targets[0].reviewed


def _why(case: Case, system: str) -> str:
    has = "its one target is a first hit that was saved" if case.targets else "it has no target"
    has = "it has an answer and no target" if case.answer is not None and not case.targets else has
    return f"{has}; these are the first hits of {system}: read them, an engine's answer is no evidence"


def _place(hit: HitRow, subject: ReviewSubject) -> Location | None:
    """Write a hit as a place that the suite's corpus has, or as its id where there are no places."""
    corpus = subject.suite.corpus
    try:
        if corpus is not None and hit.path is not None:
            lines = None if hit.start is None or hit.end is None else Lines(hit.start, hit.end)
            place = Location(path=hit.path, lines=lines)
        elif hit.id is not None:
            place = Location.of_id(hit.id)
        else:
            return None
    except LocationError:
        return None
    return place if isinstance(subject.reader.find(place), Spot) else None


def _ranks(hits: JudgedHits) -> Iterator[tuple[str, object, int | None]]:
    """Go through every target with its rank, or None where no hit reaches it; targets said twice are one."""
    for query, rows in hits.targets.items():
        for row in rows:
            spot = row["id"], row["path"], row["start"], row["end"]
            yield query, spot, hits.ranks.get((query, row["target"]))


def _key(spot: Spot) -> tuple[object, ...]:
    return spot.id, spot.path, spot.start, spot.end
