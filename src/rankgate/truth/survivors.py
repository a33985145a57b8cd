"""What is left of a block of lines that no longer stands anywhere as it was.

A survivor is a run of its lines that stands exactly once in the old corpus and exactly once in the new one,
and is as long as it can be: a line that the corpus repeats says nothing about where a block went. Survivors
that lie near each other, with no more lines between them than the block has, are one place: a range over
both is at least as much of the block as of anything else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.truth.occurrences import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.truth.occurrences import Occurrences

SPLIT_SHARE = 0.8
"""Which part of a block's lines its places must hold together, for it to be split."""

_LEAST_LINES = 2
_LEAST_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Place:
    """Where lines of a block survive near each other."""

    span: Span
    """From the first of them to the last."""
    held: int
    """How many of the block's lines survive here, blank ones not counted."""


def surviving_places(block: Sequence[str], old: Occurrences, new: Occurrences) -> list[Place]:
    """Find the places of a block's survivors, those with the most lines first."""
    places: list[Place] = []
    for span, held in sorted(_survivors(block, old, new)):
        near = places[-1] if places else None
        if near and near.span.path == span.path and span.start - near.span.end - 1 <= len(block):
            joined = Span(span.path, near.span.start, max(near.span.end, span.end))
            places[-1] = Place(joined, near.held + held)
        else:
            places.append(Place(span, held))
    return sorted(places, key=lambda place: (-place.held, place.span))


def split_places(block: Sequence[str], places: Sequence[Place]) -> list[Place]:
    """Give the places that a block was split into; none where it was not.

    A part has at least two lines and a tenth of the block's; the parts together hold 80 % of them.
    """
    lines = written(block)
    parts = [place for place in places if place.held >= max(_LEAST_LINES, _LEAST_SHARE * lines)]
    together = sum(place.held for place in parts)
    return parts if len(parts) > 1 and together >= SPLIT_SHARE * lines else []


def written(block: Sequence[str]) -> int:
    """Count the lines that are not blank."""
    return sum(1 for line in block if line.strip())


def _survivors(block: Sequence[str], old: Occurrences, new: Occurrences) -> list[tuple[Span, int]]:
    found = []
    at = 0
    while at < len(block):
        if not block[at].strip():
            at += 1
            continue
        length, starts = new.longest(block, at)
        run = block[at : at + length]
        if len(starts) == 1 and len(old.find(run)) == 1:
            found.append((new.span(int(starts[0]), _without_blank_end(run)), written(run)))
        at += max(1, length)
    return found


def _without_blank_end(run: Sequence[str]) -> int:
    length = len(run)
    while length and not run[length - 1].strip():
        length -= 1
    return length
