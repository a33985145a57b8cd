"""A piece of a file that has a name and lines: a section, a class, a function."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Node:
    """One named piece of a file.

    >>> Node("method", "rotate", ("Store", "rotate"), 10, 20, level=2).qualified
    'Store.rotate'
    """

    kind: str
    """document, section, class, function or method."""
    name: str
    """The title or the identifier; for a document, its path."""
    path: tuple[str, ...]
    """The names from the outermost piece to this one; empty for a document."""
    start: int
    """The first line, from 1."""
    end: int
    """The last line, included."""
    level: int
    """How deep it lies: 0 for a document, the heading's level for a section, the nesting for a symbol."""

    @property
    def qualified(self) -> str:
        """The names joined by dots, as Python writes them."""
        return ".".join(self.path)


def document(path: str, text: str) -> Node:
    """Make the node of a whole file; an empty file has one empty line."""
    lines = text.count("\n") + (not text.endswith("\n"))
    return Node("document", path, (), 1, max(1, lines), level=0)
