"""What became of every target of a suite: each different location once, with all that names it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from rankgate.progress import counted_steps, steps
from rankgate.truth.anchor_records import TextRecord
from rankgate.truth.anchors import anchor_of
from rankgate.truth.drift.documents import Candidate, DriftStatus, LocationDrift, RecordDrift
from rankgate.truth.locations.corpus_reader import CorpusReader
from rankgate.truth.locations.lookup import Spot
from rankgate.truth.locations.probe_plan import named_locations
from rankgate.truth.mending.by_anchor import follow as follow_anchors
from rankgate.truth.mending.follow import Follower
from rankgate.truth.mending.quotes import follow_quote
from rankgate.truth.mending.texts import TextFinder, record_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.locations import Location
    from rankgate.model import Suite
    from rankgate.truth.anchors import Anchors
    from rankgate.truth.locations.probe_plan import NamedLocation


@dataclass(frozen=True, slots=True)
class TargetChange:
    """One location of a suite, and what became of it."""

    location: Location
    """The location as it is written."""
    owners: tuple[NamedLocation, ...]
    """The cases, steps and invariants that name it."""
    drift: LocationDrift
    """What became of it."""
    known: bool = True
    """False where nothing was known of its text."""
    record: TextRecord | None = None
    """What its text was followed by, from its anchor or from the documents as they were."""

    @property
    def cases(self) -> tuple[str, ...]:
        """The cases that name it."""
        return tuple(each.case for each in self.owners if each.case is not None)

    @property
    def sure(self) -> bool:
        """True where nobody has to decide."""
        return self.drift.status.proven

    @property
    def stands(self) -> bool:
        """True where a text was edited, and its name still finds it before any other place."""
        return self.drift.status is DriftStatus.EDITED and self.drift.location == self.location

    @property
    def moves(self) -> bool:
        """True where it is sure that the suite should name another location."""
        return self.sure and self.drift.location not in (None, self.location)


@dataclass(frozen=True, slots=True, eq=False)
class MendPlan:
    """What became of all of them."""

    targets: tuple[TargetChange, ...]
    """In the order of the suite, cases first."""
    ids: int = 0
    """How many opaque ids there are beside them, which are no locations and were not checked."""

    @property
    def counts(self) -> Mapping[DriftStatus, int]:
        """Count the locations by what became of them."""
        found = Counter(each.drift.status for each in self.targets)
        return {status: found[status] for status in DriftStatus}

    @property
    def open(self) -> tuple[TargetChange, ...]:
        """List what a person must decide."""
        return tuple(each for each in self.targets if not each.sure)

    @property
    def moved(self) -> tuple[TargetChange, ...]:
        """List what is sure to have moved to another location."""
        return tuple(each for each in self.targets if each.moves)


class Documents:
    """The documents of one state, read as far as they are needed."""

    def __init__(self, corpus: Corpus) -> None:
        """Take the corpus."""
        self.corpus = corpus
        self.reader = CorpusReader(corpus)
        """Their texts."""

    @cached_property
    def finder(self) -> TextFinder:
        """What finds texts by the hashes of their lines."""
        paths = steps(self.corpus.paths(), "reading documents")
        return TextFinder((path, self.corpus.text(path)) for path in paths)

    def record(self, location: Location) -> TextRecord | None:
        """Return what finds the text of a location again; None for ids, quotes and what is not there."""
        if self.corpus.records or location.id is not None or location.quote is not None:
            return None
        return record_of(location, self.reader, self.finder)


def find_changes(
    suite: Suite,
    today: Documents,
    anchors: Anchors,
    old: Documents | None = None,
    renames: Mapping[str, str] | None = None,
) -> MendPlan:
    """Find out what became of every target, `top`, and location of a scenario or an invariant.

    Args:
        suite: The suite.
        today: The documents as they are.
        anchors: What was recorded of the texts.
        old: The documents as they were when they were judged, where they can be had.
        renames: Which files git says were renamed since.
    """
    owners: dict[Location, list[NamedLocation]] = {}
    ids = 0
    for each in named_locations(suite):
        if each.location.id is not None and not today.corpus.records:
            ids += 1
        else:
            owners.setdefault(each.location, []).append(each)
    finding = _Finding(today, anchors, old, renames or {})
    found: list[TargetChange] = []
    for location, named in counted_steps(owners.items(), "looking for targets", len(owners)):
        found.append(finding.change(location, tuple(named)))
    return MendPlan(tuple(finding.by_anchor(found)), ids)


class _Finding:
    """Finds locations by the best that is known of each."""

    def __init__(
        self,
        today: Documents,
        anchors: Anchors,
        old: Documents | None,
        renames: Mapping[str, str],
    ) -> None:
        self._today, self._anchors, self._old = today, anchors, old
        self._renames = renames
        self._anchored: dict[Location, str] = {}

    @cached_property
    def _follower(self) -> Follower:
        return Follower(self._today.reader, self._today.finder, self._renames)

    def change(self, location: Location, owners: tuple[NamedLocation, ...]) -> TargetChange:
        """Return what became of one location."""
        then = self._judged(location, owners)
        if self._today.corpus.records:
            return TargetChange(location, owners, self._record(location, then), then is not None)
        if location.quote is not None:
            drift = follow_quote(location, then, self._today.reader)
            return TargetChange(location, owners, drift, then is not None)
        record = self._recorded(location, owners, then)
        if record is not None:
            same = (record.corpus or self._anchors.fingerprint) == self._today.corpus.fingerprint
            if same and record is self._anchors.texts.get(location.whole):
                return TargetChange(
                    location, owners, LocationDrift(DriftStatus.UNCHANGED, location, same=True)
                )
            return TargetChange(location, owners, self._follower.follow(location, record), record=record)
        if then is not None and then != self._now(location):
            # Looked for together with the others, which takes one reading of the corpus.
            self._anchored[location] = then
        return TargetChange(location, owners, self._by_name(location, then), then is not None)

    def by_anchor(self, found: Iterable[TargetChange]) -> Iterable[TargetChange]:
        """Look for the texts of which only the anchor is known."""
        matches = follow_anchors(self._today.reader, self._anchored)
        for each in found:
            places = matches.locations.get(each.location, ())
            if len(places) == 1 and matches.complete:
                now = self._follower.respelt(each.location, places[0])
                drift = LocationDrift(DriftStatus.MOVED, now, same=True)
                yield replace(each, drift=drift)
            elif places:
                why = f"the text that was judged stands in {len(places)} locations"
                found_there = (self._follower.respelt(each.location, one) for one in places[:5])
                some = tuple(Candidate(one, note="every line") for one in found_there)
                drift = LocationDrift(
                    DriftStatus.AMBIGUOUS, why=why, candidates=some, more=len(places) - len(some)
                )
                yield replace(each, drift=drift)
            else:
                yield each

    def _judged(self, location: Location, owners: Sequence[NamedLocation]) -> str | None:
        """Return the anchor of a location, of the first case that has one."""
        for each in owners:
            if each.case is not None:
                found = self._anchors.get(each.case, location.whole)
                if found is not None:
                    return found
        return None

    def _recorded(
        self, location: Location, owners: Sequence[NamedLocation], then: str | None
    ) -> TextRecord | None:
        for each in owners:
            if each.case is not None and (kept := self._anchors.record(each.case, location.whole)):
                return kept
        found = None if self._old is None else self._old.record(location)
        # An old state that has another text there is not the one that was judged.
        return found if found is not None and then in (None, found.text) else None

    def _now(self, location: Location) -> str | None:
        spot = self._today.reader.find(location)
        text = self._today.reader.text(spot) if isinstance(spot, Spot) else None
        return None if text is None else anchor_of(text)

    def _record(self, location: Location, then: str | None) -> LocationDrift:
        """Return what became of a record of a corpus of records, which is known by its id."""
        name = str(location.id)
        if name in self._today.corpus:
            if then in (None, anchor_of(self._today.corpus.text(name))):
                return LocationDrift(DriftStatus.UNCHANGED, location, same=True)
            return LocationDrift(
                DriftStatus.EDITED,
                location,
                why="the record has another text",
                candidates=(Candidate(location, note="the same id"),),
            )
        if self._old is not None and name in self._old.corpus:
            return RecordDrift(self._old.corpus, self._today.corpus).drift(location, name)
        return LocationDrift(DriftStatus.GONE, why="no record has this id", stands=False)

    def _by_name(self, location: Location, then: str | None) -> LocationDrift:
        """Return what is known of a location by its name and, at most, the anchor of its text."""
        spot = self._today.reader.find(location)
        if isinstance(spot, Spot):
            if then is None or then == self._now(location):
                return LocationDrift(DriftStatus.UNCHANGED, location, same=True)
            here = (Candidate(location, note="the same name, another text"),)
            return LocationDrift(
                DriftStatus.EDITED, location, why="the text under its name changed", candidates=here
            )
        nothing = TextRecord("", location.path or "", 1, 1, size=0)
        drift = self._follower.follow_name(location, nothing)
        _, expected, _ = self._today.reader.lookup.explain(location, spot, near=False)
        known = "" if then is not None else "; nothing was recorded of its text"
        return replace(drift, why=f"it is no longer {expected}{known}", stands=False)
