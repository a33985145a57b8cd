"""What stands around a definition: attributes before it, which belong to it, and comments at its end."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    Range = tuple[int, int]


class Surroundings:
    r"""The attributes and comments of a file, by bytes, in runs with nothing but space between.

    >>> source = b"#[inline] // fast\nfn f() {}"
    >>> Surroundings(source, attributes=[(0, 9)], comments=[(10, 17)]).start(18)
    0
    """

    def __init__(self, source: bytes, attributes: Iterable[Range], comments: Iterable[Range]) -> None:
        self._source = source
        # Where things before a definition end, and where the first attribute of their run starts.
        self._ends: list[int] = []
        self._first: list[int | None] = []
        # For the end of a comment, where its run of comments starts.
        self._runs: dict[int, int] = {}
        self._gather(sorted([*((*one, True) for one in attributes), *((*one, False) for one in comments)]))

    def start(self, start: int) -> int:
        """Find where a definition starts with the attributes before it."""
        at = bisect_right(self._ends, start) - 1
        if at < 0 or not self._only_space(self._ends[at], start):
            return start
        first = self._first[at]
        return start if first is None else first

    def end(self, end: int) -> int:
        """Find where a definition ends without the comments at its end."""
        if end not in self._runs:
            return end
        end = self._runs[end]
        while end > 0 and self._source[end - 1] in b" \t\n\f\v":
            end -= 1
        return end

    def _gather(self, things: Iterable[tuple[int, int, bool]]) -> None:
        last, first, run = -1, None, -1
        for start, end, attribute in things:
            if start < last:
                continue  # a comment inside an attribute
            together = last >= 0 and self._only_space(last, start)
            first = first if together and first is not None else start if attribute else None
            run = -1 if attribute else run if together and run >= 0 else start
            if run >= 0:
                self._runs[end] = run
            self._ends.append(end)
            self._first.append(first)
            last = end

    def _only_space(self, start: int, end: int) -> bool:
        between = self._source[start:end]
        return not between or between.isspace()
