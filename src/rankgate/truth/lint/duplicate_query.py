"""The same query twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.truth.lint.asked import asked_like
from rankgate.truth.lint.finding import Severity
from rankgate.truth.lint.rule import Remark, Rule
from rankgate.truth.lint.subject import named, quoted

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from rankgate.model.suite import Case
    from rankgate.truth.lint.subject import Subject


def check(subject: Subject) -> Iterator[Remark]:
    """Compare queries without regard to case, white space and punctuation, within a slice and its filters.

    Cases of one group may differ in just these: whether a search minds them is what they ask.
    """
    first: dict[Hashable, Case] = {}
    verbatim: dict[Hashable, Case] = {}
    for case, folded in zip(subject.cases, subject.folded, strict=True):
        same = first.setdefault((folded, asked_like(case)), case)
        literal = verbatim.setdefault((case.query, case.group, asked_like(case)), case)
        if same is not case and case.group is not None and case.group == same.group:
            same = literal
        if same is not case:
            yield _remark(case, same)


def _remark(case: Case, same: Case) -> Remark:
    targets, others = ({(each.location, each.grade) for each in one.targets} for one in (case, same))
    expects = "expects the same" if targets == others else "expects something else"
    fix = "delete one" if targets == others else "merge what they expect"
    found = f"the query {quoted(case.query)} of {named(same)} again, which {expects}"
    return Remark(
        found, "every query once in a slice", f"{fix}, or tell them apart by category or filters", case
    )


RULE = Rule("duplicate-query", Severity.WARNING, "the same query stands twice in one slice", check)
