"""The halves of the shipped suites: what may be tuned on, and what is asked once a version.

The cases of each category, hard ones apart, are ordered by a hash of the seed and their group or id, and go
to the two halves in turn. Paraphrases that share a group are in one half. The seed was committed before any
system was asked the suites code, docs and ratings; handbook and operations had been seen whole before.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from rankgate.sweeps.held_out import drawn_share
from rankgate.truth.lint.check import marked

if TYPE_CHECKING:
    from rankgate.model import Case, Suite

SEED = 20261117
"""What the halves are drawn with."""
Half: TypeAlias = Literal["development", "test"]
"""Which part of a suite a case is in."""


def halves(suite: Suite) -> dict[str, Half]:
    """Return the half of each case of a suite, by its id."""
    members: dict[str, list[Case]] = {}
    for case in suite.cases:
        members.setdefault(case.group or case.id, []).append(case)
    strata: dict[tuple[str, bool], list[str]] = {}
    for name, cases in members.items():
        first = cases[0]
        strata.setdefault((str(first.category), marked(first, "hard")), []).append(name)
    found: dict[str, Half] = {}
    for number, stratum in enumerate(sorted(strata)):
        drawn = sorted(strata[stratum], key=lambda name: drawn_share(name, SEED))
        for place, name in enumerate(drawn):
            # Odd strata give their extra case to the other half.
            half: Half = "development" if (place + number) % 2 == 0 else "test"
            found |= {case.id: half for case in members[name]}
    return found


def half_of(suite: Suite, half: Half) -> Suite:
    """Return the cases of one half, without scenarios and invariants."""
    which = halves(suite)
    cases = tuple(case for case in suite.cases if which[case.id] == half)
    return replace(suite, cases=cases, scenarios=(), invariants=())
