"""What could not be read at all, so that nothing else was checked against it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.truth.lint.finding import Finding, Severity
from rankgate.truth.lint.rule import Remark, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.errors import RankgateError
    from rankgate.truth.lint.subject import Subject


def check(subject: Subject) -> Iterator[Remark]:
    """Tell what was wrong with the file of anchors."""
    for problem in subject.unread:
        yield Remark(problem.found, problem.expected, problem.fix, where=problem.where)


def findings_of(error: RankgateError) -> tuple[Finding, ...]:
    """Make findings of the problems for which a suite, its gates or its corpus was refused."""
    return tuple(Finding(RULE.name, RULE.severity, problem) for problem in error.problems)


RULE = Rule(
    "unreadable",
    Severity.ERROR,
    "the suite, a gate, its corpus or its anchors cannot be read",
    check,
)
