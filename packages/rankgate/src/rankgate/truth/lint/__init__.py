"""Checking a suite against its corpus and against itself.

The rules are listed in the order of docs/lint.md, which explains each; two say what was not checked.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rankgate.errors import Code, FormatError, InputError, Problem, did_you_mean
from rankgate.truth.anchors import Anchors, anchors_path, read_anchors
from rankgate.truth.lint.context import Finding, LintContext, LintRemark, Severity, rule
from rankgate.truth.lint.covering import answers_another, inherited_grade, passed_from_below
from rankgate.truth.lint.judgments import contradictory_grades, no_targets, single_engine, xfail_expired
from rankgate.truth.lint.leaks import hard_leak, leak
from rankgate.truth.lint.locations import (
    changed_anchor,
    inexact_quote,
    left_over_anchor,
    long_line,
    not_anchored,
    past_the_end,
    several_places,
    unresolved,
)
from rankgate.truth.lint.probes import (
    beside_in_corpus,
    nothing_below,
    only_nothing,
    text_not_there,
    title_not_there,
)
from rankgate.truth.lint.queries import duplicate_query, near_duplicate_query
from rankgate.truth.lint.title_words import title_words
from rankgate.truth.locations.lookup import Spot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import date

    from rankgate.corpora.corpus import Corpus
    from rankgate.errors import RankgateError
    from rankgate.model import Suite
    from rankgate.truth.lint.context import LintRule


@rule("unreadable", Severity.ERROR, "the suite, a gate, its corpus or its anchors cannot be read")
def unreadable(context: LintContext) -> Iterator[LintRemark]:
    """Report what was wrong with the file of anchors."""
    for problem in context.unread:
        yield LintRemark(problem.found, problem.expected, problem.fix, where=problem.where)


def findings_of(error: RankgateError) -> tuple[Finding, ...]:
    """Make findings of the problems for which a suite, its gates or its corpus was refused."""
    return tuple(Finding(unreadable.name, unreadable.severity, problem) for problem in error.problems)


@rule("not-run", Severity.HINT, "what could not be checked, and why")
def not_run(context: LintContext) -> Iterator[LintRemark]:
    """Name the rules that had no corpus to look in, and count the ids that have no text."""
    if context.corpus is None:
        if context.idle:
            found = f"no corpus, so these rules were not run: {', '.join(context.idle)}"
            yield LintRemark(
                found, "a corpus to look in", "name it as corpus: in the suite, or with --corpus"
            )
        return
    opaque = sum(
        isinstance(each.found, Spot)
        and each.found.strategy == "id"
        and context.reader.document(each.found) is None
        for each in context.case_locations
    )
    if opaque and context.idle:
        every = len(context.case_locations)
        found = f"{opaque} of {every} targets that are opaque ids, of which no text is known"
        yield LintRemark(found, "locations in the corpus", "write them as at: if they are locations")


RULES: dict[str, LintRule] = {
    each.name: each
    for each in (
        unreadable,
        unresolved,
        past_the_end,
        long_line,
        inexact_quote,
        several_places,
        changed_anchor,
        not_anchored,
        left_over_anchor,
        duplicate_query,
        near_duplicate_query,
        contradictory_grades,
        inherited_grade,
        passed_from_below,
        answers_another,
        leak,
        hard_leak,
        title_words,
        single_engine,
        no_targets,
        xfail_expired,
        text_not_there,
        title_not_there,
        nothing_below,
        only_nothing,
        beside_in_corpus,
        not_run,
    )
}
"""The rules, by name."""


def chosen(rules: Iterable[str], ignore: Iterable[str]) -> tuple[LintRule, ...]:
    """Return the rules that are named, or all, without those to ignore; what cannot be read is always told.

    Raises:
        InputError: for names that no rule has, or where every rule that is named is to be ignored.
    """
    rules, ignore = tuple(rules), tuple(ignore)
    problems = [
        Code.WRONG_OPTION(option, repr(name), f"one of {', '.join(RULES)}", did_you_mean(name, RULES))
        for option, names in (("--rule", rules), ("--ignore", ignore))
        for name in names
        if name not in RULES
    ]
    if problems:
        raise InputError(problems)
    if rules and not (set(rules) - set(ignore)):
        found = f"{', '.join(rules)} in both"
        problems.append(Code.CONFLICT("--rule and --ignore", found, "a rule to run", "leave one of them out"))
        raise InputError(problems)
    always = unreadable.name, *((not_run.name,) if rules else ())
    wanted = {*(rules or RULES), *always} - (set(ignore) - {unreadable.name})
    return tuple(rule for name, rule in RULES.items() if name in wanted)


__all__ = ["RULES", "Finding", "Severity", "in_order", "lint"]


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
    """Check a suite, and return what was found in the order of its lines.

    Args:
        suite: what to check.
        corpus: what its locations are in; without one, the rules that need it are named and not run.
        rules: the rules to run; by default all.
        ignore: rules to leave out.
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
        today=today or datetime.now(UTC).date(),
        unread=unread,
        tell=tell or (lambda _: None),
        idle=tuple(rule.name for rule in wanted if rule.needs_corpus),
    )
    found: list[Finding] = []
    for each in wanted:
        context.tell(f"checking {each.name}")
        found += (_finding(each, remark, context) for remark in each.check(context))
    return in_order(found)


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort findings by line, the worst of a line first; what has no line comes last."""
    return tuple(sorted(findings, key=_order))


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
