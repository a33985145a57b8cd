"""Which line of a new text is which line of the old one.

Lines that both texts have exactly once are matched first, in the longest run that keeps their order, and
matches are grown from there; what lies between is matched in the same way, and small rests by `difflib`. So
a file of a million equal lines takes no longer than one of a million different ones.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SMALL = 200
"""How many lines a rest without lines of its own may have on either side to be compared in full."""


def line_map(old: Sequence[str], new: Sequence[str]) -> list[int | None]:
    """Return, for each old line, the index of the new line that it became; None where it is in none.

    The indexes rise: lines that changed their order are not matched.

    >>> line_map(["a", "b", "c"], ["b", "x", "c"])
    [None, 0, 2]
    """
    found: list[int | None] = [None] * len(old)
    pending = [(0, len(old), 0, len(new))]
    while pending:
        region = _trimmed(old, new, found, *pending.pop())
        old_start, old_end, new_start, new_end = region
        if old_start == old_end or new_start == new_end:
            continue
        anchors = _anchors(old, new, *region)
        if not anchors:
            _match_small(old, new, found, region)
            continue
        before = (old_start, new_start)
        for here, there in [*anchors, (old_end, new_end)]:
            pending.append((before[0], here, before[1], there))
            if here < old_end:
                found[here] = there
            before = (here + 1, there + 1)
    return found


def _trimmed(
    old: Sequence[str],
    new: Sequence[str],
    found: list[int | None],
    old_start: int,
    old_end: int,
    new_start: int,
    new_end: int,
) -> tuple[int, int, int, int]:
    """Match the lines that both regions start and end with."""
    while old_start < old_end and new_start < new_end and old[old_start] == new[new_start]:
        found[old_start] = new_start
        old_start, new_start = old_start + 1, new_start + 1
    while old_start < old_end and new_start < new_end and old[old_end - 1] == new[new_end - 1]:
        old_end, new_end = old_end - 1, new_end - 1
        found[old_end] = new_end
    return old_start, old_end, new_start, new_end


def _anchors(
    old: Sequence[str], new: Sequence[str], old_start: int, old_end: int, new_start: int, new_end: int
) -> list[tuple[int, int]]:
    """Pair the lines that each region has once, and keep the most of them that stand in one order."""
    in_old = Counter(old[old_start:old_end])
    in_new = Counter(new[new_start:new_end])
    there = {new[at]: at for at in range(new_start, new_end)}
    pairs = [
        (at, there[old[at]])
        for at in range(old_start, old_end)
        if in_old[old[at]] == 1 and in_new.get(old[at]) == 1
    ]
    return _longest_rising(pairs)


def _longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, there) in enumerate(pairs):
        at = bisect_left(ends, there)
        before.append(last[at - 1] if at else -1)
        ends[at : at + 1] = [there]
        last[at : at + 1] = [number]
    return list(_followed(pairs, before, last[-1] if last else -1))[::-1]


def _followed(
    pairs: Sequence[tuple[int, int]], before: Sequence[int], number: int
) -> Iterator[tuple[int, int]]:
    while number >= 0:
        yield pairs[number]
        number = before[number]


def _match_small(
    old: Sequence[str], new: Sequence[str], found: list[int | None], region: tuple[int, int, int, int]
) -> None:
    old_start, old_end, new_start, new_end = region
    if max(old_end - old_start, new_end - new_start) > SMALL:
        return
    matcher = SequenceMatcher(None, old[old_start:old_end], new[new_start:new_end], autojunk=False)
    for here, there, length in matcher.get_matching_blocks():
        for away in range(length):
            found[old_start + here + away] = new_start + there + away
