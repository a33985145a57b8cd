"""What is embedded of a node: how it begins, and of a long one its further parts.

A model reads the first hundred words or so of a text. What stands further down in a long function or a long
section would never be found, so it is embedded in parts, each with the path and the titles of the node.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate_reference.documents.nodes import RECORD
from rankgate_reference.vectors.models import LONGEST

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate_reference.documents.nodes import TreeNode

MOST_PARTS = 64
"""How many texts are embedded of one node; what stands further down is found by words only."""

_PART, _LONG, _SHORT = 800, 1200, 266


def embedded_texts(node: TreeNode) -> list[str]:
    r"""Return the texts that are embedded of a node: its beginning, and the further parts of a long one.

    >>> from rankgate_reference.documents.nodes import nodes_of
    >>> [long] = nodes_of("log.txt", "\n".join(f"{line:099}" for line in range(20)))
    >>> [int(text.split("\n")[2]) for text in embedded_texts(long)]
    [0, 8, 16]
    """
    if node.kind == RECORD or len(node.text) <= _LONG:
        return [embedded_text(node)]
    parts = list(_parts(node.text))[1:MOST_PARTS]
    return [embedded_text(node), *(embedded_text(replace(node, text=part)) for part in parts)]


def embedded_text(node: TreeNode) -> str:
    """Return where a node stands, what it is called, and how it begins."""
    if node.kind == RECORD:
        return f"{node.title}\n{node.text}"[:LONGEST]
    place = node.path.replace("/", " ").replace("\\", " ")
    return "\n".join((place, " ".join(node.trail[1:]), node.text))[:LONGEST]


def _parts(text: str) -> Iterator[str]:
    """Cut a text between lines into parts of about as much as a model reads; a short rest is left out."""
    lines: list[str] = []
    size = 0
    for line in text.split("\n"):
        if lines and size + len(line) > _PART:
            yield "\n".join(lines)
            lines, size = [], 0
        lines.append(line)
        size += len(line) + 1
    if size > _SHORT:
        yield "\n".join(lines)
