"""From documents to the pieces that are indexed: whole files, windows of lines, sections and symbols."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Protocol

from rankgate.errors import FormatError, InputError, Problem, did_you_mean
from rankgate.model.fingerprints import fingerprint
from rankgate.model.locations import Lines
from rankgate.outline import OUTLINE_LIBRARIES, read_outline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from rankgate.model.search import Document
    from rankgate.outline import OutlineNode


_CUTTING = 3
"""Raised where a chunker begins to cut otherwise, so that what was cut before is not taken for its own."""


class Chunker(Protocol):
    """Cuts one document into pieces."""

    def cut(self, document: Document) -> Iterable[Document]:
        """Return the pieces, in the order of their lines; each says where it lies."""
        ...


@dataclass(frozen=True, slots=True)
class Chunking:
    """A chunker by name."""

    by: str = "file"
    """file, window or section."""
    options: Mapping[str, int] = field(default_factory=dict)
    """The chunker's own numbers."""

    def __str__(self) -> str:
        numbers = ", ".join(f"{name} {number}" for name, number in self.options.items())
        return f"{self.by} ({numbers})" if numbers else self.by

    @property
    def fingerprint(self) -> str:
        """What names its pieces: with another one, the same documents may be cut otherwise."""
        # Python is outlined by its own parser, which reads what its version knows.
        libraries = {
            "python": [*sys.version_info[:2]],
            **{name: _version(name) for name in OUTLINE_LIBRARIES},
        }
        return fingerprint([_CUTTING, self.by, dict(self.options), libraries if self.by == "section" else {}])

    def cut(self, documents: Iterable[Document], notes: Counter[str] | None = None) -> Iterator[Document]:
        """Cut documents, one after another. Records have no lines and stay whole.

        Args:
            documents: What to cut.
            notes: Counts the files that were cut otherwise than asked, by the words that say how.
        """
        chunker = _CHUNKERS[self.by](self.options, Counter() if notes is None else notes)
        for document in documents:
            if document.path is None:
                yield document
            else:
                # Whatever way it is cut, a file's name is what a person would call it.
                yield from chunker.cut(replace(document, title=document.title or document.path))


def read_chunking(value: object, where: str) -> Chunking:
    """Read how a configuration wants documents cut: a name, or a table with ``by`` and numbers.

    >>> read_chunking({"by": "window", "lines": 60}, "systems.app.chunks").options
    {'lines': 60, 'overlap': 0}

    Raises:
        InputError: for a chunker that is not known, and options that it does not have.
    """
    table = {"by": value} if isinstance(value, str) else value
    found = table.get("by") if isinstance(table, dict) else value
    if not isinstance(table, dict) or not isinstance(found, str) or found not in _CHUNKERS:
        fix = did_you_mean(str(found), _CHUNKERS)
        raise InputError(Problem(where, repr(found), f"one of {', '.join(_CHUNKERS)}", fix))
    known = _OPTIONS[found]
    problems = [
        Problem(f"{where}.{key}", "an unknown option", f"one of {', '.join(known) or 'none'}")
        for key in table
        if key != "by" and key not in known
    ]
    options = {key: table.get(key, default) for key, default in known.items()}
    problems += [
        Problem(f"{where}.{key}", repr(number), "a whole number")
        for key, number in options.items()
        if isinstance(number, bool) or not isinstance(number, int)
    ]
    if not problems and found == "window" and not 0 <= options["overlap"] < options["lines"]:
        numbers = f"{options['lines']} lines, overlap {options['overlap']}"
        problems.append(Problem(where, numbers, "0 <= overlap < lines"))
    if problems:
        raise InputError(problems)
    return Chunking(found, options)


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


class Pieces:
    r"""Cuts lines out of one document; the id of a piece says which.

    >>> from rankgate.model.search import Document
    >>> pieces = Pieces(Document("a.md", "1\n2\n3\n", path="a.md"))
    >>> pieces.count, pieces.cut(2, 3).id, pieces.cut(2, 3).text
    (3, 'a.md:2-3', '2\n3')
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._lines = document.text.split("\n")
        self.count = max(1, len(self._lines) - document.text.endswith("\n"))
        """How many lines the document has."""

    def cut(self, start: int, end: int, *, title: str = "", kind: str = "") -> Document:
        """Return the lines from `start` to `end`, counted from 1, both included."""
        document = self._document
        return replace(
            document,
            id=f"{document.id}:{start}-{end}",
            text="\n".join(self._lines[start - 1 : end]),
            title=title or document.title,
            lines=Lines(start, end),
            facets={**document.facets, "kind": kind} if kind else document.facets,
        )

    @property
    def whole(self) -> Document:
        """The document under its own id, with all of its lines, so that a hit on it has some."""
        return replace(self._document, lines=Lines(1, self.count))

    def blank(self, start: int, end: int) -> bool:
        """Check whether nothing stands on these lines."""
        return not any(line.strip() for line in self._lines[start - 1 : end])


@dataclass(frozen=True, slots=True)
class Window:
    r"""Windows of equal length, the last one shorter.

    >>> from rankgate.model.search import Document
    >>> [str(one.lines) for one in Window(3, 1).cut(Document("a.md", "1\n2\n3\n4\n5", path="a.md"))]
    ['1-3', '3-5']
    """

    lines: int = 40
    """How many lines each has."""
    overlap: int = 0
    """How many of them the next begins with."""

    def cut(self, document: Document) -> Iterator[Document]:
        """Return the windows."""
        pieces, start = Pieces(document), 1
        while True:
            end = min(pieces.count, start + self.lines - 1)
            yield pieces.cut(start, end)
            if end == pieces.count:
                return
            start = end + 1 - self.overlap


class Section:
    r"""Pieces that lie in one section or symbol, and in none inside it.

    Every line that holds anything is in just one piece. What stands between two symbols belongs to what is
    around both: the class, or the file. A file that has no outline stays whole.

    >>> from collections import Counter
    >>> from rankgate.model.search import Document
    >>> text = "intro\n\n# Keys\n\nAll.\n\n## Rotation\n\nNow.\n"
    >>> document = Document("k.md", text, title="k.md", path="k.md")
    >>> [(one.title, str(one.lines)) for one in Section(Counter()).cut(document)]
    [('k.md', '1-2'), ('Keys', '3-6'), ('Keys / Rotation', '7-9')]
    >>> text = "def a():\n    x\n\nB = 1\n\n\ndef c():\n    y\n"
    >>> document = Document("k.py", text, title="k.py", path="k.py")
    >>> [(one.title, str(one.lines)) for one in Section(Counter()).cut(document)]
    [('a', '1-2'), ('k.py', '3-6'), ('c', '7-8')]
    """

    def __init__(self, notes: Counter[str]) -> None:
        self._notes = notes

    def cut(self, document: Document) -> Iterator[Document]:
        """Return the sections or symbols."""
        try:
            nodes = read_outline(str(document.path), document.text)
        except FormatError as error:
            # What an extra would mend is told with how to get it.
            missing = [one.fix.partition(",")[0] for one in error.problems if "pip install" in one.fix]
            why = f"needs an extra ({missing[0]})" if missing else "cannot be read"
            self._notes[f"whose outline {why}, indexed whole"] += 1
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


class WholeFile:
    """One piece a file, with all of its lines."""

    def cut(self, document: Document) -> tuple[Document, ...]:
        """Return the document."""
        return (Pieces(document).whole,)


_CHUNKERS: dict[str, Callable[[Mapping[str, int], Counter[str]], Chunker]] = {
    "file": lambda _options, _notes: WholeFile(),
    "window": lambda options, _notes: Window(**options),
    "section": lambda _options, notes: Section(notes),
}
_OPTIONS: dict[str, dict[str, int]] = {"file": {}, "window": {"lines": 40, "overlap": 0}, "section": {}}
