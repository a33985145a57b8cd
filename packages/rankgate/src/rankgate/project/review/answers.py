"""What the answers of a system say of a suite: first hits for cases without targets, known misses that pass.

Create: the first hits of the engine as targets, unreviewed. An engine's own answers are no evidence that it
is right. They save typing, and nothing else: each is marked `reviewed: false` with the engine as its source,
and no gate counts it until a person has taken that out. What nobody has reviewed and the engine does not
return any more is proposed to be taken out again.

Fix: known misses that are misses no more. Taking an `xfail` out holds the engine to one more case.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.errors import LocationError
from rankgate.model.locations import Lines, Location
from rankgate.model.suite import Target
from rankgate.model.wording import many
from rankgate.project.review.subject import Category, Change, ReviewRemark
from rankgate.reports.rankings import hit_text
from rankgate.suites.editing.edits import AddTargets, DropTarget, DropXFail

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.model.suite import Case
    from rankgate.project.review.subject import ReviewSubject
    from rankgate.runs.store.hits import HitRow
    from rankgate.scoring.placements import JudgedHits

PROPOSED = 3
"""How many hits are proposed for a case."""
ENGINE = "engine"
"""The source of what ``rankgate query --save-case`` wrote."""
_SHOWN = 3


def created(subject: ReviewSubject) -> Iterator[Change | ReviewRemark]:
    """Propose targets for cases without one, and more for those that `query --save-case` began."""
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
        # What a heading names is known by its lines too.
        spots = {subject.spot_key(one) for one in known} - {None}
        found = [each for hit in hits[name] if (each := _location(hit, subject)) is not None]
        kind = found[0].id is None if found else True
        new = [
            each
            for each in dict.fromkeys(found)
            if each not in known and subject.spot_key(each) not in spots and (each.id is None) == kind
        ]
        if not new:
            if not known:
                yield ReviewRemark(
                    name, f"no target, and {answers.system} returned nothing that could be proposed"
                )
            continue
        source = case.targets[0].source if case.targets else answers.system
        targets = tuple(Target(each, source=source, reviewed=False) for each in new)
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
    ranks = {(query, spot): rank for query, spot, rank in _ranks(answers.scored.judged_hits)}
    for case in subject.suite.cases:
        for number in mine[case.id]:
            target = case.targets[number]
            key = subject.spot_key(target.location)
            if key is not None and ranks.get((case.id, key), 0) is None:
                why = f"{answers.system} proposed it, nobody has reviewed it, and it is not returned any more"
                what = f"take out the unreviewed target '{target.location}'"
                yield Change(
                    Category.TRIM, case.id, what, why, DropTarget(case.id, number), (target.location,)
                )


def no_longer_missed(subject: ReviewSubject) -> Iterator[Change | ReviewRemark]:
    """Propose to take the `xfail` out of cases that pass; one that ended over a miss is only shown."""
    answers = subject.answers
    if answers is None:
        return
    for case in subject.suite.cases:
        xfail = case.xfail
        relevant = [target for target in case.targets if target.grade > 0]
        # That an engine finds what it proposed itself is no news.
        reviewed = all(target.reviewed for target in relevant)
        if xfail is None or not reviewed or not (case.expect_empty or case.top or relevant):
            continue
        reasons = answers.short.get(case.id)
        ended = xfail.until < subject.today
        if not reasons:
            sources = tuple(target.location for target in relevant)
            what = f"take its xfail out ({xfail.reason})"
            why = f"it passes now, and must from then on; the xfail runs until {xfail.until}"
            why = f"it passes now; the xfail ended on {xfail.until}" if ended else why
            yield Change(Category.FIX, case.id, what, why, DropXFail(case.id), sources)
        elif ended:
            said = f"its xfail ended on {xfail.until} and it still fails: {'; '.join(reasons)}"
            advice = "mend the search, or give the xfail another day"
            yield ReviewRemark.unproposed(case.id, said, advice)


def not_empty(subject: ReviewSubject) -> Iterator[ReviewRemark]:
    """Show what came where nothing should: what an engine returns is never made the truth."""
    if subject.answers is None:
        return
    empty = [case.id for case in subject.suite.cases if case.expect_empty]
    for case, hits in subject.hits(empty, _SHOWN).items():
        if hits:
            named = ", ".join(map(hit_text, hits))
            said = f"it must find nothing, and {subject.answers.system} returned {named}"
            yield ReviewRemark.unproposed(case, said, "what an engine returns is not made the truth")


def _wants(case: Case) -> bool:
    if case.expect_empty or case.top:
        return False
    return not case.retired and (not case.targets or _saved(case))


def _saved(case: Case) -> bool:
    """Check for a case that `query --save-case` wrote, with the first hit alone."""
    return len(case.targets) == 1 and case.targets[0].source == ENGINE and not case.targets[0].reviewed


def _why(case: Case, system: str) -> str:
    has = "its one target is a first hit that was saved" if case.targets else "it has no target"
    has = "it has an answer and no target" if case.answer is not None and not case.targets else has
    return f"{has}; these are the first hits of {system}: read them, an engine's answer is no evidence"


def _location(hit: HitRow, subject: ReviewSubject) -> Location | None:
    """Write a hit as a location that the suite's corpus has, or as its id where there are none."""
    corpus = subject.suite.corpus
    try:
        if corpus is not None and hit.path is not None:
            lines = None if hit.start is None or hit.end is None else Lines(hit.start, hit.end)
            location = Location(path=hit.path, lines=lines)
        elif hit.id is not None:
            location = Location.of_id(hit.id)
        else:
            return None
    except LocationError:
        return None
    return None if subject.spot_key(location) is None else location


def _ranks(hits: JudgedHits) -> Iterator[tuple[str, object, int | None]]:
    """Go through every target with its rank, or None where no hit reaches it; targets said twice are one."""
    for query, rows in hits.targets.items():
        for row in rows:
            spot = row["id"], row["path"], row["start"], row["end"]
            yield query, spot, hits.ranks.get((query, row["target"]))
