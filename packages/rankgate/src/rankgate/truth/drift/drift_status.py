"""What drift says of one location: its status, where it is now, and what else may be meant."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankgate.model.locations import Location
    from rankgate.truth.locations.corpus_reader import Span


class DriftStatus(StrEnum):
    """What became of a location; `unchanged` and `moved` are proven, the others need a person."""

    UNCHANGED = "unchanged"
    """The same text at the same location."""
    MOVED = "moved"
    """The same text, which stands once in both corpora, at another location; or under the same name."""
    EDITED = "edited"
    """Another text, and its location is known."""
    SPLIT = "split"
    """The text in two or more pieces that lie apart."""
    AMBIGUOUS = "ambiguous"
    """The same text in several locations, before or now."""
    GONE = "gone"
    """Nothing that is like it."""

    @property
    def proven(self) -> bool:
        """True where nobody has to look."""
        return self in (DriftStatus.UNCHANGED, DriftStatus.MOVED)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A location that may be meant."""

    location: Location
    """Where it is."""
    likely: bool = False
    """True for the one whose surroundings agree best with the old ones."""
    note: str = ""
    """What speaks for it."""


@dataclass(frozen=True, slots=True)
class LocationDrift:
    """What became of one location."""

    status: DriftStatus
    """In a word."""
    location: Location | None = None
    """How the suite should write it now; a suggestion where the status is not proven."""
    span: Span | None = None
    """The lines that it means now, where it means lines and they are known."""
    why: str = ""
    """What a person should know, in a few words."""
    candidates: tuple[Candidate, ...] = ()
    """Locations that may be meant, or the pieces of one that was split; the best first."""
    more: int = 0
    """How many candidates are not listed."""
    stands: bool = True
    """Whether the location, as it was written, still finds something in the new corpus."""
    same: bool = False
    """Whether what it finds has the same text as before, be it the one that was meant or a copy."""
