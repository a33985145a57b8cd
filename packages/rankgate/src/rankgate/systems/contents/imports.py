"""What a Python file imports, told from its text alone."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_BY_NAME = {"import_module", "__import__"}
_PARSED_ONLY = re.compile(rb"import_module|__import__|TYPE_CHECKING|[\f\r]|\\\n[ \t]*import\b")
_WORD = re.compile(rb"\bimport\b")
_LIST = rb"[\w.]+(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*[\w.]+(?:[ \t]+as[ \t]+\w+)?)*"
_STATEMENT = re.compile(
    rb"^[ \t]*(?:from[ \t]+(\.*)((?:\w[\w.]*)?)[ \t]+import[ \t]+(\*|\([\w\s,]*\)|" + _LIST + rb")"
    rb"|import[ \t]+(" + _LIST + rb"))[ \t]*(?:\#.*)?$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Import:
    """One module that is imported."""

    module: str
    """Its name; empty in ``from . import a``."""
    level: int = 0
    """How many dots stand before it."""
    names: tuple[str, ...] = ()
    """What is taken out of it, each of which may be a module too."""


@dataclass(frozen=True, slots=True)
class Imports:
    """All that a file imports."""

    modules: tuple[Import, ...] = ()
    """The modules, in the order of the file."""
    by_name: bool = False
    """True where it imports modules whose names are only known when it runs."""
    readable: bool = True
    """False for what is no Python."""


def imports_of(source: bytes) -> Imports:
    r"""Read the imports of a file, wherever in it they stand; those for type checkers alone do not count.

    >>> imports_of(b"def f():\n    from .a import b").modules
    (Import(module='a', level=1, names=('b',)),)
    """
    if (plain := _plain_imports(source)) is not None:
        return plain
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Imports(readable=False)
    found: list[Import] = []
    by_name = False
    for node in _nodes(tree):
        if isinstance(node, ast.Import):
            found += (Import(one.name) for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.append(Import(node.module or "", node.level, tuple(one.name for one in node.names)))
        elif isinstance(node, ast.Call) and _called(node.func) in _BY_NAME:
            named = _constant(node)
            by_name = by_name or named is None
            found += [Import(named)] if named else []
    return Imports(tuple(dict.fromkeys(found)), by_name)


def _plain_imports(source: bytes) -> Imports | None:
    """Read a file in which every ``import`` is a statement on lines of its own; None for all others.

    Most files are such; to parse them takes 20 times as long. A statement that stands in a text, such as a
    docstring, counts too: then more is known than needed.
    """
    if _PARSED_ONLY.search(source):
        return None
    statements = list(_STATEMENT.finditer(source))
    if len(statements) != len(_WORD.findall(source)):
        return None
    found: list[Import] = []
    for one in statements:
        names = [
            part.split()[0].decode() for part in (one[3] or one[4]).strip(b"()").split(b",") if part.strip()
        ]
        if one[4] is not None:
            found += map(Import, names)
        else:
            found.append(Import(one[2].decode(), len(one[1]), tuple(names)))
    return Imports(tuple(dict.fromkeys(found)))


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    left = [tree]
    while left:
        node = left.pop()
        yield node
        if isinstance(node, ast.If) and _called(node.test) == "TYPE_CHECKING":
            left += node.orelse
        else:
            left += ast.iter_child_nodes(node)


def _called(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _constant(node: ast.Call) -> str | None:
    """Return the name of a module that stands in the text; None for one that is made or relative."""
    first = node.args[0] if len(node.args) == 1 and not node.keywords else None
    name = first.value if isinstance(first, ast.Constant) else None
    return name if isinstance(name, str) and not name.startswith(".") else None
