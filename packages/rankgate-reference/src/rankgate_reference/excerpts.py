"""The lines of a node that say most about a query."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rankgate_reference.answers import cut, line_of
from rankgate_reference.lexical.words import query_terms, terms

if TYPE_CHECKING:
    from rankgate_reference.documents.nodes import TreeNode

_WINDOW = 4
_LINES = 1000
_WIDTH = 160
_LONGEST = 40
_COMMENT = re.compile(r"\s#\s.*")
_ABOVE = ("@", "#", "//", "/*", "*")


def excerpt(node: TreeNode, query: str, room: int) -> str:
    """Return the first line of a symbol and the lines of a node that have most of a query's words.

    Args:
        node: The node.
        query: What was asked.
        room: How many bytes it may take.
    """
    lines = [line_of_code(line) for line in node.text[: _LINES * _WIDTH].split("\n")[:_LINES]]
    begins = next((at for at, line in enumerate(lines) if line.strip()), 0)
    ends = begins
    if node.symbol:
        begins, ends = _signature_at(lines)
    else:
        # A heading stands in the id already.
        begins = next((at for at, line in enumerate(lines) if _says(line) and at > begins), begins)
    best = _best(lines, begins, {term.stem for term in query_terms(query) if not term.filler})
    shown = []
    if node.symbol and lines:
        shown = [_joined(lines[begins : ends + 1])]
        shown += ["…"] if best > ends + 1 else []
        best = max(best, ends + 1)
    shown += lines[best : best + _WINDOW - (1 if best == ends + 1 else 0)]
    while shown and not shown[-1].strip():
        shown.pop()
    return cut("\n".join(shown), room).rstrip()


def signature(node: TreeNode) -> str:
    """Return what a symbol begins with, behind its decorators, on one line."""
    lines = [line_of_code(line) for line in node.text[: _LINES * _WIDTH].split("\n")[:_LINES]]
    begins, ends = _signature_at(lines)
    return _joined(lines[begins : ends + 1]).strip()


def line_of_code(line: str) -> str:
    """Cut a long line, and keep how far it is indented."""
    indent = len(line) - len(line.lstrip())
    return " " * min(indent, 40) + line_of(line, _WIDTH)


def _signature_at(lines: list[str]) -> tuple[int, int]:
    """Find the first and the last line of what a symbol begins with, behind decorators and comments."""
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    begins, depth = first, 0
    for at in range(first, len(lines)):
        line = lines[at].strip()
        if depth == 0 and line and not line.startswith(_ABOVE):
            begins = at
            break
        # A decorator may take several lines.
        depth = max(0, depth + _opened(line)) if depth or line.startswith("@") else 0
    depth = 0
    for at in range(begins, min(len(lines), begins + _LONGEST)):
        depth += _opened(lines[at])
        if depth <= 0:
            return begins, at
    return begins, begins


def _opened(line: str) -> int:
    """Count the parentheses that a line opens and does not close."""
    return sum(line.count(char) for char in "([") - sum(line.count(char) for char in ")]")


def _joined(lines: list[str]) -> str:
    """Write a signature of several lines on one."""
    if len(lines) == 1:
        return lines[0]
    whole = " ".join(_COMMENT.sub("", line).strip() for line in lines)
    for long, short in (("( ", "("), (", )", ")"), (" )", ")"), ("[ ", "["), (", ]", "]"), (" ]", "]")):
        whole = whole.replace(long, short)
    return line_of_code(" " * (len(lines[0]) - len(lines[0].lstrip())) + whole)


def _says(line: str) -> bool:
    """Check whether a line has words that are no heading."""
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
