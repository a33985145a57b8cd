"""Targets whose text is another than the one that was anchored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.truth.anchors import State
from rankgate.truth.lint.finding import Severity
from rankgate.truth.lint.rule import GO_BACK, Remark, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.truth.lint.subject import Subject


def check(subject: Subject) -> Iterator[Remark]:
    """Compare every text with its anchor."""
    for place in subject.comparison.of(State.CHANGED):
        found = f"another text at '{place.location}' than was anchored ({place.then}, now {place.now})"
        accept = "correct its anchor in the suite"
        if not place.inline:
            accept = f"accept it with rankgate suite anchor --accept {subject.command}"
        fix = f"{GO_BACK}, or correct the place, or {accept}"
        yield Remark(found, "the text that was judged", fix, place.case)


RULE = Rule(
    "changed-anchor",
    Severity.ERROR,
    "the text of a target is another than was anchored",
    check,
    needs_corpus=True,
)
