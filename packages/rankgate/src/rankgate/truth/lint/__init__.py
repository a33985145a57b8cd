"""`rankgate suite lint`: check a suite against its corpus and against itself.

The rules are in the order of docs/lint.md, which explains each of them.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from rankgate.errors import Code, FormatError, InputError, did_you_mean
from rankgate.truth.anchors import Anchors, anchors_path, read_anchors
from rankgate.truth.lint.cases import (
    broad_target,
    changed_target,
    contradictory_grades,
    duplicate_query,
    easy_query,
    expired_xfail,
    inexact_quote,
    missing_target,
    no_expectation,
    not_anchored,
    not_checked,
    single_source,
)
from rankgate.truth.lint.check import Finding, LintContext, Severity
from rankgate.truth.lint.scenarios import impossible_check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.errors import RankgateError
    from rankgate.model import Suite
    from rankgate.truth.lint.check import LintRule, Remark

__all__ = ["INVALID", "RULES", "Finding", "Severity", "findings_of", "in_order", "lint", "selected_rules"]

INVALID = "invalid-suite"
"""The rule of everything that stops a suite, a gate, a corpus or the anchors from being read."""
RULES: dict[str, LintRule] = {
    each.name: each
    for each in (
        missing_target,
        changed_target,
        not_anchored,
        inexact_quote,
        broad_target,
        duplicate_query,
        contradictory_grades,
        no_expectation,
        expired_xfail,
        single_source,
        easy_query,
        impossible_check,
        not_checked,
    )
}
"""The rules by name, without `INVALID`, which cannot be selected or ignored."""


def findings_of(error: RankgateError) -> tuple[Finding, ...]:
    """Make findings of the problems of an invalid suite, gate or corpus."""
    return tuple(
        Finding(INVALID, Severity.ERROR, one.where, str(one).removeprefix(f"{one.where}: "))
        for one in error.problems
    )


def selected_rules(rules: Iterable[str], ignore: Iterable[str]) -> tuple[LintRule, ...]:
    """Return the named rules, or all, without the ignored ones.

    Raises:
        InputError: for unknown names, and if no rule is left.
    """
    rules, ignore = tuple(rules), tuple(ignore)
    problems = [
        Code.WRONG_OPTION(option, repr(name), f"one of {', '.join(RULES)}", did_you_mean(name, RULES))
        for option, names in (("--rule", rules), ("--ignore", ignore))
        for name in names
        if name not in RULES
    ]
    if not problems and rules and set(rules) <= set(ignore):
        found = f"{', '.join(rules)} in both"
        problems.append(Code.CONFLICT("--rule and --ignore", found, "a rule to run", "leave one of them out"))
    if problems:
        raise InputError(problems)
    wanted = {*(rules or RULES), not_checked.name} - set(ignore)
    return tuple(rule for name, rule in RULES.items() if name in wanted)


def lint(
    suite: Suite,
    corpus: Corpus | None = None,
    *,
    rules: Sequence[str] = (),
    ignore: Sequence[str] = (),
    anchors: Anchors | None = None,
    today: date | None = None,
    tell: Callable[[str], None] | None = None,
) -> tuple[Finding, ...]:
    """Check a suite, and return the findings in the order of its lines.

    Args:
        suite: The suite.
        corpus: Its documents; without them, the rules that need a corpus do not run, and a hint names them.
        rules: The rules to run; by default all.
        ignore: Rules to leave out.
        anchors: The anchors; by default those of the file beside the suite.
        today: The date with which known misses are compared.
        tell: Called with the name of each step.

    Raises:
        InputError: for an unknown rule.
    """
    wanted = selected_rules(rules, ignore)
    findings: list[Finding] = []
    if anchors is None and suite.path is not None:
        try:
            anchors = read_anchors(anchors_path(suite.path))
        except FormatError as error:
            findings += findings_of(error)
    context = LintContext(
        suite=suite,
        corpus=corpus,
        anchors=anchors or Anchors(),
        today=(today or datetime.now(UTC).date()).isoformat(),
        tell=tell or (lambda _: None),
        not_checked=tuple(rule.name for rule in wanted if rule.needs_corpus),
    )
    for each in wanted:
        if each.needs_corpus and corpus is None:
            continue
        context.tell(f"checking {each.name}")
        findings += (_finding(each, remark, context) for remark in each.check(context))
    return in_order(findings)


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort findings by line, the worst of a line first; those without a line come last."""

    def order(finding: Finding) -> tuple[bool, int, int, int]:
        _, line, column = finding.place
        return line is None, line or 0, column or 0, finding.severity.order

    return tuple(sorted(findings, key=order))


def _finding(rule: LintRule, remark: Remark, context: LintContext) -> Finding:
    where = remark.where or context.where
    if remark.case is not None:
        where = remark.case.where or f"{context.where}: case {remark.case.id}"
    case = None if remark.case is None else remark.case.id
    return Finding(rule.name, remark.severity or rule.severity, where, remark.message, case)
