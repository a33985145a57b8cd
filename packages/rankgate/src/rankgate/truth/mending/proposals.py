"""Where an edited text may be now: ranked by its lines that are left, by names, and by git's renames."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rankgate.locations import Lines, Location
from rankgate.truth.drift.documents import Candidate, DriftStatus, LocationDrift
from rankgate.truth.drift.refinding import HALF, unpacked
from rankgate.truth.mending.namesakes import Likeness, Namesakes, folded, folded_name, nearness
from rankgate.truth.mending.texts import Held, span_of
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rankgate.truth.anchor_records import TextRecord
    from rankgate.truth.locations.corpus_reader import CorpusReader, Span
    from rankgate.truth.mending.names import LocationSpelling
    from rankgate.truth.mending.texts import TextFinder

SHOWN = 5
"""How many places are proposed."""
_NAME, _RENAME, _FILE, _LIKE, _STANDS = 0.15, 0.1, 0.05, 0.05, 0.1
_WHOLE = 0.8
_GROWN = 2
"""How many times its size a text may have grown to."""
_PIECE = 2
"""How many lines that no other piece has make a piece."""


@dataclass(frozen=True, slots=True)
class _Place:
    location: Location
    span: Span
    rows: frozenset[int]
    score: float
    note: str


class Proposals:
    """Ranks places for texts that stand nowhere as they were."""

    def __init__(
        self, reader: CorpusReader, finder: TextFinder, spelling: LocationSpelling, renames: Mapping[str, str]
    ) -> None:
        """Take the documents of today, and which files git says were renamed."""
        self._reader, self._finder, self._spelling, self._renames = reader, finder, spelling, renames
        self._namesakes = Namesakes(reader)

    def of(self, location: Location, now: Span | None, record: TextRecord) -> LocationDrift:
        """Return what may have become of a location."""
        places = self._ranked(location, now, record)
        held = max((len(place.rows) for place in places), default=0)
        candidates = tuple(
            Candidate(place.location, note=place.note or "a name like it", by_name=not place.note)
            for place in places[:SHOWN]
        )
        stands = now is not None
        if pieces := self._pieces(places, record):
            return LocationDrift(
                DriftStatus.SPLIT,
                why=f"its lines stand in {pieces} locations",
                candidates=candidates,
                stands=stands,
            )
        if held >= HALF * record.size and held:
            first = places[0]
            why = f"{len(first.rows)} of its {many(record.size, 'line')} left"
            if len(first.rows) >= record.size:
                why = "all of its lines, with others among or around them"
            here = first.location if first.location == location else None
            return LocationDrift(
                DriftStatus.EDITED, here, first.span, why, candidates=candidates, stands=stands
            )
        has = self._finder.has(record.path)
        gone = "the text is gone" if has else self._reader.absence(record.path)
        if stands and location.lines is None:
            gone = "another text has its name"
        why = f"{gone}; {held} of its {many(record.size, 'line')} left" if held else gone
        return LocationDrift(DriftStatus.GONE, why=why, candidates=candidates, stands=stands)

    def _ranked(self, location: Location, now: Span | None, record: TextRecord) -> list[_Place]:
        found: dict[Location, _Place] = {}
        for place in self._places(location, now, record):
            known = found.get(place.location)
            if known is None or place.score > known.score:
                found[place.location] = place
        if not any(len(place.rows) >= HALF * record.size > 0 for place in found.values()):
            for place in self._anywhere(location, record):
                found.setdefault(place.location, place)
        return sorted(found.values(), key=lambda one: (-one.score, one.span))

    def _anywhere(self, location: Location, record: TextRecord) -> Iterator[_Place]:
        """Go through sections and symbols of all files that have a name like that of a location."""
        if not location.heading and location.symbol is None:
            return
        for path, node in self._namesakes.like(location, record.path, SHOWN):
            one = self._spelling.named(location, path, node)
            if one is not None:
                span = self._spelling.span(location, path, node)
                yield self._place(location, one, span, self._inside(span, [], record), record)

    def _places(self, location: Location, now: Span | None, record: TextRecord) -> Iterator[_Place]:
        left = self._finder.left(record)
        for held in left:
            written = self._spelling.nearest(location, held.span, held.rows)
            # A file that cannot be outlined has no names, so that its lines are all there is to propose.
            here = Location(path=held.span.path, lines=Lines(held.span.start, held.span.end))
            one, span = written or (here, held.span)
            inside = frozenset(row for row in held.rows if span.start <= row <= span.end)
            yield self._place(location, one, span, inside, record)
        if location.lines is None:
            for one, span in self._by_name(location, now, record):
                yield self._place(location, one, span, self._inside(span, left, record), record)

    def _by_name(
        self, location: Location, now: Span | None, record: TextRecord
    ) -> Iterator[tuple[Location, Span]]:
        """Go through what has the name of a location or one like it, in its file and where that went."""
        if now is not None:
            yield location, now
        renamed = self._renames.get(record.path)
        paths = [
            record.path,
            *([] if renamed is None else [renamed]),
            *self._namesakes.same_file(record.path, 3),
        ]
        for path in filter(self._reader.has, dict.fromkeys(paths)):
            if location.heading or location.symbol is not None:
                like = Likeness(folded_name(location))
                for node, span in self._spelling.nodes(location, path):
                    if like.to(folded(node.path[-1])) and (one := self._spelling.named(location, path, node)):
                        yield one, span
            elif (there := span_of(replace(location, path=path), self._reader)) is not None:
                yield replace(location, path=path), there

    def _inside(self, span: Span, left: list[Held], record: TextRecord) -> frozenset[int]:
        """Return the lines of a text that are left in a place."""
        document = self._finder.of(span.path)
        first, behind = document.rows(span.start, span.end)
        if behind - first > _GROWN * record.size:
            # In a long section lines that stand everywhere would be found one by one.
            for held in left:
                inside = frozenset(row for row in held.rows if span.start <= row <= span.end)
                if held.span.path == span.path and inside:
                    return inside
        # Those in their order may lie in a copy that is much alike, so that each is counted by itself, as
        # often as the text has it.
        wanted = Counter(unpacked(record.lines).tolist())
        found = []
        for row in range(first, behind):
            code = int(document.codes[row])
            if wanted[code] > 0:
                wanted[code] -= 1
                found.append(int(document.numbers[row]))
        return frozenset(found)

    def _pieces(self, places: list[_Place], record: TextRecord) -> int:
        """Return in how many places that lie apart a text stands together; 0 where one has most of it.

        A line that stands in several places is held once: what is repeated everywhere is no piece.
        """
        if not places or len(places[0].rows) >= _WHOLE * record.size:
            return 0
        apart: list[_Place] = []
        left, pieces = Counter(unpacked(record.lines).tolist()), 0
        for place in places:
            if any(place.span.overlaps(one.span) for one in apart):
                continue
            apart.append(place)
            there = self._codes(place) & left
            if there.total() >= _PIECE:
                left -= there
                pieces += 1
        return pieces if pieces > 1 and left.total() <= (1 - _WHOLE) * record.size else 0

    def _codes(self, place: _Place) -> Counter[int]:
        """Count the lines of a text that a place holds, by their hashes."""
        document = self._finder.of(place.span.path)
        first, behind = document.rows(place.span.start, place.span.end)
        numbers = document.numbers[first:behind].tolist()
        codes = document.codes[first:behind].tolist()
        return Counter(code for number, code in zip(numbers, codes, strict=True) if number in place.rows)

    def _place(
        self, old: Location, location: Location, span: Span, rows: frozenset[int], record: TextRecord
    ) -> _Place:
        notes = []
        same_name = folded_name(old) == folded_name(location) and folded_name(old) != ""
        # A title is the name, which has its own weight: in another markup it is another line.
        title = record.title if same_name else 0
        score = max(0, len(rows) - title) / max(1, record.size - title)
        if rows:
            notes.append(f"{len(rows)} of {many(record.size, 'line')}")
        if folded_name(old) and folded_name(location):
            score += _LIKE * Likeness(folded_name(old)).to(folded_name(location))
        if same_name:
            score += _NAME
            notes.append("the same name")
        if self._renames.get(record.path) == span.path:
            score += _RENAME
            notes.append("git says the file was renamed")
        else:
            score += _FILE * nearness(record.path, span.path)
        if location == old:
            score += _STANDS
        return _Place(location, span, rows, score, ", ".join(notes))
