"""Sections of documents and symbols of code, each without those inside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.chunks.pieces import piece
from rankgate.errors import FormatError
from rankgate.outline import outline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rankgate.model.search import Document


class Section:
    r"""One piece for each section or symbol: from its first line to where the next begins.

    Lines before the first are a piece of the file itself. A file that has no outline stays whole.

    >>> from rankgate.model.search import Document
    >>> text = "intro\n\n# Keys\n\nAll.\n\n## Rotation\n\nNow.\n"
    >>> [(one.title, str(one.lines)) for one in Section(print).cut(Document("k.md", text, path="k.md"))]
    [('k.md', '1-2'), ('Keys', '3-6'), ('Keys / Rotation', '7-9')]
    """

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note

    def cut(self, document: Document) -> Iterator[Document]:
        """Give the sections or symbols."""
        try:
            nodes = outline(str(document.path), document.text)
        except FormatError:
            self._note("files whose outline cannot be read indexed whole")
            nodes = None
        if nodes is None or len(nodes) < 2:
            yield document
            return
        whole = nodes[0]
        # Decorated or nested symbols may start on the same line; the innermost has it.
        starts = sorted({node.start: node for node in nodes[1:]}.items())
        if starts[0][0] > 1 and _holds_words(document, 1, starts[0][0] - 1):
            yield piece(document, 1, starts[0][0] - 1)
        for (start, node), following in zip(starts, [*starts[1:], None], strict=True):
            end = whole.end if following is None else following[0] - 1
            yield piece(document, start, max(start, end), title=" / ".join(node.path), kind=node.kind)


def _holds_words(document: Document, start: int, end: int) -> bool:
    return any(line.strip() for line in document.text.split("\n")[start - 1 : end])
