"""Places that are not in the corpus, or not only once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.truth.lint.finding import Severity
from rankgate.truth.lint.rule import GO_BACK, Remark, Rule
from rankgate.truth.lookup import Spot, Why

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.model.places import Location
    from rankgate.truth.lint.subject import Subject

NEAR = 50
"""For how many places a near miss is looked for, which takes long in a large corpus."""


def check(subject: Subject) -> Iterator[Remark]:
    """Look every place up, those of `top` too; a place that a case names twice is told once."""
    told: set[tuple[str, Location]] = set()
    explained: dict[Location, tuple[str, str, str]] = {}
    lookup = subject.passages.lookup
    for wanted in subject.wanted:
        miss, key = wanted.found, (wanted.case.id, wanted.location)
        if isinstance(miss, Spot) or miss.why is Why.NO_LINES or key in told:
            continue
        told.add(key)
        if wanted.location not in explained:
            near = len(explained) < NEAR
            found, expected, fix = lookup.explain(wanted.location, miss, near=near)
            explained[wanted.location] = found, expected, fix or f"{GO_BACK}, or correct the place"
        yield Remark(*explained[wanted.location], case=wanted.case)


RULE = Rule(
    "unresolved",
    Severity.ERROR,
    "a target or a `top` is not in the corpus, or not only once",
    check,
    needs_corpus=True,
)
