"""Checking a suite against its corpus and against itself. docs/lint.md explains each rule."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rankgate.errors import FormatError, Problem
from rankgate.truth.anchors import Anchors, anchors_path, read_anchors
from rankgate.truth.lint.context import LintContext
from rankgate.truth.lint.finding import Finding, Severity
from rankgate.truth.lint.rules import RULES, chosen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import date

    from rankgate.corpora.corpus import Corpus
    from rankgate.model.suite import Suite
    from rankgate.truth.lint.context import LintRemark, LintRule

__all__ = ["MIN_N", "RULES", "Finding", "Severity", "in_order", "lint"]

MIN_N = 5
"""How many cases a slice needs to be judged by."""


def lint(
    suite: Suite,
    corpus: Corpus | None = None,
    *,
    rules: Sequence[str] = (),
    ignore: Sequence[str] = (),
    min_n: int = MIN_N,
    anchors: Anchors | None = None,
    today: date | None = None,
    tell: Callable[[str], None] | None = None,
) -> tuple[Finding, ...]:
    """Check a suite, and return what was found in the order of its lines.

    Args:
        suite: what to check.
        corpus: what its locations are in; without one, the rules that need it are named and not run.
        rules: the rules to run; by default all.
        ignore: rules to leave out.
        min_n: how many cases a slice needs.
        anchors: what was anchored; by default what stands in the file beside the suite.
        today: the day on which known misses are judged; by default this one.
        tell: told in words what is under way.

    Raises:
        InputError: for a rule that is unknown, or a corpus that changed since it was opened.
    """
    wanted = chosen(rules, ignore)
    unread: tuple[Problem, ...] = ()
    if anchors is None and suite.path is not None:
        try:
            anchors = read_anchors(anchors_path(suite.path))
        except FormatError as error:
            unread = error.problems
    context = LintContext(
        suite=suite,
        corpus=corpus,
        anchors=anchors or Anchors(),
        min_n=min_n,
        today=today or datetime.now(UTC).date(),
        unread=unread,
        tell=tell or _nobody,
        idle=tuple(rule.name for rule in wanted if rule.needs_corpus),
    )
    found: list[Finding] = []
    for rule in wanted:
        context.tell(f"checking {rule.name}")
        found += (_finding(rule, remark, context) for remark in rule.check(context))
    return in_order(found)


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort findings by line, the worst of a line first; what has no line comes last."""
    return tuple(sorted(findings, key=_order))


def _nobody(_: str) -> None:
    """Tell nobody."""


def _finding(rule: LintRule, remark: LintRemark, context: LintContext) -> Finding:
    case = remark.case
    where = remark.where or context.where
    if case is not None:
        where = case.where or f"{context.where}: case {case.id}"
    problem = Problem(where, remark.found, remark.expected, remark.fix)
    return Finding(rule.name, remark.severity or rule.severity, problem, None if case is None else case.id)


def _order(finding: Finding) -> tuple[bool, int, int, int]:
    line = finding.line
    return line is None, line or 0, finding.column or 0, finding.severity.weight
