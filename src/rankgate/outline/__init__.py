"""From text to named pieces with line ranges: the sections of Markdown, the symbols of Python."""

from __future__ import annotations

from pathlib import PurePosixPath

from rankgate.outline.markdown import outline_markdown
from rankgate.outline.nodes import Node
from rankgate.outline.python import outline_python

__all__ = ["Node", "outline"]

_BY_SUFFIX = {
    ".markdown": outline_markdown,
    ".md": outline_markdown,
    ".mdx": outline_markdown,
    ".py": outline_python,
    ".pyi": outline_python,
}


def outline(path: str, text: str) -> tuple[Node, ...] | None:
    r"""List the named pieces of a file, the document itself first; None for a kind of file that has none.

    >>> [node.path for node in outline("keys.md", "# Keys\n\n## Rotation\n")]
    [(), ('Keys',), ('Keys', 'Rotation')]
    >>> outline("keys.csv", "a,b") is None
    True

    Raises:
        FormatError: for a file that is not what its name says, such as Python with a syntax error.
    """
    read = _BY_SUFFIX.get(PurePosixPath(path).suffix.lower())
    return None if read is None else read(path, text)
