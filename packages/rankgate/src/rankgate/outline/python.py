"""The classes, functions and methods of a Python file."""

from __future__ import annotations

import ast
import warnings

from rankgate.errors import FormatError, Problem
from rankgate.outline.apart import outline_apart
from rankgate.outline.nodes import OutlineNode

_Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def outline_python(path: str, text: str) -> list[OutlineNode]:
    """List the definitions of a module, decorators included.

    What Python's own parser refuses, such as Python 2 or a version to come, is read with tree-sitter where
    that is installed.

    Raises:
        FormatError: for a file that is not Python of this version.
    """
    try:
        return _definitions(_parse(path, text))
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


def _definitions(module: ast.Module) -> list[OutlineNode]:
    nodes = []
    pending: list[tuple[ast.AST, tuple[str, ...], bool]] = [(module, (), False)]
    while pending:
        parent, names, in_class = pending.pop()
        for child in ast.iter_child_nodes(parent):
            if isinstance(child, _Definition):
                node = _node(child, names, in_class=in_class)
                nodes.append(node)
                pending.append((child, node.path, isinstance(child, ast.ClassDef)))
            elif isinstance(child, (ast.stmt, ast.excepthandler, ast.match_case)):
                pending.append((child, names, in_class))
    return nodes


def _node(found: _Definition, names: tuple[str, ...], *, in_class: bool) -> OutlineNode:
    kind = "class" if isinstance(found, ast.ClassDef) else "method" if in_class else "function"
    start = min([found.lineno, *(decorator.lineno for decorator in found.decorator_list)])
    path = (*names, found.name)
    return OutlineNode(kind, found.name, path, start, found.end_lineno or found.lineno, level=len(path))


def _parse(path: str, text: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            # What the file's own authors are warned of is not for the reader of a suite.
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        where, found = f"{path}:{error.lineno or 1}", f"a syntax error ({error.msg})"
        raise FormatError(Problem(where, found, "Python", _FIX)) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise FormatError(
            Problem(path, f"what cannot be parsed ({type(error).__name__})", "Python", _FIX)
        ) from error


_FIX = "name lines instead of a symbol, path:10-50"
