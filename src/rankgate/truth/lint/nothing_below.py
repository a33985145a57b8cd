"""Subtrees that should be complete, where nothing lies below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.truth.branches import branch
from rankgate.truth.lint.finding import Severity
from rankgate.truth.lint.rule import Remark, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.truth.lint.subject import Subject


def check(subject: Subject) -> Iterator[Remark]:
    """Look for what the outline has below every place that should be complete."""
    for stop in subject.stops():
        if stop.step.complete and not branch(subject.passages.lookup, stop.at, stop.spot).below:
            found = f"complete: true of '{stop.at}', below which the corpus has nothing"
            fix = "leave it out, and write what the text contains"
            yield Remark(found, "a place with sections or symbols below it", fix, where=stop.where)


RULE = Rule(
    "nothing-below",
    Severity.ERROR,
    "a subtree should be `complete`, and nothing lies below its place",
    check,
    needs_corpus=True,
)
