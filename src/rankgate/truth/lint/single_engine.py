"""Truth that comes from a single engine.

A source is independent of what is measured if its first word is one of `INDEPENDENT`: ``person``, ``clicks``,
``import``, ``model:gpt-5 prompt 3``. Any other is taken for the name of an engine: ``engine``,
``engine:bm25``, ``app``.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from rankgate.truth.lint.finding import Severity
from rankgate.truth.lint.rule import Remark, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.truth.lint.subject import Subject

INDEPENDENT = frozenset(
    {
        "annotator",
        "click",
        "clicks",
        "expert",
        "human",
        "import",
        "llm",
        "log",
        "logs",
        "model",
        "people",
        "person",
    }
)
"""The first words of sources that are no engine."""

SHARE = 0.9
"""Which part of the targets may come from one engine."""

_FIRST_WORD = re.compile(r"[^\W_]+")


def check(subject: Subject) -> Iterator[Remark]:
    """Count the relevant targets of each source."""
    relevant = [target for case in subject.cases for target in case.targets if target.grade > 0]
    sources = Counter(target.source for target in relevant)
    if not sources:
        return
    source, number = sources.most_common(1)[0]
    if independent(source) or number < SHARE * len(relevant):
        return
    unreviewed = sum(not target.reviewed for target in relevant if target.source == source)
    found = (
        f"{number} of {len(relevant)} relevant targets from {source!r} alone, {unreviewed} of them unreviewed"
    )
    fix = "pool the answers of several systems, and let a person judge them"
    yield Remark(found, "truth that does not come from one engine: it cannot find that engine wrong", fix)


def independent(source: str) -> bool:
    """Tell whether a source is something else than an engine.

    >>> independent("model:gpt-5 prompt 3"), independent("engine:bm25")
    (True, False)
    """
    first = _FIRST_WORD.search(source)
    return first is not None and first[0].casefold() in INDEPENDENT


RULE = Rule("single-engine", Severity.WARNING, "nearly all targets come from one engine", check)
