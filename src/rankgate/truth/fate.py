"""What became of a place from one state of a corpus to the next."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankgate.model.places import Location
    from rankgate.truth.occurrences import Span


class Status(StrEnum):
    """What became of a place; `unchanged` and `moved` are proven, the others want a person."""

    UNCHANGED = "unchanged"
    """The same text at the same place."""
    MOVED = "moved"
    """The same text, which stands once in both corpora, at another place; or under the same name."""
    EDITED = "edited"
    """Another text, and the place can be told."""
    SPLIT = "split"
    """The text in two or more pieces that lie apart."""
    AMBIGUOUS = "ambiguous"
    """The same text in several places, before or now."""
    GONE = "gone"
    """Nothing that is like it."""

    @property
    def proven(self) -> bool:
        """True where nobody has to look."""
        return self in (Status.UNCHANGED, Status.MOVED)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place that may be meant."""

    place: Location
    """Where it is."""
    likely: bool = False
    """True for the one whose surroundings agree best with the old ones."""
    note: str = ""
    """What speaks for it."""


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one place."""

    status: Status
    """In a word."""
    place: Location | None = None
    """How the suite should write it now; a suggestion where the status is not proven."""
    span: Span | None = None
    """The lines that it means now, where it means lines and they can be told."""
    why: str = ""
    """What a person should know, in a few words."""
    candidates: tuple[Candidate, ...] = ()
    """Places that may be meant, or the pieces of one that was split; the best first."""
    more: int = 0
    """How many candidates are not listed."""
    stands: bool = True
    """Whether the place, as it was written, still finds something in the new corpus."""
    same: bool = False
    """Whether what it finds has the same text as before, be it the one that was meant or a copy."""
