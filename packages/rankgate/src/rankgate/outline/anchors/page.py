"""An id of a page, and what it stands for in the source."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True)
class PageAnchor:
    """One id of a page."""

    id: str
    """The id, as it stands in the page: what follows ``#`` in an address."""
    start: int
    """The first line of what it stands for, from 1."""
    end: int
    """The last line, included."""
    level: int = 0
    """The level of the heading, 1 to 6 or deeper; 0 for what is no heading."""


def up_to_the_next(anchors: Iterable[PageAnchor]) -> list[PageAnchor]:
    """Let each heading end where the next of its level or above begins, or where its `end` says.

    >>> both = [PageAnchor("keys", 1, 9, 1), PageAnchor("rotation", 3, 9, 2), PageAnchor("logs", 6, 9, 2)]
    >>> [(anchor.id, anchor.start, anchor.end) for anchor in up_to_the_next(both)]
    [('keys', 1, 9), ('rotation', 3, 5), ('logs', 6, 9)]
    """
    found: list[PageAnchor] = []
    open_ones: list[int] = []
    for anchor in anchors:
        if anchor.level:
            # Two ids of one heading are both of it.
            while open_ones and _ended(found[open_ones[-1]], anchor):
                above = open_ones.pop()
                found[above] = replace(found[above], end=min(found[above].end, anchor.start - 1))
            open_ones.append(len(found))
        found.append(anchor)
    return found


def _ended(above: PageAnchor, anchor: PageAnchor) -> bool:
    """Check whether a heading ends one above it: one in a list, a quote or a tab ends none outside."""
    if anchor.start > above.end:
        return True
    return above.start < anchor.start and above.level >= anchor.level and anchor.end >= above.end


def block_end(lines: Sequence[str], start: int) -> int:
    """Return the last line of the block that begins at a line: all that is indented more, or its paragraph.

    >>> block_end(["a", "b", "", "  c", "", "d"], 1)
    4
    """
    margin, last = _indent(lines[start - 1]), start
    paragraph = True
    for number, line in enumerate(lines[start:], start + 1):
        if not line.strip():
            paragraph = False
        elif _indent(line) > margin or (paragraph and _indent(line) == margin):
            last = number
        else:
            break
    return last


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
