"""Files cut into passages that can be judged: the own text of a section or symbol, at most about 60 lines.

Passages of a file do not overlap, and do not depend on how a system cuts it. So overlapping hits of different
chunkers become one passage, and what two judges said of it can be compared.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

from rankgate.errors import RankgateError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rankgate.outline import OutlineNode
    from rankgate.truth.lookup import CorpusReader, Span

MOST_LINES = 60
"""How many lines a passage has at most."""
MOST_PASSAGES = 8
"""How many passages of one hit are judged: a hit of a whole file is no answer to anything."""
_SMALL = 3


@dataclass(frozen=True, slots=True)
class FilePassage:
    """Lines of a file that are judged together."""

    start: int
    """The first line, from 1."""
    end: int
    """The last line, included."""
    outline: tuple[str, ...] = ()
    """The titles or symbols that it lies in, from the outermost on."""


def passages_of(lines: Sequence[str], nodes: Sequence[OutlineNode]) -> tuple[FilePassage, ...]:
    r"""Cut a file where a section or symbol begins or ends, and where it would be too long.

    >>> from rankgate.outline import read_outline
    >>> text = "# Keys\n\nAbout keys.\nMore.\n\n## Rotation\n\nOnce a day.\nBy hand.\n"
    >>> for one in passages_of(text.split("\n"), read_outline("keys.md", text)):
    ...     print(one.start, one.end, *one.outline)
    1 4 Keys
    6 9 Keys Rotation
    """
    inner = _innermost(len(lines), nodes)
    found: list[FilePassage] = []
    for node, numbers in groupby(range(1, len(lines) + 1), key=lambda number: inner[number - 1]):
        for start, end in _pieces(lines, list(numbers)):
            found.append(FilePassage(start, end, nodes[node].path if nodes else ()))
    return tuple(found)


def _innermost(count: int, nodes: Sequence[OutlineNode]) -> list[int]:
    """Return, for every line, the position of the innermost node that holds it."""
    inner = [0] * count
    # The shorter of two is the inner one; nodes are nested, so that the last to write a line is innermost.
    for position in sorted(range(1, len(nodes)), key=lambda at: nodes[at].start - nodes[at].end):
        node = nodes[position]
        inner[node.start - 1 : node.end] = [position] * (min(node.end, count) - node.start + 1)
    return inner


def _pieces(lines: Sequence[str], numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Cut consecutive lines, without the empty ones around them, into pieces that are not too long."""
    full = [number for number in numbers if lines[number - 1].strip()]
    if not full:
        return
    start, last = full[0], full[-1]
    while last - start + 1 > MOST_LINES:
        end = start + MOST_LINES - 1
        # At an empty line, where there is one in the second half.
        empty = [at for at in range(start + MOST_LINES // 2, end + 1) if not lines[at - 1].strip()]
        end = empty[-1] if empty else end
        yield _trimmed(lines, start, end)
        start = next(number for number in full if number > end)
    yield start, last


def _trimmed(lines: Sequence[str], start: int, end: int) -> tuple[int, int]:
    while end > start and not lines[end - 1].strip():
        end -= 1
    return start, end


@dataclass(slots=True)
class CorpusPassages:
    """Finds the passages of a corpus that hits lie in; each file is cut once."""

    reader: CorpusReader
    """What reads the corpus."""
    cut_short: int = 0
    """How many hits had more passages than are judged."""
    _files: dict[str, tuple[FilePassage, ...]] = field(default_factory=dict)

    def of_file(self, path: str) -> tuple[FilePassage, ...]:
        """Return all passages of a file; none for one that the corpus does not have."""
        if path not in self._files:
            self._files[path] = self._cut(path) if self.reader.has(path) else ()
        return self._files[path]

    def _cut(self, path: str) -> tuple[FilePassage, ...]:
        try:
            nodes: Sequence[OutlineNode] = self.reader.lookup.nodes(path)
        except RankgateError:
            # A file that has no outline is cut by its lines alone.
            nodes = ()
        return passages_of(self.reader.lines(path), nodes)

    def of_hit(self, hit: Span, known: Iterable[Span] = ()) -> Iterator[FilePassage]:
        """Return the passages that a hit lies in, without the lines that are judged already.

        A passage of which a hit has only a line or two at its edge is left out where it has more of others.

        Args:
            hit: The lines of the hit.
            known: The lines that are judged for this query, which the hit does not reach.
        """
        near = [one for one in self.of_file(hit.path) if one.start <= hit.end and hit.start <= one.end]
        shared = [min(one.end, hit.end) - max(one.start, hit.start) + 1 for one in near]
        most = max(shared, default=0)
        kept = [
            one
            for one, lines in zip(near, shared, strict=True)
            if lines == most or lines > _SMALL or lines == one.end - one.start + 1
        ]
        if len(kept) > MOST_PASSAGES:
            self.cut_short += 1
        judged = [one for one in known if one.path == hit.path]
        for one in kept[:MOST_PASSAGES]:
            yield from _without(one, hit, judged)


def _without(passage: FilePassage, hit: Span, judged: Sequence[Span]) -> Iterator[FilePassage]:
    """Take judged lines out of a passage, and return what is left of it around a hit."""
    start, end = passage.start, passage.end
    for one in judged:
        if one.end < hit.start:
            start = max(start, one.end + 1)
        elif one.start > hit.end:
            end = min(end, one.start - 1)
    if start <= end:
        yield FilePassage(start, end, passage.outline)
