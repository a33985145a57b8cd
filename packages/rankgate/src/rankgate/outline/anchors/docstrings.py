"""The docstrings that a page of Sphinx takes from Python modules, read without importing any.

They matter to the page's own headings: a title in a docstring takes an id as every other does.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

Modules = Callable[[str], tuple[str, str] | None]
"""The dotted name of a module to its path and source; None where it is not there."""

_LONGEST_WAY = 10


@dataclass(frozen=True, slots=True)
class Documented:
    """Something that has a docstring, or could have one."""

    name: str
    """Its name below what was asked for; empty for that itself."""
    lines: tuple[str, ...]
    """The lines of the docstring."""


def documented(
    name: str, modules: Modules, *, members: str | None, hidden: str = ""
) -> list[Documented] | None:
    """List what is documented of a module, a class or a function; None where it is not found.

    Args:
        name: The dotted name.
        modules: What finds modules.
        members: Whose members are wanted: None for no one's, empty for all, else their names.
        hidden: The names of members that are not wanted.
    """
    node = _resolved(name, modules)
    if node is None:
        return None
    found = [Documented("", _docstring(node))]
    if members is not None and isinstance(node, ast.ClassDef | ast.Module):
        wanted = {one.strip() for one in members.split(",") if one.strip()}
        unwanted = {one.strip() for one in hidden.split(",")}
        for own, lines in _members(node):
            public = not own.startswith("_") and bool(lines)
            if own not in unwanted and (own in wanted if wanted else public):
                found.append(Documented(own, lines))
    return found


def _resolved(name: str, modules: Modules, way: int = 0) -> ast.AST | None:
    """Find what a dotted name means: the longest part of it that is a module, and names in that."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        found = modules(".".join(parts[:length]))
        tree = None if found is None else _parsed(found[1])
        if found is not None and tree is not None and way < _LONGEST_WAY:
            package = parts[:length] if found[0].endswith("__init__.py") else parts[: length - 1]
            node: ast.AST = tree
            for place, inner in enumerate(parts[length:], length):
                named = _named(node, inner)
                behind = parts[place + 1 :]
                if isinstance(named, ast.ImportFrom):
                    return _resolved(".".join([*_imported(named, inner, package), *behind]), modules, way + 1)
                if named is None:
                    above = [".".join([*parts[:length], base, inner, *behind]) for base in _bases(node)]
                    ways = (_resolved(one, modules, way + 1) for one in above)
                    return next((one for one in ways if one is not None), None)
                node = named
            return node
    return None


def _imported(node: ast.ImportFrom, name: str, package: list[str]) -> list[str]:
    """Return the dotted name that an import gives a name, in parts."""
    real = next(each.name for each in node.names if (each.asname or each.name) == name)
    above = package[: len(package) - node.level + 1] if node.level else []
    return [*above, *filter(None, [node.module]), real]


def _bases(node: ast.AST) -> list[str]:
    return (
        [ast.unparse(base).partition("[")[0] for base in node.bases] if isinstance(node, ast.ClassDef) else []
    )


def _named(node: ast.AST, name: str) -> ast.AST | None:
    body: list[ast.stmt] = getattr(node, "body", [])
    for child in body:
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and child.name == name:
            return child
        if isinstance(child, ast.ImportFrom) and any(
            (each.asname or each.name) == name for each in child.names
        ):
            return child
        if name in _assigned(child):
            return child
    return None


def _assigned(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    return [node.target.id] if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) else []


def _docstring(node: ast.AST) -> tuple[str, ...]:
    if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Module):
        return ()
    return tuple((ast.get_docstring(node) or "").split("\n")) if ast.get_docstring(node) else ()


def _members(node: ast.ClassDef | ast.Module) -> Iterator[tuple[str, tuple[str, ...]]]:
    """List members with their docstrings; that of a value is the text behind it."""
    for child, behind in zip(node.body, [*node.body[1:], None], strict=True):
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield child.name, _docstring(child)
        for name in _assigned(child):
            text = behind.value if isinstance(behind, ast.Expr) else None
            is_text = isinstance(text, ast.Constant) and isinstance(text.value, str)
            yield name, tuple(inspect.cleandoc(text.value).split("\n")) if is_text else ()  # type: ignore[union-attr]


@lru_cache(maxsize=64)
def _parsed(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return None
