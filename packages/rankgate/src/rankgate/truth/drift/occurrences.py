r"""Every location where a block of lines stands in a corpus.

Lines are compared exactly; only the ends of lines (``\r\n`` or ``\n``) do not count. The corpus is read once
and kept as one number a line, so that a block is found through its rarest line and the rest is compared at
the speed of memory.

A fragment is a run of its lines that stands exactly once in the old corpus and exactly once in the new one,
and is as long as it can be: a line that the corpus repeats says nothing about where a block went. Fragments
that lie near each other, with no more lines between them than the block has, are one: a range over both is at
least as much of the block as of anything else.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankgate.progress import counted_steps
from rankgate.truth.locations.corpus_reader import Span, split_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from rankgate.corpora.corpus import Corpus

MOST = 1000
"""How many locations of one block are looked for."""

SPLIT_SHARE = 0.8
"""Which part of a block's lines its fragments must hold together, for it to be split."""

_LEAST_LINES = 2
_LEAST_SHARE = 0.1

_FEW = 8
_MANY = 64
_STEP = 500


class Occurrences:
    """Finds blocks of lines in a corpus; all their lines are told beforehand.

    A position is the number of a line in the whole corpus, files one behind the other with a line that
    belongs to no block between them.
    """

    def __init__(self, corpus: Corpus, wanted: Iterable[str]) -> None:
        """Read the corpus.

        Args:
            corpus: Where to look.
            wanted: Every line of every block that will be looked for; others are not told apart.
        """
        self._numbers = {line: number for number, line in enumerate(dict.fromkeys(wanted), 1)}
        self._paths: list[str] = []
        self._starts: list[int] = []
        found = array("i")
        for document in counted_steps(corpus.documents(), "looking for lines", len(corpus)):
            self._paths.append(document.id)
            self._starts.append(len(found))
            get = self._numbers.get
            found.extend([get(line, 0) for line in split_lines(document.text)])
            found.append(0)
        self._ids: NDArray[np.int32] = np.array(found, dtype=np.int32)
        known = np.flatnonzero(self._ids)
        self._order = known[np.argsort(self._ids[known], kind="stable")]
        self._bounds = np.searchsorted(self._ids[self._order], np.arange(len(self._numbers) + 2))

    def find(self, block: Sequence[str], near: str | None = None) -> NDArray[np.int64]:
        """Return the positions where the lines stand one below the other, those in the file `near` first.

        `MOST` are looked for, and no more: what is repeated that often is repeated.

        Raises:
            KeyError: for a line that was not told beforehand.
        """
        numbers = np.array([self._numbers[line] for line in block], dtype=np.int32)
        if not len(numbers):
            return np.empty(0, dtype=np.int64)
        rarest = int(np.argmin(self._bounds[numbers + 1] - self._bounds[numbers]))
        starts = self._positions(int(numbers[rarest])) - rarest
        starts = starts[(starts >= 0) & (starts + len(numbers) < len(self._ids))]
        if near is not None and len(starts) > MOST:
            starts = self._nearest_first(starts, near)
        found = []
        at, step, total = 0, MOST, 0
        while at < len(starts) and total < MOST:
            # In growing pieces, so that text which is repeated everywhere is not compared everywhere.
            found.append(self._equal(starts[at : at + step], numbers))
            total += len(found[-1])
            at, step = at + step, 2 * step
        return np.concatenate(found)[:MOST] if found else starts

    def whole(self, lines: Sequence[str]) -> list[str]:
        """List the files that consist of these lines and no others."""
        numbers = np.array([self._numbers[line] for line in lines], dtype=np.int32)
        return [
            path
            for path, start, end in self._files()
            if end - start == len(numbers) and np.array_equal(self._ids[start:end], numbers)
        ]

    def longest(self, block: Sequence[str], at: int) -> tuple[int, NDArray[np.int64]]:
        """Follow a block from one of its lines on, as far as it still stands somewhere.

        What stands in over `MOST` locations after many lines is repeated, and is followed no further.

        Returns:
            How many lines that is, and the positions of the first of them.
        """
        starts = self._positions(self._numbers[block[at]])
        length = min(len(starts), 1)
        while length and at + length < len(block) and (length < _MANY or len(starts) <= MOST):
            # The last line of the corpus is no line of a block, so nothing runs over the end.
            longer = starts[self._ids[starts + length] == self._numbers[block[at + length]]]
            if not len(longer):
                break
            starts, length = longer, length + 1
        return length, starts

    def agreement(
        self, starts: NDArray[np.int64], length: int, above: Sequence[str], below: Sequence[str]
    ) -> NDArray[np.int64]:
        """Count the lines around each copy of a block that are as told, up to the first that differs.

        Args:
            starts: The positions of the copies.
            length: How many lines the block has.
            above: The lines before it, the nearest last.
            below: The lines behind it, the nearest first.
        """
        score = np.zeros(len(starts), dtype=np.int64)
        around = (
            [(-away, line) for away, line in enumerate(reversed(above), 1)],
            [(length + away, line) for away, line in enumerate(below)],
        )
        for side in around:
            alive = np.arange(len(starts))
            for away, line in side:
                at = starts[alive] + away
                inside = (at >= 0) & (at < len(self._ids))
                alive = alive[inside][self._ids[at[inside]] == self._numbers[line]]
                score[alive] += 1
        return score

    def span(self, position: int, length: int) -> Span:
        """Return the file and the lines of a position."""
        number = bisect_right(self._starts, position) - 1
        start = position - self._starts[number] + 1
        return Span(self._paths[number], start, start + length - 1)

    def sharing(self, lines: Iterable[str], most: int) -> list[str]:
        """List the files that have the most of some lines, best first."""
        counts = np.zeros(len(self._paths), dtype=np.int64)
        for line in set(lines):
            at = self._positions(self._numbers[line])
            counts[np.unique(np.searchsorted(self._starts, at, side="right") - 1)] += 1
        best = np.argsort(-counts, kind="stable")[:most]
        return [self._paths[number] for number in best if counts[number]]

    def _equal(self, starts: NDArray[np.int64], numbers: NDArray[np.int32]) -> NDArray[np.int64]:
        for offset, number in enumerate(numbers):
            if len(starts) <= _FEW:
                same = [at for at in starts if np.array_equal(self._ids[at : at + len(numbers)], numbers)]
                return np.array(same, dtype=np.int64)
            starts = starts[self._ids[starts + offset] == number]
        return starts

    def _nearest_first(self, starts: NDArray[np.int64], path: str) -> NDArray[np.int64]:
        inside = np.zeros(len(starts), dtype=bool)
        for name, start, end in self._files():
            if name == path:
                inside = (starts >= start) & (starts < end)
        return np.concatenate([starts[inside], starts[~inside]])

    def _positions(self, number: int) -> NDArray[np.int64]:
        return self._order[self._bounds[number] : self._bounds[number + 1]]

    def _files(self) -> Iterable[tuple[str, int, int]]:
        ends = [start - 1 for start in self._starts[1:]] + [len(self._ids) - 1]
        return zip(self._paths, self._starts, ends, strict=True)


@dataclass(frozen=True, slots=True)
class Fragment:
    """Where lines of a block are left near each other."""

    span: Span
    """From the first of them to the last."""
    held: int
    """How many of the block's lines are left here, blank ones not counted."""


def find_fragments(block: Sequence[str], old: Occurrences, new: Occurrences) -> list[Fragment]:
    """Find the fragments of a block, those with the most lines first."""
    found: list[Fragment] = []
    for span, held in sorted(_runs(block, old, new)):
        near = found[-1] if found else None
        if near and near.span.path == span.path and span.start - near.span.end - 1 <= len(block):
            joined = Span(span.path, near.span.start, max(near.span.end, span.end))
            found[-1] = Fragment(joined, near.held + held)
        else:
            found.append(Fragment(span, held))
    return sorted(found, key=lambda each: (-each.held, each.span))


def split_fragments(block: Sequence[str], fragments: Sequence[Fragment]) -> list[Fragment]:
    """Return the fragments that a block was split into; none where it was not.

    A part has at least two lines and a tenth of the block's; the parts together hold 80 % of them.
    """
    lines = len(not_blank(block))
    parts = [each for each in fragments if each.held >= max(_LEAST_LINES, _LEAST_SHARE * lines)]
    together = sum(each.held for each in parts)
    return parts if len(parts) > 1 and together >= SPLIT_SHARE * lines else []


def not_blank(lines: Sequence[str]) -> list[str]:
    """Return the lines that are not blank."""
    return [line for line in lines if line.strip()]


def _runs(block: Sequence[str], old: Occurrences, new: Occurrences) -> list[tuple[Span, int]]:
    found = []
    at = 0
    while at < len(block):
        if not block[at].strip():
            at += 1
            continue
        length, starts = new.longest(block, at)
        run = block[at : at + length]
        if len(starts) == 1 and len(old.find(run)) == 1:
            found.append((new.span(int(starts[0]), _without_blank_end(run)), len(not_blank(run))))
        at += max(1, length)
    return found


def _without_blank_end(run: Sequence[str]) -> int:
    length = len(run)
    while length and not run[length - 1].strip():
        length -= 1
    return length
