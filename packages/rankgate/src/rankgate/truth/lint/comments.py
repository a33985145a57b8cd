r"""The comments of source text, by the suffix of its file.

Strings and comments are told apart by their marks alone; what a language does beyond that (nested comments,
here-documents, regular expressions, strings inside of strings) is not known. Python's docstrings are found by
its own parser. Files of no known suffix have no comments.
"""

from __future__ import annotations

import ast
import re
import warnings
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_SLASHES = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
_HASH = r"(?:(?<=\s)|(?<![\s\S]))#[^\n]*"
_DASHES = r"--[^\n]*"
_MARKUP = r"<!--.*?(?:-->|\Z)"
_SEMICOLON = r";[^\n]*"
_PERCENT = r"%[^\n]*"

# A string that is not closed ends with its line, so that no text is gone through twice.
_DOUBLE = r'"(?:[^"\\\n]++|\\.)*+"?'
_SINGLE = r"'(?:[^'\\\n]++|\\.)*+'?"
_QUOTED = rf"(?<!\w){_SINGLE}"
_LETTER = r"'(?:\\.|[^'\\\n])'"
_BACKTICK = r"`(?:[^`\\]++|\\.)*+`?"
_TRIPLE = r'"""(?:[^"\\]++|\\.|"(?!""))*+(?:""")?' + r"|'''(?:[^'\\]++|\\.|'(?!''))*+(?:''')?"


def _pattern(marks: str, *strings: str) -> re.Pattern[str]:
    return re.compile("|".join([*strings, f"(?P<comment>{marks})"]), re.DOTALL)


_LANGUAGES = {
    "c cc cpp cs cxx dart h hh hpp java kt kts m mm proto rs scala swift zig": _pattern(
        _SLASHES, _DOUBLE, _LETTER
    ),
    "go": _pattern(_SLASHES, _DOUBLE, _LETTER, _BACKTICK),
    "cjs js jsx mjs ts tsx": _pattern(_SLASHES, _DOUBLE, _QUOTED, _BACKTICK),
    "php": _pattern(f"{_SLASHES}|{_HASH}", _DOUBLE, _QUOTED),
    "css less scss": _pattern(_SLASHES, _DOUBLE, _QUOTED),
    "bash cfg conf ex exs jl pl ps1 r rb sh tf toml yaml yml zsh": _pattern(_HASH, _DOUBLE, _QUOTED),
    "elm hs lua sql": _pattern(_DASHES, _DOUBLE, _QUOTED),
    "htm html svelte svg vue xml": _pattern(_MARKUP),
    "clj cljs el ini lisp scm": _pattern(_SEMICOLON, _DOUBLE),
    "erl tex": _pattern(_PERCENT),
}
_BY_SUFFIX = {
    f".{suffix}": pattern for suffixes, pattern in _LANGUAGES.items() for suffix in suffixes.split()
}
_PYTHON = (".py", ".pyi")
_PYTHON_STRINGS = _pattern(r"#[^\n]*", _TRIPLE, _DOUBLE, _SINGLE)


def comments(path: str, text: str) -> Iterator[tuple[int, str]]:
    r"""Return the comments and docstrings of a file, line by line, each with its number.

    >>> list(comments("a.rs", 'let s = "// no"; // yes\n/* two\nlines */'))
    [(1, '// yes'), (2, '/* two'), (3, 'lines */')]
    """
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in _PYTHON:
        yield from _python(text)
    elif suffix in _BY_SUFFIX:
        yield from _marked(text, _BY_SUFFIX[suffix])


def _marked(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    line, at = 1, 0
    for found in pattern.finditer(text):
        if found["comment"] is not None:
            line += text.count("\n", at, found.start())
            at = found.start()
            yield from enumerate(found[0].split("\n"), line)


def _python(text: str) -> Iterator[tuple[int, str]]:
    yield from _docstrings(text)
    if "#" in text:
        yield from _marked(text, _PYTHON_STRINGS)


def _docstrings(text: str) -> Iterator[tuple[int, str]]:
    lines = text.split("\n")
    for body in _bodies(text):
        said = body[0].value if isinstance(body[0], ast.Expr) else None
        if isinstance(said, ast.Constant) and isinstance(said.value, str):
            first, last = said.lineno, said.end_lineno or said.lineno
            yield from enumerate(lines[first - 1 : last], first)


def _bodies(text: str) -> Iterator[list[ast.stmt]]:
    """Return the bodies that may begin with a docstring; none where it is not Python of this version."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pending: list[ast.AST] = [ast.parse(text)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    while pending:
        node = pending.pop()
        body = getattr(node, "body", None)
        if isinstance(node, _DOCUMENTED) and isinstance(body, list) and body:
            yield body
        # Definitions stand in statements alone, and these in lists: expressions need no looking at.
        pending.extend(
            child
            for name in ("body", "orelse", "finalbody", "handlers", "cases")
            if isinstance(found := getattr(node, name, None), list)
            for child in found
            if isinstance(child, _HOLDERS)
        )


_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_HOLDERS = (
    ast.ClassDef,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.If,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.With,
    ast.AsyncWith,
    ast.Try,
    ast.TryStar,
    ast.ExceptHandler,
    ast.Match,
    ast.match_case,
)
