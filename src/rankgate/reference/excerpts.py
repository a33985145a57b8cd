"""The lines of a node that say most about a query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.reference.answers import cut, line_of
from rankgate.reference.words import query_terms, terms

if TYPE_CHECKING:
    from rankgate.reference.nodes import TreeNode

_WINDOW = 4
_LINES = 1000
_WIDTH = 160


def excerpt(node: TreeNode, query: str, room: int) -> str:
    """Give the first line of a symbol and the lines of a node that have most of a query's words.

    Args:
        node: The node.
        query: What was asked.
        room: How many bytes it may take.
    """
    lines = [line_of_code(line) for line in node.text[: _LINES * _WIDTH].split("\n")[:_LINES]]
    begins = next((at for at, line in enumerate(lines) if line.strip()), 0)
    if not node.symbol:
        # A heading stands in the id already.
        begins = next((at for at, line in enumerate(lines) if _says(line) and at > begins), begins)
    best = _best(lines, begins, {term.stem for term in query_terms(query) if not term.filler})
    shown = [lines[begins]] if lines and node.symbol and best > begins else []
    shown += ["…"] if best > begins + 1 and shown else []
    shown += lines[best : best + _WINDOW]
    while shown and not shown[-1].strip():
        shown.pop()
    return cut("\n".join(shown), room).rstrip()


def line_of_code(line: str) -> str:
    """Cut a long line, and keep how far it is indented."""
    indent = len(line) - len(line.lstrip())
    return " " * min(indent, 40) + line_of(line, _WIDTH)


def _says(line: str) -> bool:
    """Tell whether a line has words that are no heading."""
    return any(char.isalnum() for char in line) and not line.startswith("#")


def _best(lines: list[str], begins: int, stems: set[str]) -> int:
    """Find where the window begins that has most of the words, the first where several do."""
    found = [stems.intersection(terms(line)) for line in lines]
    best, most = begins, 0
    for at in range(begins, len(lines)):
        if not found[at]:
            continue
        count = len(set().union(*found[at : at + _WINDOW]))
        if count > most:
            best, most = at, count
    return best
