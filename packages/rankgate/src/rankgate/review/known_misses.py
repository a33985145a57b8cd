"""Fix: known misses that are misses no more. Taking an `xfail` out holds the engine to one more case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.reports.rankings import hit_text
from rankgate.review.change import Category, Change, ReviewRemark
from rankgate.suites.editing.edits import DropXFail

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.review.subject import ReviewSubject


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
            places = tuple(target.location for target in relevant)
            what = f"take its xfail out ({xfail.reason})"
            why = f"it passes now, and can be held to that; the xfail runs until {xfail.until}"
            why = f"it passes now; the xfail ended on {xfail.until}" if ended else why
            yield Change(Category.FIX, case.id, what, why, DropXFail(case.id), places)
        elif ended:
            said = f"its xfail ended on {xfail.until} and it still fails: {'; '.join(reasons)}"
            yield ReviewRemark(
                case.id, f"{said}. Nothing is proposed: mend the search, or give the xfail another day"
            )


def not_empty(subject: ReviewSubject) -> Iterator[ReviewRemark]:
    """Show what came where nothing should: what an engine returns is never made the truth."""
    if subject.answers is None:
        return
    empty = [case.id for case in subject.suite.cases if case.expect_empty]
    for case, hits in subject.hits(empty, _SHOWN).items():
        if hits:
            named = ", ".join(map(hit_text, hits))
            said = f"it must find nothing, and {subject.answers.system} returned {named}"
            yield ReviewRemark(
                case, f"{said}. Nothing is proposed: what an engine returns is not made the truth"
            )


_SHOWN = 3
