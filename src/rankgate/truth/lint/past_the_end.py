"""Line ranges past the end of their file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.truth.lint.finding import Severity
from rankgate.truth.lint.rule import GO_BACK, Remark, Rule
from rankgate.truth.lint.unresolved import named_places
from rankgate.truth.lookup import Spot, Why

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.model.places import Location
    from rankgate.truth.lint.subject import Subject


def check(subject: Subject) -> Iterator[Remark]:
    """Compare the last line of every range with the last line of its file."""
    told: set[tuple[str, Location]] = set()
    for owner, location, miss, said in named_places(subject):
        if isinstance(miss, Spot) or miss.why is not Why.NO_LINES or (owner, location) in told:
            continue
        told.add((owner, location))
        found, expected, fix = subject.passages.lookup.explain(location, miss)
        yield replace(said, found=found, expected=expected, fix=fix or f"{GO_BACK}, or correct the place")


RULE = Rule(
    "past-the-end",
    Severity.ERROR,
    "a line range goes past the end of its file",
    check,
    needs_corpus=True,
)
