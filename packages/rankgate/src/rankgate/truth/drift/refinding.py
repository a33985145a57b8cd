"""Where the lines that a hit showed stand in a later state of the documents.

A kept hit carries a hash of each of its lines and of a few around it. That is enough to find it again without
the old documents: where it was, elsewhere as it was, or edited. Blank lines and indentation do not count.
"""

from __future__ import annotations

import base64
import hashlib
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankgate.model.placing import KeptLines
from rankgate.truth.locations.corpus_reader import Span, split_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    Codes = NDArray[np.uint32]

AROUND = 2
"""How many lines before and behind a hit are kept with it."""
MOST_LINES = 60
"""Of how many lines of a hit the hashes are kept: of a longer one the first and the last half of them."""
HALF = 0.5
"""Which part of its lines must be left for an edited text to be the same."""
_FEW = 8
"""A line that stands in more places than that says nothing of where a text went."""


class Refound(StrEnum):
    """How a hit was found again."""

    SAME = "same"
    """Where it was, as it was."""
    MOVED = "moved"
    """As it was, elsewhere."""
    EDITED = "edited"
    """Most of its lines, with others among them."""
    DECIDED = "decided"
    """Where somebody who mended the suite said that its text is."""


class FoundAgain(NamedTuple):
    """Where lines are now."""

    span: Span
    """The lines."""
    how: Refound
    """How they were found."""


@dataclass(frozen=True, slots=True, eq=False)
class HashedLines:
    """The lines of a document that are not blank: a hash and the number of each.

    >>> kept = HashedLines.of(["# Keys", "", "Rotate them.", "Once a month."]).kept(3, 4)
    >>> len(kept.lines), len(kept.before), kept.behind, kept.offset
    (11, 6, '', 8)
    """

    codes: Codes
    """The hashes."""
    numbers: NDArray[np.int64]
    """The numbers of the lines."""
    starts: NDArray[np.int64]
    """Where every line begins, blank or not, and where one more would."""

    @classmethod
    def of(cls, lines: Sequence[str]) -> HashedLines:
        """Hash the lines of a document."""
        kept = [(number, said) for number, line in enumerate(lines, 1) if (said := line.strip())]
        data = b"".join(map(line_code, (said for _, said in kept)))
        numbers = np.array([number for number, _ in kept], dtype=np.int64)
        starts = np.cumsum([0, *(len(line) + 1 for line in lines)], dtype=np.int64)
        return cls(np.frombuffer(data, dtype="<u4"), numbers, starts)

    @property
    def last(self) -> int:
        """The number of the last line."""
        return len(self.starts) - 1

    def kept(self, start: int, end: int) -> KeptLines:
        """Return what finds some lines again; nothing is kept of their words."""
        first, behind = self.rows(start, end)
        return KeptLines(
            packed(self.part(first, behind)), *self.around(first, behind), self.offset(start, end)
        )

    def offset(self, start: int, end: int) -> int:
        """Return where the first of some lines that is not blank begins."""
        first, behind = self.rows(start, end)
        return int(self.starts[(int(self.numbers[first]) if first < behind else start) - 1])

    def rows(self, start: int, end: int) -> tuple[int, int]:
        """Return which rows some lines are: the first, and the one behind the last."""
        return int(np.searchsorted(self.numbers, start)), int(np.searchsorted(self.numbers, end, "right"))

    def part(self, first: int, behind: int) -> Codes:
        """Return the hashes of some rows that are kept: of many the first and the last."""
        codes, half = self.codes[first:behind], MOST_LINES // 2
        return codes if len(codes) <= MOST_LINES else np.concatenate([codes[:half], codes[-half:]])

    def around(self, first: int, behind: int) -> tuple[str, str]:
        """Return the hashes of the lines before and behind some rows, as they are kept."""
        before, after = self.codes[max(0, first - AROUND) : first], self.codes[behind : behind + AROUND]
        return packed(before), packed(after)


class Refinder:
    r"""Finds kept lines in the documents of today.

    >>> old = ["# Keys", "", "Rotate them.", "Once a month.", "Tell the team."]
    >>> kept = HashedLines.of(old).kept(3, 5)
    >>> new = ["# Keys", "", "An introduction.", "", "Rotate them.", "Every week.", "Tell the team."]
    >>> Refinder([("keys.md", "\n".join(new))]).find(Span("keys.md", 3, 5), kept)
    FoundAgain(span=Span(path='keys.md', start=5, end=7), how=<Refound.EDITED: 'edited'>)
    """

    def __init__(self, documents: Iterable[tuple[str, str]]) -> None:
        """Read the documents."""
        self._documents = {path: HashedLines.of(split_lines(text)) for path, text in documents}
        self._paths = list(self._documents)

    def has(self, path: str) -> bool:
        """Check whether there is a document of this name."""
        return path in self._documents

    def offset(self, span: Span) -> int:
        """Return where the first of some lines that is not blank begins, in characters."""
        return self._documents[span.path].offset(span.start, span.end)

    def once(self, code: int) -> Span | None:
        """Return where a line stands, by its hash; None where it stands nowhere, or more than once."""
        places = self._places(code)
        return self._span(int(places[0]), 1, 1) if len(places) == 1 else None

    def find(self, span: Span, kept: KeptLines) -> FoundAgain | None:
        """Find lines; None where they are gone, or nothing tells which of several places is theirs."""
        wanted = unpacked(kept.lines)
        if not len(wanted):
            return None
        if self._stands(span, wanted) and (len(wanted) > 1 or self._surrounded(span, kept)):
            return FoundAgain(span, Refound.SAME)
        if len(wanted) < MOST_LINES and (places := self._exact(wanted)):
            at = self._best(places, len(wanted), span, kept)
            there = None if at is None else self._span(at, len(wanted), span.end - span.start + 1)
            return None if there is None else FoundAgain(there, _how(span, there))
        edited = self._edited(span, wanted, kept)
        return None if edited is None else FoundAgain(edited, Refound.EDITED)

    def _stands(self, span: Span, wanted: Codes) -> bool:
        document = self._documents.get(span.path)
        if document is None or not len(document.numbers) or span.end > document.numbers[-1] + 1:
            return False
        first, behind = document.rows(span.start, span.end)
        return np.array_equal(document.part(first, behind), wanted)

    def _surrounded(self, span: Span, kept: KeptLines) -> bool:
        """Check whether a single line stands between the lines that it stood between."""
        document = self._documents[span.path]
        return document.around(*document.rows(span.start, span.end)) == (kept.before, kept.behind)

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

    def _best(self, places: Sequence[int], size: int, span: Span, kept: KeptLines) -> int | None:
        """Return the place whose surroundings are the old ones, or the only one there is."""
        agreed = [self._agreement(at, size, kept) for at in places]
        best = max(agreed)
        likely = [at for at, number in zip(places, agreed, strict=True) if number == best]
        if len(likely) > 1 and size > 1:
            likely = [at for at in likely if self._path(at) == span.path]
        # One line may stand anywhere by chance: its neighbours must speak for it.
        sure = size > 1 or best > 1 or (len(places) == 1 and self._path(places[0]) == span.path)
        return likely[0] if len(likely) == 1 and sure else None

    def _agreement(self, at: int, size: int, kept: KeptLines) -> int:
        before, behind = unpacked(kept.before)[::-1], unpacked(kept.behind)
        above = self._codes[max(0, at - AROUND) : at][::-1]
        below = self._codes[at + size : at + size + AROUND]
        return _same(before, above) + _same(behind, below)

    def _number(self, at: int) -> int:
        return bisect_right(self._starts, at) - 1

    def _path(self, at: int) -> str:
        return self._paths[self._number(at)]

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

    def _edited(self, span: Span, wanted: Codes, kept: KeptLines) -> Span | None:
        """Find the place that has most of the lines, in their order: in their file first."""
        for path in self._likely(span.path, wanted):
            document = self._documents[path]
            pairs = chain(wanted, document.codes)
            if len(pairs) < max(2, HALF * len(wanted)) or not _together(pairs, len(wanted)):
                continue
            if not any(len(self._places(int(wanted[here]))) == 1 for here, _ in pairs):
                continue
            first, last = grown(pairs, wanted, document.codes, kept)
            return Span(path, int(document.numbers[first]), int(document.numbers[last]))
        return None

    def _likely(self, path: str, wanted: Codes) -> Iterator[str]:
        if path in self._documents:
            yield path
        votes: dict[int, int] = {}
        for code in set(wanted.tolist()):
            places = self._places(code)
            if len(places) <= _FEW:
                for number in {self._number(int(at)) for at in places}:
                    votes[number] = votes.get(number, 0) + 1
        ranked = sorted(votes, key=lambda number: -votes[number])
        # Two that share as many lines are as likely as each other.
        if ranked and (len(ranked) == 1 or votes[ranked[0]] > votes[ranked[1]]):
            best = self._paths[ranked[0]]
            if best != path:
                yield best


def _how(before: Span, now: Span) -> Refound:
    return Refound.SAME if before == now else Refound.MOVED


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


def _together(chain: Sequence[tuple[int, int]], size: int) -> bool:
    """Check whether no more lines lie among those that were found than there were."""
    return chain[-1][1] - chain[0][1] + 1 <= 2 * size + AROUND


def grown(pairs: Sequence[tuple[int, int]], wanted: Codes, codes: Codes, kept: KeptLines) -> tuple[int, int]:
    """Return the first and last row, with edited lines at both ends, as far as the old neighbours."""
    (here, first), (there, last) = pairs[0], pairs[-1]
    before, behind = set(unpacked(kept.before).tolist()), set(unpacked(kept.behind).tolist())
    for _ in range(here):
        if not first or int(codes[first - 1]) in before:
            break
        first -= 1
    for _ in range(len(wanted) - 1 - there):
        if last + 1 >= len(codes) or int(codes[last + 1]) in behind:
            break
        last += 1
    return first, last


def _same(one: Sequence[int] | NDArray[np.uint32], other: Sequence[int] | NDArray[np.int64]) -> int:
    """Return how many of two lists are equal from their beginning on."""
    number = 0
    for ours, theirs in zip(one, other, strict=False):
        if int(ours) != int(theirs):
            break
        number += 1
    return number


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
