"""From text to named pieces with line ranges: the sections of documents, the symbols of code.

Markdown, HTML and Python need nothing more. Other languages need the extra ``rankgate[code]``,
reStructuredText needs ``rankgate[rst]``; each is imported when a file needs it.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import PurePosixPath

from rankgate.outline.languages import LANGUAGES, SUFFIXES, languages_of
from rankgate.outline.nodes import KINDS, OutlineNode, document, nested, own_end

__all__ = ["KINDS", "OUTLINE_LIBRARIES", "OutlineNode", "needed_extra", "own_end", "read_outline"]

OUTLINE_LIBRARIES = (
    "docutils",
    "markdown-it-py",
    "tree-sitter",
    *sorted({language.package.replace("_", "-") for language in LANGUAGES}),
)
"""The distributions that outlines come from: with another version, or without one, they may be others."""

_READERS = {
    **dict.fromkeys(SUFFIXES, "code:outline_code"),
    **dict.fromkeys((".htm", ".html"), "html:outline_html"),
    **dict.fromkeys((".markdown", ".md", ".mdx"), "markdown:outline_markdown"),
    **dict.fromkeys((".py", ".pyi"), "python:outline_python"),
    **dict.fromkeys((".rest", ".rst"), "rst:outline_rst"),
    ".txt": "rst:outline_text",
}
"""The module and the function that read a kind of file, imported when a file needs them."""


def needed_extra(path: str) -> tuple[str, str]:
    """Return the extra that outlines of a kind of file need, and the name of the kind.

    >>> needed_extra("src/lib.rs"), needed_extra("keys.rst")
    (('code', 'Rust'), ('rst', 'reStructuredText'))
    """
    languages = languages_of(PurePosixPath(path).suffix.lower())
    return ("code", languages[0].name) if languages else ("rst", "reStructuredText")


def read_outline(path: str, text: str) -> tuple[OutlineNode, ...] | None:
    r"""List the named pieces of a file, the document itself first; None for a kind of file that has none.

    >>> [node.path for node in read_outline("keys.md", "# Keys\n\n## Rotation\n")]
    [(), ('Keys',), ('Keys', 'Rotation')]
    >>> read_outline("keys.csv", "a,b") is None
    True

    Raises:
        FormatError: for a file that is not what its name says, such as Python with a syntax error, or whose
            outline needs an extra that is not installed.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    suffix = PurePosixPath(path).suffix.lower()
    if suffix not in _READERS:
        return None
    module, _, function = _READERS[suffix].partition(":")
    read = getattr(import_module(f"rankgate.outline.{module}"), function)
    nodes: list[OutlineNode] | None = read(path, text)
    return None if nodes is None else nested(document(path, text), nodes)
