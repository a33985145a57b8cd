"""Pieces by what a file is made of: the sections of documents, the symbols of code."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from rankgate.chunks.pieces import Pieces
from rankgate.errors import FormatError
from rankgate.outline import OUTLINE_LIBRARIES, read_outline

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.model.search import Document
    from rankgate.outline import OutlineNode


@dataclass(frozen=True)
class Section:
    r"""A section of a document or a symbol of code, without those inside it.

    Every line that holds anything is in just one piece. What stands between two symbols belongs to what is
    around both: the class, or the file. A file that has no outline stays whole.

    >>> from rankgate.model.search import Document
    >>> text = "intro\n\n# Keys\n\nAll.\n\n## Rotation\n\nNow.\n"
    >>> document = Document("k.md", text, title="k.md", path="k.md")
    >>> [(one.title, str(one.lines)) for one in Section().cut(document)]
    [('k.md', '1-2'), ('Keys', '3-6'), ('Keys / Rotation', '7-9')]
    >>> text = "def a():\n    x\n\nB = 1\n\n\ndef c():\n    y\n"
    >>> document = Document("k.py", text, title="k.py", path="k.py")
    >>> [(one.title, str(one.lines)) for one in Section().cut(document)]
    [('a', '1-2'), ('k.py', '3-6'), ('c', '7-8')]
    """

    libraries: ClassVar[tuple[str, ...]] = OUTLINE_LIBRARIES

    notes: Counter[str] = field(default_factory=Counter, init=False, repr=False, compare=False)
    """Counts the files that were cut otherwise, by the words that say how."""

    def cut(self, document: Document) -> Iterator[Document]:
        """Return the sections or symbols."""
        try:
            nodes = read_outline(str(document.path), document.text)
        except FormatError as error:
            # What an extra would mend is told with how to get it.
            missing = [one.fix.partition(",")[0] for one in error.problems if "pip install" in one.fix]
            why = f"needs an extra ({missing[0]})" if missing else "cannot be read"
            self.notes[f"whose outline {why}, indexed whole"] += 1
            nodes = None
        pieces = Pieces(document)
        if nodes is None or len(nodes) < 2:
            yield pieces.whole
            return
        for start, end, node in _innermost(nodes, pieces.count):
            if not pieces.blank(start, end):
                kind = "" if node is nodes[0] else node.kind
                yield pieces.cut(start, end, title=" / ".join(node.path), kind=kind)


def _innermost(nodes: Sequence[OutlineNode], count: int) -> Iterator[tuple[int, int, OutlineNode]]:
    """Go through the lines of a file in runs of those that have the same innermost node."""
    at, around = 1, [nodes[0]]
    for node in sorted(nodes[1:], key=lambda node: (node.start, -node.end)):
        while len(around) > 1 and around[-1].end < node.start:
            inner = around.pop()
            if at <= inner.end:
                yield at, inner.end, inner
                at = inner.end + 1
        if at < node.start:
            yield at, node.start - 1, around[-1]
            at = node.start
        around.append(node)
    while around:
        inner = around.pop()
        end = min(inner.end, count) if around else count
        if at <= end:
            yield at, end, inner
            at = end + 1
