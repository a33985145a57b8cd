"""The classes, functions and methods of a Python file."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence

from rankgate.errors import Code, FormatError
from rankgate.outline.code import outline_code
from rankgate.outline.nodes import OutlineNode

_FIX = "name lines instead of a symbol, path:10-50"


def outline_python(path: str, text: str) -> list[OutlineNode]:
    """List the definitions of a module, with their decorators and the comments directly above.

    What this Python rejects, such as Python 2 or a later version, is read with tree-sitter if installed.

    Raises:
        FormatError: for a file that is not Python of this version.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        try:
            if found := outline_code(path, text, ".py"):
                return found
        except FormatError:
            pass
        where, problem = path, f"what cannot be parsed ({type(error).__name__})"
        if isinstance(error, SyntaxError):
            where, problem = f"{path}:{error.lineno or 1}", f"a syntax error ({error.msg})"
        raise FormatError(Code.UNPARSABLE(where, problem, "Python", _FIX)) from error
    lines = text.split("\n")
    nodes = []
    pending: list[tuple[ast.AST, tuple[str, ...], bool]] = [(module, (), False)]
    while pending:
        parent, names, in_class = pending.pop()
        # What looks like a comment may be the end of a text before.
        last = getattr(parent, "lineno", 0)
        for child in ast.iter_child_nodes(parent):
            if not isinstance(child, (ast.stmt, ast.excepthandler, ast.match_case)):
                continue
            if isinstance(child, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                is_class, path_of = isinstance(child, ast.ClassDef), (*names, child.name)
                kind = "class" if is_class else "method" if in_class else "function"
                start = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
                first = _comment_above(lines, start, last)
                end, level = child.end_lineno or child.lineno, len(path_of)
                node = OutlineNode(kind, child.name, path_of, first, end, level, comment_lines=start - first)
                nodes.append(node)
                pending.append((child, path_of, is_class))
            else:
                pending.append((child, names, in_class))
            last = getattr(child, "end_lineno", None) or last
    return nodes


def _comment_above(lines: Sequence[str], start: int, last: int) -> int:
    """Return the first line of the comments right above a line, in its column and below line `last`."""
    column = lines[start - 1][: len(lines[start - 1]) - len(lines[start - 1].lstrip())] + "#"
    first = start
    while first - 1 > last and lines[first - 2].startswith(column):
        first -= 1
    # The line that says how to run the file is not about the definition.
    return first + (first == 1 < start and lines[0].startswith("#!"))
