"""The same query twice, and queries that are nearly the same and are not said to be paraphrases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.truth.lint.context import QUOTED, LintRemark, asked_like, named, quoted, rule
from rankgate.truth.lint.finding import Severity
from rankgate.truth.lint.near_duplicates import ComparedQuery, NearDuplicates
from rankgate.truth.lint.words import fold

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from rankgate.model.suite import Case
    from rankgate.truth.lint.context import LintContext


@rule("duplicate-query", Severity.WARNING, "the same query stands twice in one slice")
def duplicate_query(context: LintContext) -> Iterator[LintRemark]:
    """Compare queries without regard to case, white space and punctuation, within a slice and its filters.

    Cases of one group may differ in just these: whether a search minds them is what they ask.
    """
    first: dict[Hashable, Case] = {}
    verbatim: dict[Hashable, Case] = {}
    for case, folded in zip(context.cases, context.folded, strict=True):
        same = first.setdefault((folded, asked_like(case)), case)
        literal = verbatim.setdefault((case.query, case.group, asked_like(case)), case)
        if same is not case and case.group is not None and case.group == same.group:
            same = literal
        if same is not case:
            yield _duplicate_query_remark(case, same)


def _duplicate_query_remark(case: Case, same: Case) -> LintRemark:
    targets, others = ({(each.location, each.grade) for each in one.targets} for one in (case, same))
    expects = "expects the same" if targets == others else "expects something else"
    fix = "delete one" if targets == others else "merge what they expect"
    found = f"the query {quoted(case.query)} of {named(same)} again, which {expects}"
    return LintRemark(
        found, "every query once in a slice", f"{fix}, or tell them apart by category or filters", case
    )


@rule("near-duplicate-query", Severity.HINT, "two queries are nearly the same and share no group")
def near_duplicate_query(context: LintContext) -> Iterator[LintRemark]:
    """Name, for each case, the first before it that asks nearly the same and shares no group with it."""
    cases = context.cases
    alike = NearDuplicates(
        [
            ComparedQuery(folded, context.stems.content(folded.split()), asked_like(case), case.group)
            for case, folded in zip(cases, context.folded, strict=True)
        ]
    )
    for first, second in alike.pairs():
        yield _near_duplicate_query_remark(cases[second], cases[first])
    if alike.unfinished is not None and alike.unfinished < len(cases):
        found = f"too many queries alike to compare: {len(cases) - alike.unfinished} of {len(cases)} were not"
        yield LintRemark(found, "queries that differ", "correct those that are told, and lint again")


def _near_duplicate_query_remark(case: Case, first: Case) -> LintRemark:
    group = case.group or first.group or first.id
    found = f"{quoted(case.query)}, nearly the query {_other(case.query, first.query)} of {named(first)}"
    fix = f"give both group: {group}, so that they are resampled together, or delete one"
    return LintRemark(found, "a query of its own, or a group of paraphrases", fix, case)


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
