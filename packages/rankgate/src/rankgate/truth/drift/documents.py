"""What became of one location, or of a record, after the documents changed.

A record is its id, and so is never moved.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import TYPE_CHECKING

from rankgate.locations import Location

if TYPE_CHECKING:
    from rankgate.corpora.corpus import Corpus
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
    likely: bool = False
    """True for the one whose surroundings agree best with the old ones."""
    note: str = ""
    """What speaks for it."""
    by_name: bool = False
    """True where nothing but a name that is like its own speaks for it."""


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


_NEAR = 0.65
_RECORDS_SHOWN = 3
_MOST_HINTED = 100
_MOST_NAMES = 20_000


class RecordDrift:
    """Decides for records; those that are gone get hints, as long as that takes no time to speak of."""

    def __init__(self, old: Corpus, new: Corpus) -> None:
        self._old, self._new = old, new
        self._by_text: dict[str, list[str]] | None = None
        self._hinted = 0

    def drift(self, location: Location, name: str) -> LocationDrift:
        """Find out what became of a record.

        Args:
            location: The location as it is written.
            name: The record's id, which the old corpus has.
        """
        if name in self._new:
            if self._new.text(name) == self._old.text(name):
                return LocationDrift(DriftStatus.UNCHANGED, location, same=True)
            return LocationDrift(DriftStatus.EDITED, location, why="the record has another text")
        same = self._with_text(self._old.text(name))
        others = same[:_RECORDS_SHOWN] or self._near(name)
        note = "has the same text" if same else "has an id like it"
        return LocationDrift(
            DriftStatus.GONE,
            why="no record has this id",
            candidates=tuple(Candidate(Location.of_id(other), note=note) for other in others),
            more=max(0, len(same) - len(others)),
            stands=False,
        )

    def _with_text(self, text: str) -> list[str]:
        if not text.strip():
            return []
        if self._by_text is None:
            self._by_text = {}
            for document in self._new.documents():
                self._by_text.setdefault(document.text, []).append(document.id)
        return self._by_text.get(text, [])

    def _near(self, name: str) -> list[str]:
        self._hinted += 1
        if self._hinted > _MOST_HINTED or len(self._new) > _MOST_NAMES:
            return []
        return get_close_matches(name, self._new.paths(), _RECORDS_SHOWN, _NEAR)
