"""What stands around a definition and belongs to it, or does not: attributes and comments, by bytes."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Range = tuple[int, int]

_SHEBANG = b"#!"
_ENDS_A_STATEMENT = re.compile(rb"[;:{}]")


class Surroundings:
    r"""The attributes and comments of a file, in runs with nothing but space between.

    Attributes before a definition belong to it, and so do the comments directly above: those that begin their
    line, with no blank line between. Comments at the end of a definition do not.

    >>> source = b"#[inline] // fast\nfn f() {}"
    >>> Surroundings(source, attributes=[(0, 9)], comments=[(10, 17)]).start(18)
    (0, 0)
    >>> source = b"// Add.\n#[inline]\nfn f() {}"
    >>> Surroundings(source, attributes=[(8, 17)], comments=[(0, 7)]).start(18)
    (0, 8)
    """

    def __init__(
        self,
        source: bytes,
        attributes: Iterable[Range],
        comments: Iterable[Range],
        *,
        scopes: Iterable[int] = (),
        elsewhere: str = "",
        aligned: bool = False,
    ) -> None:
        """Gather what stands around definitions.

        Args:
            source: The file.
            attributes: Where its attributes are.
            comments: Where its comments are.
            scopes: Where definitions begin that others may lie in.
            elsewhere: How comments begin that are about something else than what is below them; a pattern.
            aligned: Whether a comment belongs only to what begins in the same column.
        """
        self._source = source
        self._scopes: Sequence[int] = sorted(scopes)
        self._elsewhere = re.compile(elsewhere.encode()) if elsewhere else None
        self._aligned = aligned
        # Where things before a definition start and end; where the first attribute of their run starts; and
        # where the first thing starts that belongs to what follows directly.
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._attributed: list[int | None] = []
        self._commented: list[int | None] = []
        # For the end of a comment, where its run of comments starts.
        self._runs: dict[int, int] = {}
        self._gather(sorted([*((*one, True) for one in attributes), *((*one, False) for one in comments)]))

    def start(self, start: int) -> Range:
        """Find where a definition starts with its comments and attributes, and with attributes alone."""
        commented, attributed = self._before(start)
        line = self._line(commented)
        words = self._source[line:commented]
        if not words or words.isspace() or _ENDS_A_STATEMENT.search(words) or self._in_scope(line, start):
            return commented, attributed
        # The words before a definition are its own, such as `export const` or `type`: no comment is between.
        begins = line + len(words) - len(words.lstrip())
        above, _ = self._before(begins)
        return (above if above < begins else commented), attributed

    def end(self, end: int) -> int:
        """Find where a definition ends without the comments at its end."""
        if end not in self._runs:
            return end
        end = self._runs[end]
        while end > 0 and self._source[end - 1] in b" \t\n\f\v":
            end -= 1
        return end

    def _before(self, start: int) -> Range:
        at = bisect_right(self._ends, start) - 1
        if at < 0 or not self._only_space(self._ends[at], start):
            return start, start
        attributed = self._attributed[at]
        commented = self._commented[at] if self._directly(at, start) else attributed
        return (
            start if commented is None else commented,
            start if attributed is None else attributed,
        )

    def _gather(self, things: Iterable[tuple[int, int, bool]]) -> None:
        last, run = -1, -1
        for start, end, attribute in things:
            if start < last:
                continue  # a comment inside an attribute
            at = len(self._ends) - 1
            together = at >= 0 and self._only_space(self._ends[at], start)
            attributed = self._attributed[at] if together else None
            commented = self._commented[at] if together and self._directly(at, start) else attributed
            if attribute:
                attributed = start if attributed is None else attributed
                commented = start if commented is None else commented
            elif not self._is_about_what_follows(start, end, behind=commented is not None):
                commented = attributed
            elif commented is None:
                commented = start
            run = -1 if attribute else run if together and run >= 0 else start
            if run >= 0:
                self._runs[end] = run
            self._starts.append(start)
            # Some grammars count the end of its line as part of a comment.
            self._ends.append(start + len(self._source[start:end].rstrip(b"\r\n")))
            self._attributed.append(attributed)
            self._commented.append(commented)
            last = end

    def _is_about_what_follows(self, start: int, end: int, *, behind: bool) -> bool:
        """Check whether a comment may belong to what is below it."""
        if start == 0 and self._source.startswith(_SHEBANG):
            return False
        if self._elsewhere is not None and self._elsewhere.match(self._source, start, end):
            return False
        # What stands behind code says something of that code.
        line = self._line(start)
        return self._only_space(line, start) or (behind and self._ends[-1] > line)

    def _directly(self, at: int, start: int) -> bool:
        """Check whether no blank line is between a thing and what follows it at a byte."""
        if self._source.count(b"\n", self._ends[at], start) > 1:
            return False
        return not self._aligned or self._indent(self._starts[at]) == self._indent(start)

    def _in_scope(self, line: int, start: int) -> bool:
        """Check whether something begins on a line before a byte that what is there may lie in."""
        at = bisect_left(self._scopes, line)
        return at < len(self._scopes) and self._scopes[at] < start

    def _line(self, at: int) -> int:
        return self._source.rfind(b"\n", 0, at) + 1

    def _indent(self, at: int) -> bytes:
        return self._source[self._line(at) : at]

    def _only_space(self, start: int, end: int) -> bool:
        between = self._source[start:end]
        return not between or between.isspace()
