"""All rules, in the order in which the documentation has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem, did_you_mean
from rankgate.truth.lint import (
    beside_in_corpus,
    changed_anchor,
    contradictory_grades,
    duplicate_query,
    hard_leak,
    leak,
    left_over_anchor,
    near_duplicate_query,
    no_targets,
    not_anchored,
    not_run,
    nothing_below,
    only_nothing,
    past_the_end,
    single_engine,
    text_not_there,
    thin_slice,
    title_not_there,
    unreadable,
    unresolved,
    xfail_expired,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankgate.truth.lint.rule import Rule

RULES: dict[str, Rule] = {
    module.RULE.name: module.RULE
    for module in (
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


def chosen(rules: Iterable[str], ignore: Iterable[str]) -> tuple[Rule, ...]:
    """Give the rules that are named, or all, without those to ignore; what cannot be read is always told.

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
    always = unreadable.RULE.name, *((not_run.RULE.name,) if rules else ())
    wanted = {*(rules or RULES), *always} - (set(ignore) - {unreadable.RULE.name})
    return tuple(rule for name, rule in RULES.items() if name in wanted)
