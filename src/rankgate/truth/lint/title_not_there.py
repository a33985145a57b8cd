"""Titles that a tree should have and the outline of the file has not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.errors import did_you_mean
from rankgate.truth.lint.finding import Severity
from rankgate.truth.lint.rule import Remark, Rule
from rankgate.truth.lint.subject import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.outline import Node
    from rankgate.truth.lint.subject import Subject


def check(subject: Subject) -> Iterator[Remark]:
    """Compare the titles of every tree with the outline of its file, where it has one."""
    for stop in subject.stops():
        nodes = subject.passages.lookup.nodes(str(stop.spot.path))
        if not nodes:
            continue
        names = {_folded(node.name) for node in nodes}
        children = dict.fromkeys(child for child, _ in stop.step.under)
        for title in dict.fromkeys((*stop.step.has, *children)):
            if _folded(title) not in names:
                found = f"{quoted(title)}, which '{stop.at}' has not"
                near = did_you_mean(_folded(title)[:80], names, otherwise="correct the title")
                yield Remark(found, "the title of a section or a symbol of that file", near, where=stop.where)
        for child, parent in stop.step.under:
            if _folded(child) in names and _folded(parent) not in (above := _above(nodes, child)):
                found = f"{quoted(child)} under {quoted(parent)}"
                expected = f"it under {' or '.join(map(quoted, above))}, as in '{stop.at}'"
                yield Remark(found, expected, where=stop.where)


def _above(nodes: Sequence[Node], title: str) -> list[str]:
    """Give the titles right above every node of a title, those of files by their paths."""
    found = [node for node in nodes if node.parent is not None and _folded(node.name) == _folded(title)]
    return list(dict.fromkeys(_folded(nodes[node.parent].name) for node in found if node.parent is not None))


def _folded(title: str) -> str:
    return " ".join(title.split())


RULE = Rule(
    "title-not-there",
    Severity.WARNING,
    "a tree should have a title, or one under another, that the file has not",
    check,
    needs_corpus=True,
)
