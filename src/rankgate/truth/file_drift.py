"""What became of a whole file."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rankgate.model.places import Location
from rankgate.truth.fate import Candidate, Fate, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.truth.occurrences import Occurrences
    from rankgate.truth.readings import Readings

_SIMILAR = 0.5
_TRIED = 3
_SHOWN = 5


def file_fate(path: str, old: Readings, new: Readings, before: Occurrences, after: Occurrences) -> Fate:
    """Say what became of a file that is not as it was.

    Args:
        path: The file, in the old corpus.
        old: The old corpus.
        new: The new one.
        before: The lines of the old corpus.
        after: The lines of the new one.
    """
    if path in new.corpus:
        return Fate(Status.EDITED, Location(path=path), why="the file changed")
    lines = old.lines(path)
    copies, moved = before.whole(lines), after.whole(lines)
    blank = not _written(lines)
    if len(copies) == len(moved) == 1 and not blank:
        return Fate(Status.MOVED, Location(path=moved[0]), stands=False)
    if moved:
        why = f"{len(copies)} files had this content and {len(moved)} have it"
        why = "the file had no text, so nothing tells where it went" if blank else why
        candidates = tuple(Candidate(Location(path=other)) for other in moved[:_SHOWN])
        return Fate(
            Status.AMBIGUOUS, why=why, candidates=candidates, more=len(moved) - len(candidates), stands=False
        )
    near = [(_alike(lines, new.lines(other)), other) for other in after.sharing(_written(lines), _TRIED)]
    share, other = max(near, default=(0.0, ""))
    if share < _SIMILAR:
        return Fate(Status.GONE, why="the file is gone, and none is like it", stands=False)
    why = f"the file is gone, and this one is {share:.0%} like it"
    return Fate(Status.EDITED, Location(path=other), why=why, stands=False)


def _alike(one: Sequence[str], other: Sequence[str]) -> float:
    """Give twice the lines that two files share, over the lines of both; blank lines do not count."""
    lines, others = Counter(_written(one)), Counter(_written(other))
    total = lines.total() + others.total()
    return 2 * (lines & others).total() / total if total else 0.0


def _written(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if line.strip()]
