"""What to ask of code: the first sentence of a docstring, or the name of a symbol where it has none."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from rankgate.evaluation.starting.readers_words import from_third_person, readers_words
from rankgate.model import Location

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.outline.nodes import OutlineNode

_KINDS = {"class", "function", "method"}
_ASIDE = re.compile(
    r"(?:^|/)(?:tests?|testing|examples?|conf|conftest|setup|bench\w*|docs?)(?:/|\.py|$)|(?:^|/)test_"
)
_NAME = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PROSE = re.compile(r"[A-Za-z][A-Za-z'’-]*")
_CODE = (
    ".py",
    ".js",
    ".ts",
    ".go",
    ".rs",
    ".java",
    ".c",
    ".h",
    ".cpp",
    ".hpp",
    ".cs",
    ".rb",
    ".php",
    ".kt",
    ".scala",
)


@dataclass(frozen=True, slots=True)
class SymbolQuestion:
    """What to ask of one symbol."""

    query: str
    """In the words of its docstring, or of its name."""
    at: Location
    """Where it is."""
    name: str
    """What it is called."""
    category: str
    """`symbol` where the query is a name, which lint then allows."""


def is_code(path: str) -> bool:
    """Check whether a file is code that people search, and no test."""
    return path.endswith(_CODE) and not _ASIDE.search(path)


def symbol_questions(
    texts: Mapping[str, str], outlines: Mapping[str, Sequence[OutlineNode]], many: int
) -> list[SymbolQuestion]:
    """Return one question of each file, then the second of each; those with a docstring come first."""
    described: list[list[SymbolQuestion]] = []
    named: list[list[SymbolQuestion]] = []
    for path, nodes in outlines.items():
        docstrings = _docstrings(texts[path]) if path.endswith(".py") else {}
        found = [
            question
            for node in nodes
            if node.kind in _KINDS and not any(name.startswith("_") for name in node.path)
            for question in [_question(path, node, docstrings.get(node.qualified, ""))]
            if question is not None
        ]
        described.append([each for each in found if not each.category])
        named.append([each for each in found if each.category])
    spread = (chain.from_iterable(zip_longest(*lists)) for lists in (described, named))
    unique = {each.query: each for each in chain(*spread) if each is not None}
    return list(unique.values())[: max(many, 0)]


def _question(path: str, node: OutlineNode, docstring: str) -> SymbolQuestion | None:
    at = Location(path=path, symbol=node.qualified)
    words = _PROSE.findall(re.split(r"[.,;:(\n]", docstring.strip(), maxsplit=1)[0])
    if words and (verb := from_third_person(words[0].lower())):
        words = [verb, *words[1:]]
    asked = readers_words(words, task=True)
    if 4 <= len(asked) <= 10:
        return SymbolQuestion(" ".join(asked), at, node.qualified, "")
    name = _NAME.findall(" ".join(node.path))
    query = " ".join(dict.fromkeys(word.lower() for word in name))
    return SymbolQuestion(query, at, node.qualified, "symbol") if len(name) > 1 else None


def _docstrings(text: str) -> dict[str, str]:
    """Return the docstrings of a Python file, by the qualified name of what they describe."""
    found: dict[str, str] = {}

    def visit(node: ast.AST, above: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                name = f"{above}{child.name}"
                found[name] = ast.get_docstring(child) or ""
                visit(child, f"{name}.")

    try:
        visit(ast.parse(text), "")
    except (SyntaxError, ValueError, RecursionError):
        return {}
    return found
