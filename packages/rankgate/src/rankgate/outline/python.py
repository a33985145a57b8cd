"""The classes, functions and methods of a Python file."""

from __future__ import annotations

import ast
import warnings
from typing import TYPE_CHECKING

from rankgate.errors import Code, FormatError
from rankgate.outline.apart import outline_apart
from rankgate.outline.nodes import OutlineNode

if TYPE_CHECKING:
    from collections.abc import Sequence

_Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def outline_python(path: str, text: str) -> list[OutlineNode]:
    """List the definitions of a module, with their decorators and the comments directly above.

    What Python's own parser refuses, such as Python 2 or a version to come, is read with tree-sitter where
    that is installed.

    Raises:
        FormatError: for a file that is not Python of this version.
    """
    try:
        return _definitions(_parse(path, text), text.split("\n"))
    except FormatError as refused:
        try:
            found = outline_python_by_tree_sitter(path, text)
        except FormatError:
            found = []
        if not found:
            raise refused from None
        return found


def outline_python_by_tree_sitter(path: str, text: str) -> list[OutlineNode]:
    """List the same definitions as `outline_python`, by another parser that forgives errors.

    Raises:
        FormatError: where the grammar is not installed, or gives up.
    """
    return outline_apart(path, text, ".py")


def _definitions(module: ast.Module, lines: Sequence[str]) -> list[OutlineNode]:
    nodes = []
    pending: list[tuple[ast.AST, tuple[str, ...], bool]] = [(module, (), False)]
    while pending:
        parent, names, in_class = pending.pop()
        # What looks like a comment may be the end of a text before.
        last = getattr(parent, "lineno", 0)
        for child in ast.iter_child_nodes(parent):
            if not isinstance(child, (ast.stmt, ast.excepthandler, ast.match_case)):
                continue
            if isinstance(child, _Definition):
                node = _node(child, names, lines, last, in_class=in_class)
                nodes.append(node)
                pending.append((child, node.path, isinstance(child, ast.ClassDef)))
            else:
                pending.append((child, names, in_class))
            last = getattr(child, "end_lineno", None) or last
    return nodes


def _node(
    found: _Definition, names: tuple[str, ...], lines: Sequence[str], last: int, *, in_class: bool
) -> OutlineNode:
    kind = "class" if isinstance(found, ast.ClassDef) else "method" if in_class else "function"
    start = min([found.lineno, *(decorator.lineno for decorator in found.decorator_list)])
    first = _comment_above(lines, start, last)
    path = (*names, found.name)
    end = found.end_lineno or found.lineno
    return OutlineNode(kind, found.name, path, first, end, level=len(path), comment_lines=start - first)


def _comment_above(lines: Sequence[str], start: int, last: int) -> int:
    """Return the first line of the comments that stand right above a line, in its column.

    Args:
        lines: All of the file.
        start: The line, from 1.
        last: The last line of the statement before.
    """
    column = lines[start - 1][: len(lines[start - 1]) - len(lines[start - 1].lstrip())] + "#"
    first = start
    while first - 1 > last and lines[first - 2].startswith(column):
        first -= 1
    # What says how to run the file is not about the definition.
    return first + (first == 1 < start and lines[0].startswith("#!"))


def _parse(path: str, text: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            # What the file's own authors are warned of is not for the reader of a suite.
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        where, found = f"{path}:{error.lineno or 1}", f"a syntax error ({error.msg})"
        raise FormatError(Code.UNPARSABLE(where, found, "Python", _FIX)) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise FormatError(
            Code.UNPARSABLE(path, f"what cannot be parsed ({type(error).__name__})", "Python", _FIX)
        ) from error


_FIX = "name lines instead of a symbol, path:10-50"
