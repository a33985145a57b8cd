"""Cases that expect nothing in particular."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.truth.lint.finding import Severity
from rankgate.truth.lint.rule import Remark, Rule
from rankgate.truth.lint.subject import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.truth.lint.subject import Subject


def check(subject: Subject) -> Iterator[Remark]:
    """Find cases with neither targets nor `expect`, `top` or an answer."""
    for case in subject.cases:
        if not (case.targets or case.top or case.expect_empty or case.answer):
            found = f"the query {quoted(case.query)} and nothing it should find"
            fix = "judge it, or write expect: empty if the right answer is no hit at all"
            yield Remark(found, "at, id, any_of, top or expect", fix, case)


RULE = Rule("no-targets", Severity.WARNING, "a case says nothing of what should be found", check)
