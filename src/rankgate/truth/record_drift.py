"""What became of a record: it is its id, so it is never moved."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from rankgate.model.places import Location
from rankgate.truth.fate import Candidate, Fate, Status

if TYPE_CHECKING:
    from rankgate.corpora.corpus import Corpus

_NEAR = 0.65
_SHOWN = 3
_MOST_HINTED = 100
_MOST_NAMES = 20_000


class RecordDrift:
    """Decides for records; those that are gone get hints, as long as that takes no time to speak of."""

    def __init__(self, old: Corpus, new: Corpus) -> None:
        self._old, self._new = old, new
        self._by_text: dict[str, list[str]] | None = None
        self._hinted = 0

    def fate(self, location: Location, name: str) -> Fate:
        """Say what became of a record.

        Args:
            location: The place as it is written.
            name: The record's id, which the old corpus has.
        """
        if name in self._new:
            if self._new.text(name) == self._old.text(name):
                return Fate(Status.UNCHANGED, location, same=True)
            return Fate(Status.EDITED, location, why="the record has another text")
        same = self._with_text(self._old.text(name))
        if same:
            note = "has the same text"
            candidates = tuple(Candidate(Location.of_id(other), note=note) for other in same[:_SHOWN])
        else:
            candidates = tuple(
                Candidate(Location.of_id(other), note="has an id like it") for other in self._near(name)
            )
        more = max(0, len(same) - len(candidates))
        return Fate(
            Status.GONE,
            why="no record has this id",
            candidates=candidates,
            more=more,
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
        return get_close_matches(name, self._new.paths(), _SHOWN, _NEAR)
