"""The chunkers of rankgate: whole files, windows of lines, and sections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from rankgate.chunks.locate import Pieces
from rankgate.errors import Code, FormatError, InputError
from rankgate.model import Document
from rankgate.outline import OUTLINE_LIBRARIES, OutlineNode, read_outline


@dataclass(frozen=True, slots=True)
class WholeFile:
    """A whole file, with all of its lines."""

    def cut(self, document: Document) -> tuple[Document, ...]:
        """Return the document."""
        return (Pieces(document).whole,)


@dataclass(frozen=True, slots=True)
class Window:
    r"""Windows of as many lines each, the last one shorter.

    >>> [str(one.lines) for one in Window(3, 1).cut(Document("a.md", "1\n2\n3\n4\n5", path="a.md"))]
    ['1-3', '3-5']
    """

    lines: int = 40
    """The number of lines of each."""
    overlap: int = 0
    """The number of lines that a window shares with the next."""

    def __post_init__(self) -> None:
        if not 0 <= self.overlap < self.lines:
            found = f"{self.lines} lines, overlap {self.overlap}"
            raise InputError(Code.WRONG_VALUE("", found, "0 <= overlap < lines"))

    def cut(self, document: Document) -> Iterator[Document]:
        """Return the windows."""
        pieces, start = Pieces(document), 1
        while True:
            end = min(pieces.count, start + self.lines - 1)
            yield pieces.cut(start, end)
            if end == pieces.count:
                return
            start = end + 1 - self.overlap


@dataclass(frozen=True)
class Section:
    r"""A section of a document or a symbol of code, without those inside it.

    Every line that is not blank is in exactly one piece. What is between two symbols belongs to what is
    around both: the class, or the file. A file that has no outline stays whole.

    >>> text = "intro\n\n# Keys\n\nAll.\n\n## Rotation\n\nNow.\n"
    >>> document = Document("k.md", text, title="k.md", path="k.md")
    >>> [(one.title, str(one.lines)) for one in Section().cut(document)]
    [('k.md', '1-2'), ('Keys', '3-6'), ('Keys / Rotation', '7-9')]
    """

    libraries: ClassVar[tuple[str, ...]] = OUTLINE_LIBRARIES

    notes: Counter[str] = field(default_factory=Counter, init=False, repr=False, compare=False)
    """Counts the files that were cut otherwise, by the reason."""

    def cut(self, document: Document) -> Iterator[Document]:
        """Return the sections or symbols."""
        try:
            nodes = read_outline(str(document.path), document.text)
        except FormatError as error:
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
    """Iterate over the lines of a file in runs of those that have the same innermost node."""
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
