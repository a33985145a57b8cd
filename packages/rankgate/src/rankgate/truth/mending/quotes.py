"""What became of a passage that is named by its words, which find it wherever it went."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.truth.anchors import anchor_of
from rankgate.truth.drift.documents import Candidate, DriftStatus, LocationDrift
from rankgate.truth.locations.lookup import MissReason, Spot

if TYPE_CHECKING:
    from rankgate.locations import Location
    from rankgate.truth.locations.corpus_reader import CorpusReader


def follow_quote(location: Location, then: str | None, today: CorpusReader) -> LocationDrift:
    """Find out what became of a quote.

    Args:
        location: The quote.
        then: The anchor of what stood there, where it is known.
        today: The documents of today.
    """
    now = today.find(location)
    if isinstance(now, Spot):
        if now.share == 1 or then == anchor_of(today.text(now) or ""):
            return LocationDrift(DriftStatus.UNCHANGED, location, today.span(location), same=True)
        why = f"{now.share:.0%} of its words are left"
        here = Candidate(location, note=why)
        return LocationDrift(DriftStatus.EDITED, location, today.span(location), why, (here,))
    if now.why is MissReason.SEVERAL_QUOTES:
        why = f"its words stand in {now.near} now"
        return LocationDrift(DriftStatus.AMBIGUOUS, why=why, stands=False)
    anywhere = replace(location, path=None, start_char=None)
    elsewhere = today.find(anywhere) if location.path is not None else now
    if not isinstance(elsewhere, Spot):
        return LocationDrift(DriftStatus.GONE, why="its words are gone", stands=False)
    places = tuple(
        Candidate(replace(anywhere, path=path), note=f"{elsewhere.share:.0%} of its words")
        for path in dict.fromkeys(one.path for one in elsewhere.every)
    )
    if len(elsewhere.every) == 1 and elsewhere.share == 1:
        why = "its words stand in another file, once"
        return LocationDrift(DriftStatus.MOVED, places[0].location, why=why, stands=False, same=True)
    why = "its words stand in another file"
    return LocationDrift(DriftStatus.AMBIGUOUS, why=why, candidates=places, stands=False)
