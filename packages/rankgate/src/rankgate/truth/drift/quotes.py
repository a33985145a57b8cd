"""What became of a passage that is named by its words, which find it wherever it went."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.truth.anchors import anchor_of
from rankgate.truth.drift.documents import Candidate, DriftStatus, LocationDrift
from rankgate.truth.locations.lookup import MissReason, Spot

if TYPE_CHECKING:
    from rankgate.model.locations import Location
    from rankgate.truth.locations.corpus_reader import CorpusReader


def quote_drift(location: Location, old: CorpusReader, new: CorpusReader) -> LocationDrift:
    """Find out what became of a quote; it stands in the old corpus.

    Nothing is ever written for one: either its words still find it, or a person has to look.
    """
    was, now = old.find(location), new.find(location)
    if not isinstance(was, Spot) or not isinstance(now, Spot):
        return _lost(location, new)
    span = new.span(location)
    if anchor_of(old.text(was) or "") != anchor_of(new.text(now) or ""):
        same = "the same words, written otherwise"
        why = same if now.share == 1 else f"{now.share:.0%} of its words are left"
        return LocationDrift(DriftStatus.EDITED, location, span, why)
    if len(now.copies) > len(was.copies):
        why = f"the same words stand in {len(now.every)} locations now, and any of them counts"
        return LocationDrift(DriftStatus.AMBIGUOUS, location, span, why, same=True)
    if was.fields() == now.fields():
        return LocationDrift(DriftStatus.UNCHANGED, location, span, same=True)
    return LocationDrift(DriftStatus.MOVED, location, span, "its words still find it", same=True)


def _lost(location: Location, new: CorpusReader) -> LocationDrift:
    found = new.find(location)
    if not isinstance(found, Spot) and found.why is MissReason.SEVERAL_QUOTES:
        why = f"its words stand in {found.near} now"
        return LocationDrift(DriftStatus.AMBIGUOUS, why=why, stands=False)
    elsewhere = new.find(replace(location, path=None)) if location.path is not None else found
    if isinstance(elsewhere, Spot):
        places = tuple(Candidate(replace(location, path=one.path)) for one in elsewhere.every)
        why = "its words stand in another file: correct its path"
        return LocationDrift(DriftStatus.EDITED, places[0].location, why=why, candidates=places, stands=False)
    return LocationDrift(DriftStatus.GONE, why="its words are gone", stands=False)
