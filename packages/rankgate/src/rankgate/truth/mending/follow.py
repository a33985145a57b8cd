"""What became of the text of a location: found by what was recorded of it, in the documents of today.

Sure is what can be only one place: the same lines, or the same words, where they were or once elsewhere; and
a section whose title alone is another. Everything else is proposed.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from rankgate.locations import Lines, Location
from rankgate.truth.drift.documents import Candidate, DriftStatus, LocationDrift
from rankgate.truth.drift.refinding import HALF, unpacked
from rankgate.truth.locations.corpus_reader import Span
from rankgate.truth.mending.names import LocationSpelling
from rankgate.truth.mending.proposals import Proposals
from rankgate.truth.mending.texts import digest_of, kept_part, node_of, span_of, title_rows, words_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.truth.anchor_records import TextRecord
    from rankgate.truth.locations.corpus_reader import CorpusReader
    from rankgate.truth.mending.texts import TextFinder

MANY_WORDS = 10
"""A single line of so many words, once then and once now, stands nowhere by chance."""

_STILL = "its name still finds it"


class Follower:
    """Follows locations in files, each by its record."""

    def __init__(
        self, reader: CorpusReader, finder: TextFinder, renames: Mapping[str, str] | None = None
    ) -> None:
        """Take the documents of today, and which files git says were renamed."""
        self._reader, self._finder = reader, finder
        self._spelling = LocationSpelling(reader, finder)
        self._proposals = Proposals(reader, finder, self._spelling, renames or {})

    def follow(self, location: Location, record: TextRecord) -> LocationDrift:
        """Find out what became of one location."""
        now = span_of(location, self._reader)
        if now is not None and self._same(now, record):
            found = self._standing(location, now, record)
            if found is not None:
                return found
        found = (
            self._elsewhere(location, now, record)
            or self._retitled(location, now, record)
            or self._rewrapped(location, record)
        )
        return found or self._proposals.of(location, now, record)

    def follow_name(self, location: Location, record: TextRecord) -> LocationDrift:
        """Return what has a name like that of a location of whose text nothing is known."""
        return self._proposals.of(location, None, record)

    def respelt(self, like: Location, place: Location) -> Location:
        """Write the whole name of a section or a symbol with no more names than are clear."""
        node = node_of(place, self._reader)
        return (node and self._spelling.named(like, str(place.path), node)) or place

    def _same(self, span: Span, record: TextRecord) -> bool:
        """Check whether some lines are the text, however indented or cut into lines."""
        document = self._finder.of(span.path)
        first, behind = document.rows(span.start, span.end)
        if digest_of(document.codes[first:behind]) == record.digest:
            return True
        text = self._reader.text_of(span.path).between(span.start, span.end)
        return words_of(text) == record.words

    def _standing(self, location: Location, now: Span, record: TextRecord) -> LocationDrift | None:
        """Return what is known of a location that still has its text; None where it may be a copy."""
        moved = (now.path, now.start) != (record.path, record.start)
        named = location.lines is None
        node = node_of(location, self._reader)
        if named and (node is None or node.path == record.name):
            # A whole name with one text: copies elsewhere do not matter.
            return _sure(location, now, _STILL if moved else "", moved=moved)
        codes = unpacked(record.lines)
        if record.copies == 1 and len(self._finder.everywhere(codes, record.digest, record.size)) <= 1:
            return _sure(location, now, _STILL if moved else "", moved=moved)
        first, behind = self._finder.of(now.path).rows(now.start, now.end)
        before, after = self._finder.agreement(now.path, first, behind - first, record)
        whole = before == len(unpacked(record.before)) and after == len(unpacked(record.behind))
        return _sure(location, now, "", moved=moved) if whole else None

    def _elsewhere(self, location: Location, now: Span | None, record: TextRecord) -> LocationDrift | None:
        """Follow lines that stand as they were; None where they do not, or were written into more."""
        codes = unpacked(record.lines)
        places = self._finder.everywhere(codes, record.digest, record.size)
        length = record.end - record.start + 1
        spans = [self._finder.span(path, row, record.size, length) for path, row in places]
        if location.lines is None and now is not None:
            # What the name means has grown around the text, or is what it was cut from: both are edits.
            spans = [span for span in spans if not now.overlaps(span)]
        written = [(span, self._spelling.exact(location, span)) for span in spans]
        found = [(span, one) for span, one in written if one is not None]
        if not found:
            return None
        span, one = found[0]
        solid = self._solid(places[0], record, record.copies)
        # Under its title, a line that is long enough is as good as several.
        if location.heading and record.title and record.size - record.title == 1:
            solid = solid or self._long(places[0][0], places[0][1] + record.title)
        if len(spans) == record.copies == 1 and solid:
            rival = self._rival(location, now, span, record)
            if rival is None:
                return _sure(one, span, "", moved=True)
            why = f"the text that was judged stands at '{one}', and most of it at '{rival}'"
            both = (Candidate(one, note="every line"), Candidate(rival, note="edited where it was"))
            return LocationDrift(DriftStatus.AMBIGUOUS, why=why, candidates=both)
        return self._several(location, found, record, len(spans))

    def _solid(self, place: tuple[str, int], record: TextRecord, copies: int) -> bool:
        """Check that lines are no single one, nor two, that may stand anywhere by chance."""
        if record.size > 2:
            return True
        path, row = place
        before, after = self._finder.agreement(path, row, record.size, record)
        needed = 2 if record.size == 1 and path != record.path else 1
        return copies == 1 and before + after >= needed

    def _long(self, path: str, row: int) -> bool:
        """Check whether a line has so many words that nobody writes it twice."""
        number = int(self._finder.of(path).numbers[row])
        return len(re.findall(r"\w+", self._reader.lines(path)[number - 1])) >= MANY_WORDS

    def _rival(
        self, location: Location, now: Span | None, found: Span, record: TextRecord
    ) -> Location | None:
        """Return where most of a text stands that was edited where it was, beside a copy as it was."""
        if location.lines is None:
            if now is not None and self._held(now, record) >= HALF * record.size:
                return location
            return None
        if not self._finder.has(record.path) or found.path == record.path:
            return None
        for held in self._finder.left(record):
            if held.span.path == record.path and len(held.rows) >= HALF * record.size:
                return Location(path=held.span.path, lines=Lines(held.span.start, held.span.end))
        return None

    def _held(self, span: Span, record: TextRecord) -> int:
        """Count the lines of a text that stand among some lines."""
        document = self._finder.of(span.path)
        first, behind = document.rows(span.start, span.end)
        there = Counter(document.codes[first:behind].tolist())
        return sum((Counter(unpacked(record.lines).tolist()) & there).values())

    def _several(
        self, location: Location, found: list[tuple[Span, Location]], record: TextRecord, places: int
    ) -> LocationDrift:
        scored = []
        for span, one in found:
            first, behind = self._finder.of(span.path).rows(span.start, span.end)
            agreed = sum(self._finder.agreement(span.path, first, behind - first, record))
            same = one == location
            scored.append((-agreed, not same, span.path != record.path, span, one))
        scored.sort(key=lambda each: each[:4])
        candidates = tuple(
            Candidate(one, note=f"every line, {-agreed} around it unchanged" if agreed else "every line")
            for agreed, _, _, _, one in scored[:5]
        )
        now = f"stands in {places} locations" if places > 1 else "stands in one location"
        before = f"stood in {record.copies}" if record.copies > 1 else "stood in one"
        why = f"the text that was judged {now} now and {before}"
        if places == record.copies == 1:
            lines = "one line" if record.size == 1 else f"{record.size} lines"
            why = f"{lines} may stand there by chance: too few of those around are left"
        return LocationDrift(
            DriftStatus.AMBIGUOUS, why=why, candidates=candidates, more=len(found) - len(candidates)
        )

    def _retitled(self, location: Location, now: Span | None, record: TextRecord) -> LocationDrift | None:
        """Follow a section whose title is another and whose text below it is as it was."""
        if not location.heading or not record.title or record.size > len(unpacked(record.lines)):
            return None
        body = unpacked(record.lines)[record.title :]
        places = self._finder.everywhere(kept_part(body), digest_of(body), len(body))
        if len(places) != 1 or record.bodies != 1 or self._finder.stands(unpacked(record.lines)[0]):
            # Where the old title stands somewhere, it may have gone there without its text.
            return None
        path, row = places[0]
        document = self._finder.of(path)
        lines = self._reader.lines(path)
        for node, there in self._spelling.nodes(location, path):
            first, behind = document.rows(there.start, there.end)
            if (first + title_rows(lines, node), behind) != (row, row + len(body)):
                continue
            one = self._spelling.named(location, path, node)
            agreed = self._finder.agreement(path, first, behind - first, record)
            still = now is not None and now != there
            solid = len(body) > 1 or self._long(path, row) or (path == record.path and all(agreed))
            if one is None or still or not solid:
                return None
            return _sure(one, there, "another heading, and its text below as it was", moved=True)
        return None

    def _rewrapped(self, location: Location, record: TextRecord) -> LocationDrift | None:
        """Follow lines whose words stand between the same neighbours, cut into lines anew."""
        if location.lines is None or not self._finder.has(record.path):
            return None
        before, behind = unpacked(record.before), unpacked(record.behind)
        document = self._finder.of(record.path)
        listed = document.codes.tolist()
        if not len(before) or not len(behind):
            return None
        if listed.count(int(before[-1])) != 1 or listed.count(int(behind[0])) != 1:
            return None
        first, last = listed.index(int(before[-1])) + 1, listed.index(int(behind[0])) - 1
        if first > last:
            return None
        span = Span(record.path, int(document.numbers[first]), int(document.numbers[last]))
        if words_of(self._reader.text_of(span.path).between(span.start, span.end)) != record.words:
            return None
        one = Location(path=span.path, lines=Lines(span.start, span.end))
        return _sure(one, span, "the same words on other lines", moved=True)


def _sure(location: Location, span: Span, why: str, *, moved: bool) -> LocationDrift:
    status = DriftStatus.MOVED if moved else DriftStatus.UNCHANGED
    return LocationDrift(status, location, span, why, same=True)
