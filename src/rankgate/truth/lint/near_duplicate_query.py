"""Queries that are nearly the same and are not said to be paraphrases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.truth.lint.alike import Alike, Asked
from rankgate.truth.lint.asked import asked_like
from rankgate.truth.lint.finding import Severity
from rankgate.truth.lint.rule import Remark, Rule
from rankgate.truth.lint.subject import QUOTED, named, quoted
from rankgate.truth.lint.words import fold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.model.suite import Case
    from rankgate.truth.lint.subject import Subject


def check(subject: Subject) -> Iterator[Remark]:
    """Name, for each case, the first before it that asks nearly the same and shares no group with it."""
    cases = subject.cases
    alike = Alike(
        [
            Asked(folded, subject.stems.content(folded.split()), asked_like(case), case.group)
            for case, folded in zip(cases, subject.folded, strict=True)
        ]
    )
    for first, second in alike.pairs():
        yield _remark(cases[second], cases[first])
    if alike.unfinished is not None and alike.unfinished < len(cases):
        found = f"too many queries alike to compare: {len(cases) - alike.unfinished} of {len(cases)} were not"
        yield Remark(found, "queries that differ", "correct those that are told, and lint again")


def _remark(case: Case, first: Case) -> Remark:
    group = case.group or first.group or first.id
    found = f"{quoted(case.query)}, nearly the query {_other(case.query, first.query)} of {named(first)}"
    fix = f"give both group: {group}, so that they are resampled together, or delete one"
    return Remark(found, "a query of its own, or a group of paraphrases", fix, case)


def _other(query: str, first: str) -> str:
    """Quote the other query; of a long one, which is cut, only what it says else."""
    if max(len(query), len(first)) <= QUOTED:
        return quoted(first)
    words, others = fold(query).split(), fold(first).split()
    here = [word for word in words if word not in others]
    there = [word for word in others if word not in words]
    if there and here:
        return f"(which says {quoted(' '.join(there))} for {quoted(' '.join(here))})"
    if not there and not here:
        return "(which has the same words)"
    return f"(with {quoted(' '.join(there))})" if there else f"(without {quoted(' '.join(here))})"


RULE = Rule(
    "near-duplicate-query", Severity.HINT, "two queries are nearly the same and share no group", check
)
