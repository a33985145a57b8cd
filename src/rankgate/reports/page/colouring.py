"""Texts in colour: which characters are keywords, strings, comments, names, digits or headings."""

from __future__ import annotations

from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST = 10_000
"""How many characters a text may have to be coloured."""
_LEXERS = {
    "python": "py pyi pyx",
    "javascript": "js mjs cjs jsx",
    "typescript": "ts tsx mts",
    "java": "java",
    "kotlin": "kt kts",
    "scala": "scala",
    "go": "go",
    "rust": "rs",
    "c": "c h",
    "cpp": "cc cpp cxx hh hpp",
    "csharp": "cs",
    "ruby": "rb",
    "php": "php",
    "swift": "swift",
    "lua": "lua",
    "perl": "pl pm",
    "elixir": "ex exs",
    "bash": "sh bash zsh",
    "sql": "sql",
    "html": "html htm xhtml",
    "xml": "xml svg",
    "css": "css",
    "json": "json",
    "yaml": "yaml yml",
    "toml": "toml",
    "ini": "ini cfg",
    "markdown": "md markdown",
    "rst": "rst",
    "protobuf": "proto",
    "graphql": "graphql",
}
_BY_SUFFIX = {suffix: lexer for lexer, suffixes in _LEXERS.items() for suffix in suffixes.split()}
_CLASSES = {
    "Keyword": "k",
    "Operator.Word": "k",
    "Literal.String": "s",
    "Literal.Number": "d",
    "Comment": "c",
    "Name.Attribute": "n",
    "Name.Builtin": "n",
    "Name.Class": "n",
    "Name.Decorator": "n",
    "Name.Function": "n",
    "Name.Tag": "n",
    "Generic.Heading": "h",
    "Generic.Subheading": "h",
}


def language(name: str) -> str:
    """Name the language of a file, by its ending; empty where it has none that is coloured.

    >>> language("src/app.py"), language("LICENSE")
    ('python', '')
    """
    return _BY_SUFFIX.get(PurePosixPath(name).suffix[1:].lower(), "")


def coloured(text: str, lexer: str) -> tuple[tuple[int, str], ...]:
    """Say how the characters of a text are coloured; nothing where none is.

    >>> coloured("def f(): pass", "python")
    ((4, 'k'), (1, 'n'), (4, ''), (4, 'k'))
    """
    if not lexer or len(text) > MOST:
        return ()
    runs = _joined(
        (_class(str(kind)), value) for _, kind, value in _lexer(lexer).get_tokens_unprocessed(text)
    )
    if "".join(value for _, value in runs) != text:
        # A lexer that loses characters would shift every colour after them.
        return ()
    found = tuple((len(value), name) for name, value in runs)
    return found if any(name for _, name in found) else ()


@cache
def _lexer(name: str) -> Any:
    from pygments.lexers import get_lexer_by_name

    # Code in Markdown may name any lexer there is, plugins among them.
    embedding = {"handlecodeblocks": False} if name in ("markdown", "rst") else {}
    return get_lexer_by_name(name, **embedding)


@cache
def _class(kind: str) -> str:
    path = kind.removeprefix("Token.").removeprefix("Token").split(".")
    for length in range(len(path), 0, -1):
        if found := _CLASSES.get(".".join(path[:length])):
            return found
    return ""


def _joined(tokens: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Join neighbours of one class; white space takes the class of what stands before it."""
    runs: list[tuple[str, str]] = []
    for name, value in tokens:
        if runs and (name == runs[-1][0] or not value.strip()):
            runs[-1] = (runs[-1][0], runs[-1][1] + value)
        elif value:
            runs.append((name, value))
    return runs
