"""Queries that consist only of words of the title or the name of what they should find.

Whoever writes queries from headings writes these, and any search that weighs titles finds them. A few are
natural: people do type the name of a thing. Cases whose category, tag or value of a tag is `exact` or
`symbol` are meant to be so, and do not count.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rankgate.truth.lint.context import LintRemark, Severity, marked, quoted, rule
from rankgate.truth.words import STOPWORDS, name_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.model import Case
    from rankgate.outline import OutlineNode
    from rankgate.truth.lint.context import LintContext
    from rankgate.truth.locations.lookup import Spot

MOST = 0.2
"""The share of queries that may consist only of words of a title."""
FEWEST = 10
"""Under so many queries a share says nothing."""
NAMED = ("exact", "symbol")
"""The marks of cases that are meant to use a name."""
_SHOWN = 3


def counted_cases(context: LintContext) -> tuple[Case, ...]:
    """Return the cases that are not meant to use a name, and have something to be found."""
    return tuple(
        case
        for case in context.cases
        if not any(marked(case, mark) for mark in NAMED) and any(target.grade > 0 for target in case.targets)
    )


def title_worded(context: LintContext) -> tuple[Case, ...]:
    """Return those of the counted cases whose query has only words of one relevant target's title or name."""
    wanted = {case.id: _stems(case.query, context) for case in counted_cases(context)}
    found: dict[str, Case] = {}
    for name, each, spot in context.relevant():
        case = each.case
        stems = wanted.get(case.id)
        if stems and case.id not in found:
            nodes = () if spot.path is None else context.reader.lookup.nodes(name)
            if stems <= _stems(_title(name, spot, nodes), context):
                found[case.id] = case
    return tuple(case for case in context.cases if case.id in found)


@rule(
    "title-words",
    Severity.WARNING,
    "more than a fifth of the queries consist only of words of their target's title or name",
    needs_corpus=True,
)
def title_words(context: LintContext) -> Iterator[LintRemark]:
    """Compare each query with the titles of its relevant targets; the suite is told once."""
    cases = counted_cases(context)
    if len(cases) < FEWEST:
        return
    found = title_worded(context)
    if len(found) > MOST * len(cases):
        such = ", ".join(quoted(case.query) for case in found[:_SHOWN])
        words = f"{len(found)} of {len(cases)} queries with only words of a target's title or name: {such}"
        fix = "ask as someone would who does not know what it is called, or mark the cases exact"
        yield LintRemark(f"{words}{', …' if len(found) > _SHOWN else ''}", f"at most {MOST:.0%}", fix)


def _stems(text: str, context: LintContext) -> frozenset[str]:
    return frozenset(context.stems(word) for word in name_words(text) if word not in STOPWORDS)


def _title(name: str, spot: Spot, nodes: Sequence[OutlineNode]) -> str:
    """Return the names of a target: its own and those above it, or the file and the title of a page."""
    if spot.path is None:
        return name
    start, end = spot.start or 1, spot.end or max((node.end for node in nodes), default=1)
    around = [node for node in nodes if node.kind != "document" and node.start <= start and end <= node.end]
    inner = max(around, key=lambda node: (node.start, -node.end), default=None)
    if inner is not None:
        return " ".join(inner.path)
    titles = [node.name for node in nodes if node.kind != "document" and node.level == 1][:1]
    return " ".join([PurePosixPath(name).stem, *titles])
