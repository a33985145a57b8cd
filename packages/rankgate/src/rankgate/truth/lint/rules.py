"""All rules, in the order in which the documentation has them, and the two that say what was not checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem, did_you_mean
from rankgate.truth.lint.context import LintRemark, rule
from rankgate.truth.lint.finding import Finding, Severity
from rankgate.truth.lint.judgments import contradictory_grades, no_targets, single_engine, xfail_expired
from rankgate.truth.lint.leaks import hard_leak, leak
from rankgate.truth.lint.locations import (
    changed_anchor,
    left_over_anchor,
    not_anchored,
    past_the_end,
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
from rankgate.truth.lint.slices import thin_slice
from rankgate.truth.locations.lookup import Spot

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rankgate.errors import RankgateError
    from rankgate.truth.lint.context import LintContext, LintRule


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
        yield LintRemark(found, "places in the corpus", "write them as at: if they are places")


RULES: dict[str, LintRule] = {
    each.name: each
    for each in (
        unreadable,
        unresolved,
        past_the_end,
        changed_anchor,
        not_anchored,
        left_over_anchor,
        duplicate_query,
        near_duplicate_query,
        contradictory_grades,
        thin_slice,
        leak,
        hard_leak,
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
        Problem(option, repr(name), f"one of {', '.join(RULES)}", did_you_mean(name, RULES))
        for option, names in (("--rule", rules), ("--ignore", ignore))
        for name in names
        if name not in RULES
    ]
    if problems:
        raise InputError(problems)
    if rules and not (set(rules) - set(ignore)):
        found = f"{', '.join(rules)} in both"
        problems.append(Problem("--rule and --ignore", found, "a rule to run", "leave one of them out"))
        raise InputError(problems)
    always = unreadable.name, *((not_run.name,) if rules else ())
    wanted = {*(rules or RULES), *always} - (set(ignore) - {unreadable.name})
    return tuple(rule for name, rule in RULES.items() if name in wanted)
