"""Fix: locations whose text stands elsewhere now. Trim: targets whose text, and whose file, are gone.

Both are proven by anchors: the hash of what was judged tells it from every other text, is looked for in all
of the corpus, and must stand exactly once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.model.wording import many
from rankgate.project.review.subject import Category, Change, ReviewRemark
from rankgate.suites.editing.edits import DropTarget, Move
from rankgate.truth.anchors import AnchorState, compare
from rankgate.truth.locations.lookup import Miss, Spot
from rankgate.truth.mending.by_anchor import follow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.model.locations import Location
    from rankgate.model.suite import Case
    from rankgate.project.review.subject import ReviewSubject
    from rankgate.truth.anchors import Anchored
    from rankgate.truth.mending.by_anchor import AnchorMatches


def misplaced(subject: ReviewSubject) -> Iterator[Change | ReviewRemark]:
    """Propose where texts went, and to take out targets that are gone; what is not proven is only shown."""
    if subject.corpus is None:
        return
    comparison = compare(subject.suite, subject.reader, subject.anchors)
    lost: dict[Location, list[Anchored]] = {}
    for each in (*comparison.of(AnchorState.CHANGED), *comparison.of(AnchorState.LOST)):
        lost.setdefault(each.location, []).append(each)
    judged = {location: {each.then for each in some} for location, some in lost.items()}
    anchors = {
        location: kept for location, some in judged.items() if len(some) == 1 and (kept := next(iter(some)))
    }
    following = follow(subject.reader, anchors)
    for location, some in lost.items():
        yield from _settled(subject, location, some, following)


def _settled(
    subject: ReviewSubject, location: Location, some: Sequence[Anchored], following: AnchorMatches
) -> Iterator[Change | ReviewRemark]:
    case = some[0].case
    now = following.locations.get(location)
    if now and len(now) == 1 and following.complete:
        others = f", and for {many(len(some) - 1, 'other case')}" if len(some) > 1 else ""
        what = f"'{location}' becomes '{now[0]}'{others}"
        stood = (
            "finds another text now"
            if some[0].state is AnchorState.CHANGED
            else "is not in the corpus any more"
        )
        why = f"it {stood}; the text that was judged stands at '{now[0]}', and nowhere else"
        yield Change(Category.FIX, case.id, what, why, Move(location, now[0]), now)
        return
    if _is_gone(subject, location, now, following):
        for each in some:
            yield from _dropped(each.case, location)
        return
    for each in some:
        yield _remark(subject, each, now, following)


def _is_gone(
    subject: ReviewSubject, location: Location, now: tuple[Location, ...] | None, following: AnchorMatches
) -> bool:
    """Check that nothing is left: no record of the id; or no such file, and the text stands nowhere."""
    corpus = subject.corpus
    if corpus is None or location.quote is not None or isinstance(subject.reader.find(location), Spot):
        return False
    if corpus.records:
        return location.id is not None
    return now == () and following.complete and location.path is not None and location.path not in corpus


def _dropped(case: Case, location: Location) -> Iterator[Change | ReviewRemark]:
    numbers = [number for number, target in enumerate(case.targets) if target.location == location]
    left = [target for target in case.targets if target.location != location and target.grade > 0]
    if not left or any(top.location == location for top in case.top):
        said = f"'{location}' is gone, and it is all that the case must find"
        yield ReviewRemark.unproposed(case.id, said, "give it another target, or delete the case")
        return
    for number in numbers:
        why = "it is gone: neither its file nor its text is in the corpus any more"
        yield Change(
            Category.TRIM, case.id, f"take out the target '{location}'", why, DropTarget(case.id, number)
        )


def _remark(
    subject: ReviewSubject, anchored: Anchored, now: tuple[Location, ...] | None, following: AnchorMatches
) -> ReviewRemark:
    location = anchored.location
    if anchored.state is AnchorState.CHANGED:
        said = f"the text at '{location}' is not the one that was judged"
        fix = f"rankgate suite fix {subject.suite.path or 'SUITE'} shows both, and keeps it or moves it"
    else:
        spot = subject.reader.find(location)
        told = subject.reader.lookup.explain(location, spot) if isinstance(spot, Miss) else ("", "", "")
        said = f"found {told[0]}, expected {told[1]}"
        fix = told[2] or "correct the location"
    if now and len(now) > 1:
        some = ", ".join(map(str, now[:3]))
        said += f"; the text that was judged stands in {many(len(now), 'location')} ({some})"
    elif not following.complete:
        said += "; the corpus is too large to look for its text: rankgate suite fix follows it"
    elif anchored.then is None:
        said += "; it has no anchor by which its text could be found"
    return ReviewRemark.unproposed(anchored.case.id, said, fix)
