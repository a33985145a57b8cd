"""Sections from headings: each runs to the next one of its level or a higher one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.outline.nodes import Node

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of a section."""

    level: int
    """How deep it lies, from 1."""
    start: int
    """The line at which the section starts, from 1."""
    title: str
    """Its words, without markup."""


def sections(headings: Sequence[Heading], last: int) -> list[Node]:
    """Make the sections of a file of so many lines, in the order of its headings.

    >>> for node in sections([Heading(1, 1, "Keys"), Heading(2, 3, "Rotation"), Heading(1, 8, "Logs")], 9):
    ...     print(node.path, node.start, node.end)
    ('Keys',) 1 7
    ('Keys', 'Rotation') 3 7
    ('Logs',) 8 9
    """
    ends = [last] * len(headings)
    paths: list[tuple[str, ...]] = []
    above: list[int] = []
    for number, heading in enumerate(headings):
        while above and headings[above[-1]].level >= heading.level:
            ends[above.pop()] = heading.start - 1
        paths.append((*(headings[outer].title for outer in above), heading.title))
        above.append(number)
    return [
        Node("section", heading.title, path, heading.start, end, heading.level)
        for heading, path, end in zip(headings, paths, ends, strict=True)
    ]
