"""Line ranges past the end of their file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.truth.lint.finding import Severity
from rankgate.truth.lint.rule import GO_BACK, Remark, Rule
from rankgate.truth.lookup import Spot, Why

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.model.places import Location
    from rankgate.truth.lint.subject import Subject


def check(subject: Subject) -> Iterator[Remark]:
    """Compare the last line of every range with the last line of its file."""
    told: set[tuple[str, Location]] = set()
    for wanted in subject.wanted:
        miss, key = wanted.found, (wanted.case.id, wanted.location)
        if isinstance(miss, Spot) or miss.why is not Why.NO_LINES or key in told:
            continue
        told.add(key)
        found, expected, fix = subject.passages.lookup.explain(wanted.location, miss)
        fix = fix or f"{GO_BACK}, or correct the place"
        yield Remark(found, expected, fix, wanted.case)


RULE = Rule(
    "past-the-end",
    Severity.ERROR,
    "a line range goes past the end of its file",
    check,
    needs_corpus=True,
)
