"""Anchors of targets that are no longer in the suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.truth.lint.finding import Severity
from rankgate.truth.lint.rule import Remark, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.truth.lint.subject import Subject


def check(subject: Subject) -> Iterator[Remark]:
    """Count them, in one line, with the first as an example."""
    if subject.corpus is None or not (left := subject.comparison.left_over):
        return
    case, place = left[0]
    more = f" and {len(left) - 1} more" if len(left) > 1 else ""
    found = f"{len(left)} anchors of places that are gone: {place!r} of case {case}{more}"
    yield Remark(found, "anchors of what the suite names", f"run rankgate suite anchor {subject.command}")


RULE = Rule(
    "left-over-anchor",
    Severity.HINT,
    "the file of anchors has places that the suite no longer names",
    check,
    needs_corpus=True,
)
