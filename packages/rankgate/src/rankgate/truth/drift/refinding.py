"""Find lines by their hashes in a later state of the documents. Blank lines and indentation do not count."""

from __future__ import annotations

import base64
import hashlib
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rankgate.truth.locations.corpus_reader import Span, split_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Codes = NDArray[np.uint32]

AROUND = 2
"""How many lines before and behind a hit are kept with it."""
HALF = 0.5
"""Which part of its lines must be left for an edited text to be the same."""


@dataclass(frozen=True, slots=True, eq=False)
class HashedLines:
    """The lines of a document that are not blank: a hash and the number of each.

    >>> lines = HashedLines.of(["# Keys", "", "Rotate them.", "Once a month."])
    >>> len(lines.codes), lines.rows(3, 4), len(lines.around(1, 3)[0])
    (3, (1, 3), 6)
    """

    codes: Codes
    """The hashes."""
    numbers: NDArray[np.int64]
    """The numbers of the lines."""
    last: int
    """The number of the last line."""

    @classmethod
    def of(cls, lines: Sequence[str]) -> HashedLines:
        """Hash the lines of a document."""
        kept = [(number, said) for number, line in enumerate(lines, 1) if (said := line.strip())]
        data = b"".join(map(line_code, (said for _, said in kept)))
        numbers = np.array([number for number, _ in kept], dtype=np.int64)
        return cls(np.frombuffer(data, dtype="<u4"), numbers, len(lines))

    def rows(self, start: int, end: int) -> tuple[int, int]:
        """Return which rows some lines are: the first, and the one behind the last."""
        return int(np.searchsorted(self.numbers, start)), int(np.searchsorted(self.numbers, end, "right"))

    def around(self, first: int, behind: int) -> tuple[str, str]:
        """Return the hashes of the lines before and behind some rows, as they are kept."""
        before, after = self.codes[max(0, first - AROUND) : first], self.codes[behind : behind + AROUND]
        return packed(before), packed(after)


class Refinder:
    """The hashed lines of the documents of today."""

    def __init__(self, documents: Iterable[tuple[str, str]]) -> None:
        """Read the documents."""
        self._documents = {path: HashedLines.of(split_lines(text)) for path, text in documents}
        self._paths = list(self._documents)

    def has(self, path: str) -> bool:
        """Check whether there is a document of this name."""
        return path in self._documents

    @cached_property
    def _starts(self) -> list[int]:
        """Where each document begins among all lines; a line that nothing equals lies between two."""
        sizes = [len(one.codes) + 1 for one in self._documents.values()]
        return [0, *np.cumsum(sizes, dtype=np.int64).tolist()]

    @cached_property
    def _codes(self) -> NDArray[np.int64]:
        end = np.array([-1], dtype=np.int64)
        parts = [part for one in self._documents.values() for part in (one.codes.astype(np.int64), end)]
        return np.concatenate(parts) if parts else end

    @cached_property
    def _sorted(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        order = np.argsort(self._codes, kind="stable")
        return self._codes[order], order

    def _places(self, code: int) -> NDArray[np.int64]:
        codes, order = self._sorted
        first, behind = np.searchsorted(codes, code, "left"), np.searchsorted(codes, code, "right")
        return order[first:behind]

    def _exact(self, wanted: Codes) -> list[int]:
        """Return where lines stand one behind the other, by the rarest of them."""
        listed = wanted.astype(np.int64)
        shift, places = min(
            ((at, self._places(int(code))) for at, code in enumerate(listed)), key=lambda one: len(one[1])
        )
        size = len(listed)
        starts = [int(at) - shift for at in places]
        return [at for at in starts if at >= 0 and np.array_equal(self._codes[at : at + size], listed)]

    def _number(self, at: int) -> int:
        return bisect_right(self._starts, at) - 1

    def _span(self, at: int, size: int, length: int) -> Span:
        """Return the lines of some rows, with blank ones behind and before up to as many as there were."""
        number = self._number(at)
        path, row = self._paths[number], at - self._starts[number]
        document = self._documents[path]
        numbers, behind = document.numbers, row + size
        first, last = int(numbers[row]), int(numbers[behind - 1])
        blank_end = int(numbers[behind]) - 1 if behind < len(numbers) else document.last
        blank_start = int(numbers[row - 1]) + 1 if row else 1
        end = max(last, min(blank_end, first + length - 1))
        return Span(path, min(first, max(blank_start, end - length + 1)), end)


def chain(wanted: Codes, codes: Codes) -> list[tuple[int, int]]:
    """Return which lines are which: pairs of rows, rising on both sides, as many as there can be."""
    there: dict[int, list[int]] = {}
    for row, code in enumerate(codes.tolist()):
        there.setdefault(code, []).append(row)
    # Of a longest rising run each row of the document counts once: descending within one line.
    ends: list[int] = []
    last: list[int] = []
    pairs: list[tuple[int, int]] = []
    before: list[int] = []
    for here, code in enumerate(wanted.tolist()):
        for row in reversed(there.get(code, [])):
            at = bisect_left(ends, row)
            pairs.append((here, row))
            before.append(last[at - 1] if at else -1)
            ends[at : at + 1] = [row]
            last[at : at + 1] = [len(pairs) - 1]
    found = []
    at = last[-1] if last else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]


def grown(
    pairs: Sequence[tuple[int, int]], wanted: Codes, codes: Codes, around: tuple[str, str]
) -> tuple[int, int]:
    """Return the first and last row, with edited lines at both ends, as far as the old neighbours."""
    (here, first), (there, last) = pairs[0], pairs[-1]
    before, behind = (set(unpacked(one).tolist()) for one in around)
    for _ in range(here):
        if not first or int(codes[first - 1]) in before:
            break
        first -= 1
    for _ in range(len(wanted) - 1 - there):
        if last + 1 >= len(codes) or int(codes[last + 1]) in behind:
            break
        last += 1
    return first, last


def line_code(line: str) -> bytes:
    """Return the hash of a line, which is given without the space around it."""
    return hashlib.blake2b(line.encode(errors="surrogatepass"), digest_size=4).digest()


def packed(codes: Codes) -> str:
    """Format hashes of lines as a file keeps them."""
    return base64.b64encode(codes.astype("<u4").tobytes()).decode().rstrip("=")


def unpacked(written: str) -> Codes:
    """Read hashes of lines as a file keeps them."""
    data = base64.b64decode(written + "=" * (-len(written) % 4))
    return np.frombuffer(data, dtype="<u4")
