"""Places that are not in the corpus, or not only once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.truth.lint.finding import Severity
from rankgate.truth.lint.rule import GO_BACK, Remark, Rule
from rankgate.truth.lookup import Spot, Why

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.model.places import Location
    from rankgate.truth.lint.subject import Subject
    from rankgate.truth.lookup import Miss

NEAR = 50
"""For how many places a near miss is looked for, which takes long in a large corpus."""


def check(subject: Subject) -> Iterator[Remark]:
    """Look every place up, those of `top` too; a place that a case or a step names twice is told once."""
    told: set[tuple[str, Location]] = set()
    explained: dict[Location, tuple[str, str, str]] = {}
    for owner, location, miss, said in named_places(subject):
        if isinstance(miss, Spot) or miss.why is Why.NO_LINES or (owner, location) in told:
            continue
        told.add((owner, location))
        if location not in explained:
            near = len(explained) < NEAR
            found, expected, fix = subject.passages.lookup.explain(location, miss, near=near)
            explained[location] = found, expected, fix or f"{GO_BACK}, or correct the place"
        found, expected, fix = explained[location]
        yield replace(said, found=found, expected=expected, fix=fix)


def named_places(subject: Subject) -> Iterator[tuple[str, Location, Spot | Miss, Remark]]:
    """Give what names each place, the place, where it is, and a remark that says whose it is."""
    for wanted in subject.wanted:
        yield f"case {wanted.case.id}", wanted.location, wanted.found, Remark("", "", case=wanted.case)
    for visited in subject.visited:
        place = visited.place
        where = subject.place(place.where, place.owner)
        yield place.owner, place.location, visited.found, Remark("", "", where=where)


RULE = Rule(
    "unresolved",
    Severity.ERROR,
    "a place of a case, a scenario or an invariant is not in the corpus, or not only once",
    check,
    needs_corpus=True,
)
