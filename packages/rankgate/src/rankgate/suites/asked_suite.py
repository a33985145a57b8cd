"""Which judgments of a suite gates count."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.model import PROPOSED, SOURCE_KINDS

if TYPE_CHECKING:
    from rankgate.model import Suite, Target


def source_kind(source: str) -> str:
    """Return the kind of a source: its first word, if it is one of `SOURCE_KINDS` or `PROPOSED`, else person.

    >>> source_kind("model x-1, prompt 3f2a"), source_kind("ada")
    ('model', 'person')
    """
    word = source.split(maxsplit=1)[0].strip(",:;").lower() if source.strip() else ""
    return word if word in (*SOURCE_KINDS, PROPOSED) else "person"


def is_gating(target: Target, suite: Suite) -> bool:
    """Check whether gates count a target: somebody reviewed it, and its source is one that gates trust."""
    return target.reviewed and source_kind(target.source) in suite.gating_sources


def is_proposed(target: Target) -> bool:
    """Check whether a command proposed a target that no person has checked yet."""
    return not target.reviewed or source_kind(target.source) == PROPOSED


def asked_suite(suite: Suite) -> Suite:
    """Return a suite in which targets whose source gates do not trust count as unreviewed."""
    others = Counter(
        source_kind(target.source)
        for case in suite.cases
        for target in case.targets
        if target.reviewed and not is_gating(target, suite)
    )
    if not others:
        return suite
    cases = tuple(
        case
        if all(is_gating(target, suite) for target in case.targets)
        else replace(
            case,
            targets=tuple(replace(target, reviewed=is_gating(target, suite)) for target in case.targets),
        )
        for case in suite.cases
    )
    number = sum(others.values())
    said = f"{number} targets have" if number > 1 else "1 target has"
    counted = ", ".join(suite.gating_sources)
    note = (
        f"{said} the source {' or '.join(sorted(others))}, which no gate counts (gating_sources: {counted})"
    )
    return replace(suite, cases=cases, notes=(*suite.notes, note))
