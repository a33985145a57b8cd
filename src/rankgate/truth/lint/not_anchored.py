"""Targets that have no anchor yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.truth.anchors import State
from rankgate.truth.lint.finding import Severity
from rankgate.truth.lint.rule import Remark, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.truth.lint.subject import Subject


def check(subject: Subject) -> Iterator[Remark]:
    """Count them, in one line."""
    new, places = len(subject.comparison.of(State.NEW)), len(subject.comparison.places)
    if new and not subject.unread:
        fix = f"run rankgate suite anchor {subject.command}, so that a change of their text is noticed"
        yield Remark(f"{new} of {places} places without an anchor", "an anchor for each", fix)


RULE = Rule("not-anchored", Severity.HINT, "targets have no anchor yet", check, needs_corpus=True)
