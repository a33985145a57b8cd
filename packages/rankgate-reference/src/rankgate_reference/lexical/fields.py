"""What of a node is searched as what: its name, its place, its code, and the words that describe it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rankgate_reference.documents.languages import LANGUAGES, PROSE
from rankgate_reference.documents.nodes import RECORD

if TYPE_CHECKING:
    from rankgate_reference.documents.nodes import TreeNode

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)
_OPENERS = {
    "python": re.compile(r"""#|(?:(?<=\n)|^)[ \t]*[rRuU]?(?:\"{3}|'{3})|\"{3}|'{3}|["']"""),
    "ruby": re.compile(r"""#|["']"""),
}
_C_LIKE = re.compile(r"""//|/\*|["'`]""")


@dataclass(frozen=True, slots=True)
class Fields:
    """The texts of a node, by what they are."""

    title: str
    """The heading of a section, the title of a document; empty for a symbol, whose name counts once."""
    symbol: str
    """The qualified name of a symbol."""
    place: str
    """The names of its folders and its file, and the titles above it; the id of a record."""
    code: str
    """Code, with the strings in it."""
    description: str
    """Prose, comments and docstrings."""


NAMES = ("title", "symbol", "place", "code", "description")
"""The fields by name, in the order of `Fields`."""


def fields_of(node: TreeNode) -> Fields:
    r"""Sort a node's text into fields.

    >>> from rankgate_reference.documents.nodes import nodes_of
    >>> fields_of(nodes_of("app/keys.py", 'def rotate():\n    "Make new keys."\n')[1]).place
    'app keys keys.py'
    """
    return Fields(*names_of(node), *bodies_of(node))


def names_of(node: TreeNode) -> tuple[str, str, str]:
    """Return title, symbol and place."""
    if node.kind == RECORD:
        return node.title, "", node.id
    place = " ".join((_of_path(node.path)[1], *node.trail[:-1]))
    return "" if node.symbol else node.title, node.symbol, place


def bodies_of(node: TreeNode) -> tuple[str, str]:
    """Return code and description."""
    language = "" if node.kind == RECORD else _of_path(node.path)[0]
    if language == "markdown":
        return split_fences(node.text)
    if language in PROSE or not language:
        return "", node.text
    return split_comments(node.text, language)


@lru_cache(1024)
def _of_path(path: str) -> tuple[str, str]:
    """Return the language of a file, and the names of its folders and its own."""
    pure = PurePosixPath(path)
    return LANGUAGES.get(pure.suffix.lower(), ""), " ".join((*pure.parts[:-1], pure.stem))


def split_fences(text: str) -> tuple[str, str]:
    r"""Split Markdown into the code between fences and the rest.

    >>> split_fences("Run:\n```sh\nmake\n```\nDone.\n")
    ('```sh\nmake\n', 'Run:\n```\nDone.\n')
    """
    parts: tuple[list[str], list[str]] = ([], [])
    at, fence = 0, ""
    for found in _FENCE.finditer(text):
        if not fence:
            parts[1].append(text[at : found.start()])
            at, fence = found.start(), found[1]
        elif found[1].startswith(fence):
            parts[0].append(text[at : found.start()])
            at, fence = found.start(), ""
    parts[0 if fence else 1].append(text[at:])
    return "".join(parts[0]), "".join(parts[1])


def split_comments(text: str, language: str) -> tuple[str, str]:
    r"""Split code into code, and comments and docstrings.

    >>> split_comments('def f():\n    "Sum up."\n    return 1  # at once\n', "python")
    ('def f():\n    "Sum up."\n    return 1  \n', '# at once')

    A string of one line is code, wherever it stands. What is never closed reaches to the end.
    """
    opener = _OPENERS.get(language, _C_LIKE)
    code: list[str] = []
    described: list[str] = []
    at = kept = line = 0
    while found := opener.search(text, at):
        mark = found[0].lstrip()
        first = found.start() == 0 or text[found.start() - 1] == "\n"
        comment = mark in ("#", "//", "/*") or (first and len(mark) >= 3)
        if line < found.end():
            # Looked for once a line: a line may be all of a file, and full of quotes.
            line = text.find("\n", found.end())
            line = len(text) if line < 0 else line
        end = _end(text, found.end(), mark, line)
        if comment:
            code.append(text[kept : found.start()])
            described.append(text[found.start() : end])
            kept = end
        at = end
    code.append(text[kept:])
    return "".join(code), "\n".join(described)


def _end(text: str, start: int, mark: str, line: int) -> int:
    """Find where a comment or a string ends that begins with a mark, in a line that ends there."""
    if mark in ("#", "//"):
        return line
    if mark in ("'", '"'):
        while (close := text.find(mark, start, line)) >= 0:
            if text[close - 1] != "\\":
                return close + 1
            start = close + 1
        return start
    close = text.find("*/" if mark == "/*" else mark[-3:], start)
    return len(text) if close < 0 else close + len("*/" if mark == "/*" else mark[-3:])
