"""Texts that a step should show and its place does not hold, or should not show and it does.

Runs of white space count as one. What is read is a node without those below it, but systems differ in how
much of a node is its own: so a text that should be there may stand below, and one that should not be there
is told only where it stands in the lines of the node alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.model.scenarios import Action
from rankgate.truth.branches import branch
from rankgate.truth.lint.finding import Severity
from rankgate.truth.lint.rule import Remark, Rule
from rankgate.truth.lint.subject import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.truth.lint.subject import Stop, Subject


def check(subject: Subject) -> Iterator[Remark]:
    """Look for what each step contains and excludes in the text of its place."""
    for stop in subject.stops():
        if not (stop.step.contains or stop.step.excludes):
            continue
        whole = _folded(subject.passages.text(stop.spot) or "")
        for words in stop.step.contains:
            if _folded(words) not in whole:
                found = f"contains: {quoted(words)}, which does not stand in '{stop.at}'"
                fix = "no system can show it there: correct the text or the place"
                yield Remark(found, "text of that place, letter for letter", fix, where=stop.where)
        own = _own(subject, stop) if stop.step.action is Action.READ and stop.step.excludes else whole
        for words in stop.step.excludes:
            if _folded(words) in own:
                found = f"excludes: {quoted(words)}, which stands in '{stop.at}'"
                fix = "every system that shows the place would fail: correct the text or the place"
                yield Remark(found, "text that the place does not hold", fix, where=stop.where)


def _own(subject: Subject, stop: Stop) -> str:
    """Give the text of a place without the sections and symbols below it."""
    document = subject.passages.document(stop.spot)
    if document is None:
        return ""
    lines = subject.passages.text_of(document).whole.split("\n")
    start, end = stop.spot.start or 1, stop.spot.end or len(lines)
    others: set[int] = set()
    for node in branch(subject.passages.lookup, stop.at, stop.spot).below:
        others.update(range(node.start, node.end + 1))
    return _folded("\n".join(lines[at - 1] for at in range(start, end + 1) if at not in others))


def _folded(text: str) -> str:
    return " ".join(text.split())


RULE = Rule(
    "text-not-there",
    Severity.ERROR,
    "a step `contains` what its place does not hold, or `excludes` what it holds",
    check,
    needs_corpus=True,
)
