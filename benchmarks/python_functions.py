"""The functions of a folder of Python files, and queries made of their docstrings."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Function:
    """A function or a method."""

    path: str
    start: int
    end: int
    name: str
    """Its words, so that a query can hold some of them."""
    body: str
    summary: str
    """The words of the first line of its docstring."""


def functions_of(folder: Path) -> list[Function]:
    """Read every function of every Python file that can be parsed."""
    found = []
    for file in sorted(folder.rglob("*.py")):
        source = file.read_bytes()
        try:
            tree = ast.parse(source)
        except SyntaxError:
            continue
        lines = source.decode(errors="replace").split("\n")
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                start, end = node.lineno, node.end_lineno or node.lineno
                docstring = ast.get_docstring(node) or ""
                found.append(
                    Function(
                        file.relative_to(folder).as_posix(),
                        start,
                        end,
                        node.name.replace("_", " "),
                        "\n".join(lines[start - 1 : end]),
                        " ".join(re.findall(r"[a-z]+", docstring.split("\n")[0].lower())),
                    )
                )
    return found


def queries_of(functions: Sequence[Function], count: int) -> list[str]:
    """Take summaries of three words or more, evenly over all of them."""
    summaries = sorted({one.summary for one in functions if one.summary.count(" ") >= 2})
    return [summaries[number * len(summaries) // count] for number in range(count)]
