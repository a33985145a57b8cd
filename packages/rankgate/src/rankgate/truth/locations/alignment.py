"""How a text that was changed lines up with a longer one: runs that are equal, and chains of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SHORTEST = 8
"""How many bytes a run has at least."""
_JOIN = 16
"""What it costs to go from one run to the next, in bytes: a text in one piece comes before one with gaps."""
_GAP = 400
"""How many bytes of the longer text may lie between two runs."""
_MOST_RUNS = 200
_SLACK = 64
"""How many bytes a place may have more than another by chance, such as the last words of a title."""


class Stretch(NamedTuple):
    """Bytes that stand in both texts."""

    here: int
    """Where they begin in the shorter text."""
    there: int
    """Where they begin in the longer one."""
    size: int
    """How many they are."""

    def after(self, count: int) -> Stretch:
        """Return it without its first bytes."""
        return Stretch(self.here + count, self.there + count, self.size - count)


class Chain(NamedTuple):
    """Runs in the order of both texts, close together."""

    runs: tuple[Stretch, ...]
    score: int
    """How many bytes they cover, less what their gaps cost."""

    @property
    def covered(self) -> int:
        """How many bytes of the shorter text they cover."""
        return sum(run.size for run in self.runs)

    @property
    def gaps(self) -> int:
        """How many bytes of the shorter text lie between them."""
        last = self.runs[-1]
        return last.here + last.size - self.runs[0].here - self.covered

    @property
    def start(self) -> int:
        """Where they begin in the longer text."""
        return self.runs[0].there

    @property
    def end(self) -> int:
        """Where they end in the longer text."""
        return self.runs[-1].there + self.runs[-1].size


def equal_runs(wanted: bytes, whole: bytes, shifts: Sequence[int]) -> list[Stretch]:
    """Return the bytes that two texts share where one is moved along the other by so much.

    >>> equal_runs(b"12 rotate the api key", b"then rotate the api token", [2])
    [Stretch(here=2, there=4, size=16)]
    """
    ours, theirs = np.frombuffer(wanted, dtype=np.uint8), np.frombuffer(whole, dtype=np.uint8)
    size, moved = len(wanted), np.array(shifts, dtype=np.int64)
    if not size or not len(moved):
        return []
    # A row a shift, with a byte that is not equal at both ends, so that no run goes on into the next row.
    equal = np.zeros((len(moved), size + 2), dtype=bool)
    places = moved[:, None] + np.arange(size)
    inside = (places >= 0) & (places < len(whole))
    equal[:, 1:-1] = (theirs.take(places, mode="clip") == ours) & inside
    flat = equal.ravel()
    edges = np.flatnonzero(flat[1:] != flat[:-1])
    starts, sizes = edges[::2], edges[1::2] - edges[::2]
    long = sizes >= SHORTEST
    rows, here = np.divmod(starts[long], size + 2)
    return list(map(Stretch, here.tolist(), (here + moved[rows]).tolist(), sizes[long].tolist()))


def best_chains(runs: Sequence[Stretch], part_of: Callable[[int], int], most: int) -> list[Chain]:
    """Return the best chain of runs, and others elsewhere that would be as good if its gaps were not there.

    Args:
        runs: The runs.
        part_of: Tells in which part of the longer text a byte lies; a chain lies in one.
        most: How many chains to return.
    """
    if len(runs) > _MOST_RUNS:
        runs = sorted(runs, key=lambda run: -run.size)[:_MOST_RUNS]
    runs = sorted(runs, key=lambda run: run.there)
    parts = [part_of(run.there) for run in runs]
    ends: list[tuple[int, int]] = []
    for at, run in enumerate(runs):
        best = run.size, -1
        if run.size > _JOIN:
            part = parts[at]
            before = (
                (ends[other][0] + gain, other)
                for other in range(at)
                if parts[other] == part and (gain := _gain(runs[other], run)) > 0
            )
            best = max(best, max(before, default=best))
        ends.append(best)
    found: list[Chain] = []
    for at in sorted(range(len(runs)), key=lambda number: -ends[number][0]):
        if found and ends[at][0] < found[0].score - found[0].gaps - _SLACK:
            break
        chain = _traced(runs, ends, at)
        if not any(chain.start < one.end and one.start < chain.end for one in found):
            found.append(chain)
            if len(found) == most:
                break
    return found


def _gain(before: Stretch, run: Stretch) -> int:
    """Return what a run adds to a chain that ends with another; 0 or less where it cannot follow."""
    ours, theirs, size = before
    here, there, added = run
    apart = there - theirs - size
    if here <= ours or apart > _GAP:
        return 0
    return added - _JOIN - max(0, ours + size - here, -apart)


def _overlap(before: Stretch, run: Stretch) -> int:
    return max(0, before.here + before.size - run.here, before.there + before.size - run.there)


def _traced(runs: Sequence[Stretch], ends: Sequence[tuple[int, int]], at: int) -> Chain:
    score, chain = ends[at][0], [runs[at]]
    while (at := ends[at][1]) >= 0:
        # What two runs both have is the first one's.
        chain[-1] = chain[-1].after(_overlap(runs[at], chain[-1]))
        chain.append(runs[at])
    return Chain(tuple(reversed(chain)), score)
