"""Follow the targets of a suite through changes of the documents.

`find_changes` compares each location with what is known of its text: a record in the file of anchors, the
documents as they were, or an anchor alone. `Follower` finds out what happened to one text:

1. It is where it was, or its name still finds it.
2. The same lines are in exactly one other place.
3. Only its heading is another, or the same words are cut into other lines.
4. Otherwise places are proposed and ranked: by the lines that are left, by names, and by git's renames.

Only 1 to 3 are proven, and `rankgate suite fix` writes them. The same lines in several places are ambiguous.
`follow_ranges` does the same for the results of a baseline, of which only a hash per range is known.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from enum import StrEnum
from functools import cached_property
from pathlib import PurePosixPath
from typing import NamedTuple

import numpy as np

from rankgate.corpora.corpus import Corpus
from rankgate.errors import LocationError
from rankgate.locations import Lines, Location
from rankgate.model import Suite
from rankgate.outline import OutlineNode, own_end
from rankgate.progress import counted_steps, steps
from rankgate.truth.anchors import Anchors, TextRecord, anchor_of, compare, updated
from rankgate.truth.lookup import CorpusReader, Miss, MissReason, Span, Spot
from rankgate.truth.resolve import NamedLocation, named_locations
from rankgate.truth.textsearch import (
    Codes,
    HashedLines,
    LineHashes,
    LineIndex,
    Range,
    common_rows,
    packed,
    unpacked,
)
from rankgate.wording import many

SHOWN = 5
"""The most places that are proposed."""
MOST_FILES = 500
"""The files of a corpus in which similar names are looked for. In a larger one, names must be the same."""
_MOST_LINES = 400
"""The most hashes that are stored for a text. A longer text has its first and last lines stored."""
_AROUND = 2
"""The lines before and after a text that are stored with it."""
_HALF = 0.5
"""The part of its lines that an edited text must still have."""
_LEAST = 0.3
"""The part of its lines that a place must have to be proposed."""
_WHOLE = 0.8
_LIKELY = 5
"""The documents that are searched for an edited text."""
_RARE = 8
"""The places from which on a line does not select a document."""
_MANY_WORDS = 10
"""The words that a single line needs to be in no place by chance."""
_SIMILAR = 0.65
_UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}")
_PAGES = (".htm", ".html", ".markdown", ".md", ".mdx", ".rest", ".rst", ".txt")


class DriftStatus(StrEnum):
    """What happened to a location. `unchanged` and `moved` are proven, the others need a decision."""

    UNCHANGED = "unchanged"
    """The same text at the same location."""
    MOVED = "moved"
    """The same text at another location, and only there, or on other lines under the same name."""
    EDITED = "edited"
    """Another text at a known location."""
    SPLIT = "split"
    """The text in two or more places that are apart."""
    AMBIGUOUS = "ambiguous"
    """The same text in several locations, before or now."""
    GONE = "gone"

    @property
    def proven(self) -> bool:
        """Whether no decision is needed."""
        return self in (DriftStatus.UNCHANGED, DriftStatus.MOVED)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A location that is proposed."""

    location: Location
    note: str = ""
    """The evidence for it."""
    by_name: bool = False
    """Whether a similar name is all the evidence."""


@dataclass(frozen=True, slots=True)
class LocationDrift:
    """What happened to one location."""

    status: DriftStatus
    location: Location | None = None
    """The location that the suite should name now; a suggestion if the status is not proven."""
    why: str = ""
    candidates: tuple[Candidate, ...] = ()
    """The locations that are proposed, or the pieces of a text that was split; the best first."""
    more: int = 0
    """The number of candidates that are not listed."""


@dataclass(frozen=True, slots=True)
class TargetChange:
    """A location of a suite, and what happened to it."""

    location: Location
    """The location as it is written."""
    owners: tuple[NamedLocation, ...]
    """The cases, steps and invariants that name it."""
    drift: LocationDrift
    known: bool = True
    """Whether anything was known of its text."""
    record: TextRecord | None = None
    """What its text was followed by, from its anchor or from the documents as they were."""

    @property
    def cases(self) -> tuple[str, ...]:
        """The cases that name it."""
        return tuple(each.case for each in self.owners if each.case is not None)

    @property
    def sure(self) -> bool:
        """Whether no decision is needed."""
        return self.drift.status.proven

    @property
    def stands(self) -> bool:
        """Whether the text was edited in place: its location is also the first proposal."""
        return self.drift.status is DriftStatus.EDITED and self.drift.location == self.location

    @property
    def moves(self) -> bool:
        """Whether it is proven that the suite should name another location."""
        return self.sure and self.drift.location not in (None, self.location)


@dataclass(frozen=True, slots=True, eq=False)
class MendPlan:
    """What happened to all locations of a suite."""

    targets: tuple[TargetChange, ...]
    """In the order of the suite, cases first."""
    ids: int = 0
    """The number of opaque ids beside them, which can't be checked."""

    @property
    def counts(self) -> Mapping[DriftStatus, int]:
        """The number of locations by status."""
        found = Counter(each.drift.status for each in self.targets)
        return {status: found[status] for status in DriftStatus}

    @property
    def open(self) -> tuple[TargetChange, ...]:
        """The locations that need a decision."""
        return tuple(each for each in self.targets if not each.sure)

    @property
    def moved(self) -> tuple[TargetChange, ...]:
        """The locations that are proven to have moved to another location."""
        return tuple(each for each in self.targets if each.moves)


# ---- records of texts


class Documents:
    """The documents of one state, indexed when they are first searched."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.reader = CorpusReader(corpus)

    @cached_property
    def lines(self) -> LineIndex:
        """The hashed lines of all documents."""
        paths = steps(self.corpus.paths(), "reading documents")
        return LineIndex((path, self.corpus.text(path)) for path in paths)

    def record(self, location: Location) -> TextRecord | None:
        """Return what finds the text of a location again; None for ids, quotes and missing locations."""
        if self.corpus.records or location.id is not None or location.quote is not None:
            return None
        span = span_of(location, self.reader)
        if span is None or span.path not in self.lines.documents:
            return None
        document = self.lines.documents[span.path]
        first, behind = document.rows(span.start, span.end)
        codes = document.codes[first:behind]
        node = self.node(location)
        title = 0 if node is None else min(_title_rows(self.reader.lines(span.path), node), len(codes))
        text = self.reader.text_of(span.path).between(span.start, span.end)
        return TextRecord(
            anchor_of(text),
            span.path,
            span.start,
            span.end,
            size=len(codes),
            name=() if node is None else node.path,
            title=title,
            digest=_digest(codes),
            words=_words_digest(text),
            lines=packed(_stored(codes)),
            before=packed(document.codes[max(0, first - _AROUND) : first]),
            behind=packed(document.codes[behind : behind + _AROUND]),
            copies=max(1, len(self.everywhere(codes))),
            bodies=max(1, len(self.everywhere(codes[title:]))) if title else 1,
        )

    def node(self, location: Location) -> OutlineNode | None:
        """Return the section or symbol that a location names."""
        named = bool(location.heading) or location.symbol is not None
        if not named or location.path is None or not self.reader.has(location.path):
            return None
        found = self.reader.lookup.node(location)
        return None if isinstance(found, Miss) else found

    def everywhere(self, codes: Codes, digest: str = "", size: int = 0) -> list[tuple[str, int]]:
        """Return each place of some lines; of a long text the stored ones, with its digest and size."""
        size, digest = size or len(codes), digest or _digest(codes)
        head = codes if size == len(codes) <= _MOST_LINES else codes[: _MOST_LINES // 2]
        return [
            (path, row)
            for path, row in self.lines.find(head)
            if _digest(self.lines.documents[path].codes[row : row + size]) == digest
        ]


def span_of(location: Location, reader: CorpusReader) -> Span | None:
    """Return the lines of a location in a file, or of a whole file; None if it is missing."""
    span, path = reader.span(location), location.path
    if span is None and path is not None and location == Location(path=path) and reader.has(path):
        return Span(path, 1, max(1, len(reader.lines(path))))
    return span


def updated_anchors(suite: Suite, documents: Documents, kept: Anchors | None) -> Anchors:
    """Return the anchors of a suite: with those of new targets, and without those of removed ones."""
    comparison = compare(suite, documents.reader, kept or Anchors())
    found = {each.location for each in comparison.locations if each.now is not None}
    texts = {one.whole: record for one in found if (record := documents.record(one)) is not None}
    return updated(comparison, suite, documents.corpus.fingerprint, kept=kept, texts=texts)


def _digest(codes: Codes) -> str:
    return hashlib.sha256(codes.astype("<u4").tobytes()).hexdigest()[:16]


def _words_digest(text: str) -> str:
    r"""Return the hash of the words of a text, however they are cut into lines.

    >>> _words_digest("Rotate the\n  key.") == _words_digest("Rotate\nthe key.\n")
    True
    """
    return hashlib.sha256(" ".join(text.split()).encode(errors="replace")).hexdigest()[:16]


def _stored(codes: Codes) -> Codes:
    half = _MOST_LINES // 2
    return codes if len(codes) <= _MOST_LINES else np.concatenate([codes[:half], codes[-half:]])


def _title_rows(lines: Sequence[str], node: OutlineNode) -> int:
    """Return the number of lines of a section's title, with its underline; 0 for a symbol."""
    if node.kind != "section":
        return 0
    words = set(re.findall(r"\w+", node.name.casefold()))
    for number, line in enumerate(lines[node.start - 1 : node.start + 2]):
        if words & set(re.findall(r"\w+", line.casefold())) or not words:
            at = node.start + number
            under = lines[at].strip() if at < len(lines) else ""
            return number + 1 + bool(_UNDERLINE.fullmatch(under))
    return 1


# ---- one text


class _Held(NamedTuple):
    """Lines of a text that are left near each other."""

    span: Span
    """From the first of them to the last, with edited lines at both ends."""
    rows: frozenset[int]
    """The numbers of the lines that are left."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A place that may be proposed."""

    location: Location
    span: Span
    rows: frozenset[int]
    score: float
    note: str


class Follower:
    """Follows texts into the documents of today, each by its record."""

    def __init__(self, today: Documents, renames: Mapping[str, str] | None = None) -> None:
        """Take the documents of today, and the files that git says were renamed."""
        self._today, self._reader, self._renames = today, today.reader, renames or {}
        self._names: dict[str, dict[str, list[tuple[str, OutlineNode]]]] = {}

    def follow(self, location: Location, record: TextRecord) -> LocationDrift:
        """Find out what happened to the text of one location."""
        now = span_of(location, self._reader)
        found = None if now is None else self._in_place(location, now, record)
        found = found or self._elsewhere(location, now, record) or self._renamed(location, now, record)
        return found or self._rewrapped(location, record) or self._proposed(location, now, record)

    def _in_place(self, location: Location, now: Span, record: TextRecord) -> LocationDrift | None:
        """Recognize a text that is where it was; None if it has changed, or if this may be a copy."""
        first, behind = self._document(now.path).rows(now.start, now.end)
        if _digest(self._document(now.path).codes[first:behind]) != record.digest:
            text = self._reader.text_of(now.path).between(now.start, now.end)
            if _words_digest(text) != record.words:
                return None
        if (now.path, now.start) == (record.path, record.start):
            here = LocationDrift(DriftStatus.UNCHANGED, location)
        else:
            here = LocationDrift(DriftStatus.MOVED, location, "its name still finds it")
        node = self._today.node(location)
        if location.lines is None and (node is None or node.path == record.name):
            # A whole name with one text: copies elsewhere do not matter.
            return here
        if record.copies == 1 and len(self._everywhere(record)) <= 1:
            return here
        around = self._agreement(now.path, first, behind - first, record)
        if around != (len(unpacked(record.before)), len(unpacked(record.behind))):
            return None
        return replace(here, why="")

    def _elsewhere(self, location: Location, now: Span | None, record: TextRecord) -> LocationDrift | None:
        """Follow lines that are the same elsewhere; None if they are not, or now are part of more."""
        places = self._everywhere(record)
        spans = [self._span(path, row, record) for path, row in places]
        if location.lines is None and now is not None:
            # What the name means has grown around the text, or was cut out of it: both are edits.
            spans = [span for span in spans if not now.overlaps(span)]
        found = [(span, one) for span in spans if (one := self._written(location, span)) is not None]
        if not found:
            return None
        span, one = found[0]
        if len(spans) != 1 or record.copies != 1 or not self._is_solid(location, places[0], record):
            return self._several(location, found, record, len(spans))
        rival: Location | None = None
        if location.lines is None:
            if now is not None and len(self._left_in(now, record)) >= _HALF * record.size:
                rival = location
        elif record.path in self._today.lines.documents and span.path != record.path:
            held = next((one for one in self._left(record) if one.span.path == record.path), None)
            if held is not None and len(held.rows) >= _HALF * record.size:
                rival = _lines(held.span)
        if rival is None:
            return LocationDrift(DriftStatus.MOVED, one)
        why = f"the text that was judged stands at '{one}', and most of it at '{rival}'"
        both = (Candidate(one, "every line"), Candidate(rival, "edited where it was"))
        return LocationDrift(DriftStatus.AMBIGUOUS, why=why, candidates=both)

    def _is_solid(self, location: Location, place: tuple[str, int], record: TextRecord) -> bool:
        """Check that one or two lines are not in a place by chance."""
        path, row = place
        if record.size > 2:
            return True
        # Below its heading, a long line is as good as several.
        one_line = bool(location.heading and record.title) and record.size - record.title == 1
        if one_line and self._is_long(path, row + record.title):
            return True
        needed = 2 if record.size == 1 and path != record.path else 1
        return sum(self._agreement(path, row, record.size, record)) >= needed

    def _several(
        self,
        location: Location,
        found: Sequence[tuple[Span, Location]],
        record: TextRecord,
        places: int,
    ) -> LocationDrift:
        """Propose the places of a text that is in several, those with its old neighbours first."""
        scored = []
        for span, one in found:
            first, behind = self._document(span.path).rows(span.start, span.end)
            agreed = sum(self._agreement(span.path, first, behind - first, record))
            scored.append((-agreed, one != location, span.path != record.path, span, one))
        scored.sort(key=lambda each: each[:4])
        candidates = tuple(
            Candidate(one, f"every line, {-agreed} around it unchanged" if agreed else "every line")
            for agreed, _, _, _, one in scored[:SHOWN]
        )
        if places == record.copies == 1:
            lines = "one line" if record.size == 1 else f"{record.size} lines"
            why = f"{lines} may stand there by chance: too few of those around are left"
        else:
            now = f"stands in {places} locations" if places > 1 else "stands in one location"
            before = f"stood in {record.copies}" if record.copies > 1 else "stood in one"
            why = f"the text that was judged {now} now and {before}"
        more = len(found) - len(candidates)
        return LocationDrift(DriftStatus.AMBIGUOUS, why=why, candidates=candidates, more=more)

    def _renamed(self, location: Location, now: Span | None, record: TextRecord) -> LocationDrift | None:
        """Follow a section with another heading and the same text below it."""
        codes = unpacked(record.lines)
        if not location.heading or not record.title or record.size > len(codes):
            return None
        body = codes[record.title :]
        places = self._today.everywhere(body)
        if len(places) != 1 or record.bodies != 1 or len(self._today.lines.places(int(codes[0]))):
            # If the old heading is somewhere, it may be there without its text.
            return None
        path, row = places[0]
        document, lines = self._document(path), self._reader.lines(path)
        for node, there in self._nodes(location, path):
            first, behind = document.rows(there.start, there.end)
            if (first + _title_rows(lines, node), behind) != (row, row + len(body)):
                continue
            one = self._named(location, path, node)
            same_page = path == record.path and all(self._agreement(path, first, behind - first, record))
            solid = len(body) > 1 or self._is_long(path, row) or same_page
            if one is None or now not in (None, there) or not solid:
                return None
            return LocationDrift(DriftStatus.MOVED, one, "another heading, and its text below as it was")
        return None

    def _rewrapped(self, location: Location, record: TextRecord) -> LocationDrift | None:
        """Follow lines whose words are between the same neighbours, cut into other lines."""
        before, behind = unpacked(record.before), unpacked(record.behind)
        document = self._today.lines.documents.get(record.path)
        if location.lines is None or document is None or not len(before) or not len(behind):
            return None
        listed = document.codes.tolist()
        if listed.count(int(before[-1])) != 1 or listed.count(int(behind[0])) != 1:
            return None
        first, last = listed.index(int(before[-1])) + 1, listed.index(int(behind[0])) - 1
        if first > last:
            return None
        span = Span(record.path, int(document.numbers[first]), int(document.numbers[last]))
        if _words_digest(self._reader.text_of(span.path).between(span.start, span.end)) != record.words:
            return None
        return LocationDrift(DriftStatus.MOVED, _lines(span), "the same words on other lines")

    # -- proposals

    def _proposed(self, location: Location, now: Span | None, record: TextRecord) -> LocationDrift:
        """Propose places for a text that was changed."""
        found: dict[Location, _Place] = {}
        for place in self._places(location, now, record):
            known = found.get(place.location)
            if known is None or place.score > known.score:
                found[place.location] = place
        if not any(len(place.rows) >= _HALF * record.size > 0 for place in found.values()):
            for place in self._namesakes(location, record):
                found.setdefault(place.location, place)
        places = sorted(found.values(), key=lambda one: (-one.score, one.span))
        candidates = tuple(
            Candidate(one.location, one.note or "a name like it", by_name=not one.note)
            for one in places[:SHOWN]
        )
        lines = many(record.size, "line")
        if pieces := self._pieces(places, record):
            why = f"its lines stand in {pieces} locations"
            return LocationDrift(DriftStatus.SPLIT, why=why, candidates=candidates)
        held = max((len(place.rows) for place in places), default=0)
        if held and held >= _HALF * record.size:
            first = places[0]
            why = f"{len(first.rows)} of its {lines} left"
            if len(first.rows) >= record.size:
                why = "all of its lines, with others among or around them"
            here = first.location if first.location == location else None
            return LocationDrift(DriftStatus.EDITED, here, why, candidates)
        exists = record.path in self._today.lines.documents
        why = "the text is gone" if exists else self._reader.absence(record.path)
        if now is not None and location.lines is None:
            why = "another text has its name"
        why = f"{why}; {held} of its {lines} left" if held else why
        return LocationDrift(DriftStatus.GONE, why=why, candidates=candidates)

    def _places(self, location: Location, now: Span | None, record: TextRecord) -> Iterator[_Place]:
        """Go through the places with lines of the text, and those with its name or a similar one."""
        left = self._left(record)
        for held in left:
            # A file that can't be outlined has no names, so only its lines can be proposed.
            one, span = self._nearest(location, held) or (_lines(held.span), held.span)
            rows = frozenset(row for row in held.rows if span.start <= row <= span.end)
            yield self._place(location, one, span, rows, record)
        if location.lines is not None:
            return
        named = [] if now is None else [(location, now)]
        same_stem = self._stems.get(PurePosixPath(record.path).stem, ())
        near = sorted(same_stem, key=lambda other: (-nearness(record.path, other), other))[:3]
        for path in dict.fromkeys([record.path, self._renames.get(record.path), *near]):
            if path is None or not self._reader.has(path):
                continue
            if not location.heading and location.symbol is None:
                if (whole := span_of(replace(location, path=path), self._reader)) is not None:
                    named.append((replace(location, path=path), whole))
                continue
            nodes = list(self._nodes(location, path))
            similar = _similarity(_name(location), {_folded(node.path[-1]) for node, _ in nodes})
            for node, span in nodes:
                written = self._named(location, path, node) if _folded(node.path[-1]) in similar else None
                if written is not None:
                    named.append((written, span))
        for one, span in named:
            yield self._place(location, one, span, self._left_in(span, record, left), record)

    def _namesakes(self, location: Location, record: TextRecord) -> Iterator[_Place]:
        """Go through sections or symbols of all files with the same or a similar name, nearest first."""
        if not location.heading and location.symbol is None:
            return
        suffix = "#" if location.heading else PurePosixPath(record.path).suffix
        if suffix not in self._names:
            known: dict[str, list[tuple[str, OutlineNode]]] = {}
            endings = _PAGES if location.heading else (suffix,)
            paths = [path for path in self._today.corpus.paths() if path.endswith(endings)]
            for path in steps(paths, "reading names"):
                for node, _ in self._nodes(location, path):
                    known.setdefault(_folded(node.path[-1]), []).append((path, node))
            self._names[suffix] = known
        known, wanted = self._names[suffix], _name(location)
        small = len(self._today.corpus) <= MOST_FILES
        similar = _similarity(wanted, known if small else known.keys() & {wanted})
        ranked = [
            (share + 0.2 * nearness(record.path, path), path, node)
            for name, share in similar.items()
            for path, node in known[name]
        ]
        ranked.sort(key=lambda one: (-one[0], one[1], one[2].start))
        for _, path, node in ranked[:SHOWN]:
            if (one := self._named(location, path, node)) is not None:
                span = self._node_span(location, path, node)
                yield self._place(location, one, span, self._left_in(span, record), record)

    def _place(
        self, old: Location, location: Location, span: Span, rows: frozenset[int], record: TextRecord
    ) -> _Place:
        notes = []
        names = _name(old), _name(location)
        same_name = names[0] == names[1] != ""
        # The heading is the name, which has its own weight: in other markup it is another line.
        title = record.title if same_name else 0
        score = max(0, len(rows) - title) / max(1, record.size - title)
        if rows:
            notes.append(f"{len(rows)} of {many(record.size, 'line')}")
        if all(names):
            score += 0.05 * _similarity(names[0], [names[1]]).get(names[1], 0.0)
        if same_name:
            score += 0.15
            notes.append("the same name")
        if self._renames.get(record.path) == span.path:
            score += 0.1
            notes.append("git says the file was renamed")
        else:
            score += 0.05 * nearness(record.path, span.path)
        if location == old:
            score += 0.1
        return _Place(location, span, rows, score, ", ".join(notes))

    def _pieces(self, places: Sequence[_Place], record: TextRecord) -> int:
        """Return the number of places apart that together have a text; 0 if one has most of it.

        A line in several places counts once: what is repeated everywhere is not a piece.
        """
        if not places or len(places[0].rows) >= _WHOLE * record.size:
            return 0
        apart: list[Span] = []
        left, pieces = Counter(unpacked(record.lines).tolist()), 0
        for place in places:
            if any(place.span.overlaps(one) for one in apart):
                continue
            apart.append(place.span)
            document = self._document(place.span.path)
            rows = np.searchsorted(document.numbers, sorted(place.rows))
            there = Counter(document.codes[rows].tolist()) & left
            if there.total() >= 2:
                left -= there
                pieces += 1
        return pieces if pieces > 1 and left.total() <= (1 - _WHOLE) * record.size else 0

    # -- lines

    def _document(self, path: str) -> HashedLines:
        return self._today.lines.documents[path]

    def _everywhere(self, record: TextRecord) -> list[tuple[str, int]]:
        return self._today.everywhere(unpacked(record.lines), record.digest, record.size)

    def _span(self, path: str, row: int, record: TextRecord) -> Span:
        length = record.end - record.start + 1
        return Span(path, *self._document(path).lines(row, record.size, length))

    def _is_long(self, path: str, row: int) -> bool:
        """Check whether a line has too many words to be written twice by chance."""
        number = int(self._document(path).numbers[row])
        return len(re.findall(r"\w+", self._reader.lines(path)[number - 1])) >= _MANY_WORDS

    def _agreement(self, path: str, row: int, size: int, record: TextRecord) -> tuple[int, int]:
        """Return the number of lines before and after some rows that were there, too."""
        codes = self._document(path).codes
        above, below = codes[max(0, row - _AROUND) : row][::-1], codes[row + size : row + size + _AROUND]
        return _common(unpacked(record.before)[::-1], above), _common(unpacked(record.behind), below)

    def _left(self, record: TextRecord) -> list[_Held]:
        """Return where lines of a text are left in their order, those with most lines first."""
        wanted, index, found = unpacked(record.lines), self._today.lines, []
        votes: Counter[str] = Counter()
        for code in dict.fromkeys(wanted.tolist()):
            if len(rows := index.places(code)) <= _RARE:
                votes.update({index.path_of(int(at)) for at in rows})
        likely = sorted(votes, key=lambda path: (-votes[path], path))[:_LIKELY]
        own = [record.path] if record.path in index.documents else []
        for path in dict.fromkeys([*own, *likely]):
            document = self._document(path)
            pairs = _dense(common_rows(wanted, document.codes), record.size)
            rare = _RARE if path == record.path else _RARE // 2
            # A line that is everywhere shows no place.
            telling = any(len(index.places(int(wanted[here]))) <= rare for here, _ in pairs)
            if telling and len(pairs) >= max(1, _LEAST * len(wanted)):
                first, last = _grown(pairs, document.codes, record)
                span = Span(path, int(document.numbers[first]), int(document.numbers[last]))
                found.append(_Held(span, frozenset(int(document.numbers[row]) for _, row in pairs)))
        return sorted(found, key=lambda one: (-len(one.rows), one.span.path != record.path, one.span))

    def _left_in(self, span: Span, record: TextRecord, left: Sequence[_Held] = ()) -> frozenset[int]:
        """Return the lines of a text that are left in a place."""
        document = self._document(span.path)
        first, behind = document.rows(span.start, span.end)
        if behind - first > 2 * record.size:
            # In a long section, lines that are everywhere would be found one by one.
            for held in left:
                inside = frozenset(row for row in held.rows if span.start <= row <= span.end)
                if held.span.path == span.path and inside:
                    return inside
        # Lines in their order may be in a similar copy, so each is counted by itself.
        wanted, found = Counter(unpacked(record.lines).tolist()), []
        for row in range(first, behind):
            code = int(document.codes[row])
            if wanted[code] > 0:
                wanted[code] -= 1
                found.append(int(document.numbers[row]))
        return frozenset(found)

    @cached_property
    def _stems(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, list[str]] = {}
        for path in self._today.corpus.paths():
            found.setdefault(PurePosixPath(path).stem, []).append(path)
        return found

    # -- locations as the suite writes them

    def _nodes(self, like: Location, path: str) -> Iterator[tuple[OutlineNode, Span]]:
        """Go through the sections or symbols of a file, whichever a location names."""
        for node in self._reader.lookup.nodes(path):
            if node.path and (node.kind == "section") == bool(like.heading) and node.kind != "document":
                yield node, self._node_span(like, path, node)

    def _node_span(self, like: Location, path: str, node: OutlineNode) -> Span:
        nodes = self._reader.lookup.nodes(path)
        return Span(path, node.start, own_end(nodes, node) if like.own else node.end)

    def _written(self, like: Location, span: Span) -> Location | None:
        """Write lines in the way of a location; None if nothing of its kind has exactly these."""
        if like.lines is not None:
            return _lines(span)
        document = self._document(span.path)
        rows = document.rows(span.start, span.end)
        if not like.heading and like.symbol is None:
            return Location(path=span.path) if rows == (0, len(document.codes)) else None
        written = (
            self._named(like, span.path, node)
            for node, there in self._nodes(like, span.path)
            if document.rows(there.start, there.end) == rows
        )
        return next((one for one in written if one is not None), None)

    def _nearest(self, like: Location, held: _Held) -> tuple[Location, Span] | None:
        """Write what has most of some lines and least beside, in the way of a location."""
        span = held.span
        if like.lines is not None:
            return _lines(span), span
        if not like.heading and like.symbol is None:
            return Location(path=span.path), span
        document = self._document(span.path)
        best: tuple[float, OutlineNode, Span] | None = None
        for node, there in self._nodes(like, span.path):
            inside = sum(there.start <= row <= there.end for row in held.rows)
            first, behind = document.rows(there.start, there.end)
            score = 2 * inside / (behind - first + len(held.rows)) if inside else 0.0
            if inside and (best is None or score > best[0]):
                best = score, node, there
        written = None if best is None else self._named(like, span.path, best[1])
        return None if written is None or best is None else (written, best[2])

    def _named(self, like: Location, path: str, node: OutlineNode) -> Location | None:
        """Write a section or symbol with as many names as before, or more if these are not unique."""
        tries = [replace(like, path=path)] if _name(like) == _folded(node.path[-1]) else []
        titles = len(like.heading) or len((like.symbol or "").split("."))
        for count in range(min(titles, len(node.path)), len(node.path) + 1):
            names = node.path[-count:]
            try:
                if like.heading:
                    tries.append(Location(path=path, heading=names, own=like.own))
                else:
                    tries.append(Location(path=path, symbol=".".join(names), own=like.own))
            except LocationError:
                continue
        return next((one for one in tries if self._today.node(one) == node), None)


def _lines(span: Span) -> Location:
    return Location(path=span.path, lines=Lines(span.start, span.end))


def _common(one: Codes, other: Codes) -> int:
    """Return the number of equal lines at the start of two texts."""
    pairs = enumerate(zip(one.tolist(), other.tolist(), strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def _dense(pairs: Sequence[tuple[int, int]], size: int) -> Sequence[tuple[int, int]]:
    """Return the most pairs among no more lines than a text may have grown to."""
    best: Sequence[tuple[int, int]] = ()
    start = 0
    for end in range(len(pairs)):
        while pairs[end][1] - pairs[start][1] >= 2 * size + 2:
            start += 1
        if end - start + 1 > len(best):
            best = pairs[start : end + 1]
    return best


def _grown(pairs: Sequence[tuple[int, int]], codes: Codes, record: TextRecord) -> tuple[int, int]:
    """Return the first and last row of a text with edited lines at both ends, up to its old neighbours."""
    (here, first), (there, last) = pairs[0], pairs[-1]
    before, behind = (set(unpacked(one).tolist()) for one in (record.before, record.behind))
    for _ in range(here):
        if not first or int(codes[first - 1]) in before:
            break
        first -= 1
    for _ in range(len(unpacked(record.lines)) - 1 - there):
        if last + 1 >= len(codes) or int(codes[last + 1]) in behind:
            break
        last += 1
    return first, last


# ---- names


def _folded(name: str) -> str:
    return " ".join(name.split()).casefold()


def _name(location: Location) -> str:
    """Return the last name of a section or symbol; empty for lines and files."""
    return _folded(location.heading[-1] if location.heading else (location.symbol or "").rpartition(".")[2])


def _similarity(name: str, others: Iterable[str]) -> dict[str, float]:
    """Return how similar names are to one, from 0 to 1, without those that are not.

    >>> {one: round(share, 2) for one, share in _similarity("rotation", ["rotations", "limits"]).items()}
    {'rotations': 0.94}
    """
    found: dict[str, float] = {}
    matcher = SequenceMatcher(None, "", name)
    for other in others:
        if other == name:
            found[other] = 1.0
            continue
        matcher.set_seq1(other)
        # The first two are upper bounds of the third, which is slow.
        bounds = matcher.real_quick_ratio, matcher.quick_ratio
        if all(bound() >= _SIMILAR for bound in bounds) and (share := matcher.ratio()) >= _SIMILAR:
            found[other] = share
    return found


def nearness(one: str, other: str) -> float:
    """Return how near two files are, from 0 to 1: the part of their folders and names that they share.

    >>> nearness("click/click/core.py", "click/src/click/core.py")
    0.75
    >>> nearness("docs/options.rst", "docs/options.md"), nearness("flask/cli.py", "click/core.py")
    (1.0, 0.0)
    """
    mine, theirs = PurePosixPath(one).with_suffix("").parts, PurePosixPath(other).with_suffix("").parts
    shortest = min(len(mine), len(theirs))
    leading = next((at for at in range(shortest) if mine[at] != theirs[at]), shortest)
    rest = shortest - leading
    trailing = next((at for at in range(rest) if mine[-1 - at] != theirs[-1 - at]), rest)
    return (leading + trailing) / max(len(mine), len(theirs))


# ---- all locations of a suite


def find_changes(
    suite: Suite,
    today: Documents,
    anchors: Anchors,
    old: Documents | None = None,
    renames: Mapping[str, str] | None = None,
) -> MendPlan:
    """Find out what happened to each location of the cases, scenarios and invariants of a suite.

    Args:
        suite: The suite.
        today: The documents as they are.
        anchors: What was recorded of the texts.
        old: The documents as they were when they were judged, if they are available.
        renames: The files that git says were renamed since.
    """
    owners: dict[Location, list[NamedLocation]] = {}
    ids = 0
    for each in named_locations(suite):
        if each.location.id is not None and not today.corpus.records:
            ids += 1
        else:
            owners.setdefault(each.location, []).append(each)
    finding = _Finding(today, anchors, old, renames or {})
    found = counted_steps(owners.items(), "looking for targets", len(owners))
    return MendPlan(tuple(finding.change(location, tuple(named)) for location, named in found), ids)


class _Finding:
    """Finds locations by the best that is known of each."""

    def __init__(
        self, today: Documents, anchors: Anchors, old: Documents | None, renames: Mapping[str, str]
    ) -> None:
        self._today, self._anchors, self._old = today, anchors, old
        self._follower = Follower(today, renames)

    def change(self, location: Location, owners: tuple[NamedLocation, ...]) -> TargetChange:
        """Return what happened to one location."""
        cases = [each.case for each in owners if each.case is not None]
        stored = (self._anchors.get(case, location.whole) for case in cases)
        then = next((one for one in stored if one is not None), None)
        if self._today.corpus.records:
            return TargetChange(location, owners, self._record(location, then), then is not None)
        if location.quote is not None:
            drift = _follow_quote(location, then, self._today.reader)
            return TargetChange(location, owners, drift, then is not None)
        records = (self._anchors.record(case, location.whole) for case in cases)
        record = next((one for one in records if one is not None), None)
        if record is None and self._old is not None:
            record = self._old.record(location)
            # An old state with another text there is not the one that was judged.
            record = record if record is not None and then in (None, record.text) else None
        elif record is not None and self._is_current(record):
            return TargetChange(location, owners, LocationDrift(DriftStatus.UNCHANGED, location))
        if record is not None:
            return TargetChange(location, owners, self._follower.follow(location, record), record=record)
        return TargetChange(location, owners, self._by_name(location, then), then is not None)

    def _is_current(self, record: TextRecord) -> bool:
        return (record.corpus or self._anchors.fingerprint) == self._today.corpus.fingerprint

    def _record(self, location: Location, then: str | None) -> LocationDrift:
        """Return what happened to a record of a corpus, which is known by its id."""
        name, corpus = str(location.id), self._today.corpus
        before = None
        if self._old is not None and name in self._old.corpus:
            before = anchor_of(self._old.corpus.text(name))
        if name in corpus:
            if then is None or then == anchor_of(corpus.text(name)):
                return LocationDrift(DriftStatus.UNCHANGED, location)
            here = (Candidate(location, "the same id"),)
            return LocationDrift(DriftStatus.EDITED, location, "the record has another text", here)
        same = self._ids_by_text.get(then or before or "", ())
        some = tuple(Candidate(Location.of_id(one), "has the same text") for one in same[:SHOWN])
        more = len(same) - len(some)
        return LocationDrift(DriftStatus.GONE, None, "no record has this id", some, more)

    @cached_property
    def _ids_by_text(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, list[str]] = {}
        for document in self._today.corpus.documents():
            if document.text.strip():
                found.setdefault(anchor_of(document.text), []).append(document.id)
        return found

    def _by_name(self, location: Location, then: str | None) -> LocationDrift:
        """Return what is known of a location by its name and, at most, the anchor of its text."""
        reader = self._today.reader
        spot = reader.find(location)
        if isinstance(spot, Spot):
            text = reader.text(spot)
            if then is None or (text is not None and then == anchor_of(text)):
                return LocationDrift(DriftStatus.UNCHANGED, location)
            here = (Candidate(location, "the same name, another text"),)
            return LocationDrift(DriftStatus.EDITED, location, "the text under its name changed", here)
        drift = self._follower.follow(location, TextRecord("", location.path or "", 1, 1, size=0))
        _, expected, _ = reader.lookup.explain(location, spot, near=False)
        known = "" if then is not None else "; nothing was recorded of its text"
        return replace(drift, why=f"it is no longer {expected}{known}")


def _follow_quote(location: Location, then: str | None, today: CorpusReader) -> LocationDrift:
    """Find out what happened to a quote, which its words find; `then` is the anchor of its old text."""
    now = today.find(location)
    if isinstance(now, Spot):
        if now.share == 1 or then == anchor_of(today.text(now) or ""):
            return LocationDrift(DriftStatus.UNCHANGED, location)
        why = f"{now.share:.0%} of its words are left"
        return LocationDrift(DriftStatus.EDITED, location, why, (Candidate(location, why),))
    if now.why is MissReason.SEVERAL_QUOTES:
        return LocationDrift(DriftStatus.AMBIGUOUS, why=f"its words stand in {now.near} now")
    anywhere = replace(location, path=None, start_char=None)
    elsewhere = today.find(anywhere) if location.path is not None else now
    if not isinstance(elsewhere, Spot):
        return LocationDrift(DriftStatus.GONE, why="its words are gone")
    places = tuple(
        Candidate(replace(anywhere, path=path), f"{elsewhere.share:.0%} of its words")
        for path in dict.fromkeys(one.path for one in elsewhere.every)
    )
    if len(elsewhere.every) == 1 and elsewhere.share == 1:
        why = "its words stand in another file, once"
        return LocationDrift(DriftStatus.MOVED, places[0].location, why)
    return LocationDrift(DriftStatus.AMBIGUOUS, why="its words stand in another file", candidates=places)


# ---- ranges of a baseline


def follow_ranges(
    places: Collection[Range],
    ranges: Mapping[Range, str],
    reached: Mapping[Range, Sequence[str]],
    suite: Suite,
    reader: CorpusReader,
) -> dict[Range, tuple[str, Range | None]]:
    """Follow the ranges of results that were saved: where each is, and what happened to it.

    A range is where its text is: at the same place, or at the only or nearest other one. If its text was
    edited, and it reached a target that the suite still has, it is where the target is.

    Args:
        places: The ranges.
        ranges: The hash of each range.
        reached: The targets that each range reached, as the suite wrote them.
        suite: The suite.
        reader: The documents of today.
    """
    corpus = reader.corpus
    if corpus is None:
        return {place: ("same", place) for place in places}
    documents = sorted({path for path, *_ in places if path in corpus})
    lines = LineHashes((path, corpus.text(path)) for path in documents)
    absent = {place: ranges[place] for place in places if place in ranges}
    absent = {place: text for place, text in absent.items() if lines.hash(place) != text}
    others: Mapping[Range, Sequence[Range]] = {}
    if absent:
        others = LineHashes((one.id, one.text) for one in corpus.documents()).find(absent)
    cases = (suite.whole or suite).cases
    targets = {target.location.whole: target.location for case in cases for target in case.targets}
    now: dict[Range, tuple[str, Range | None]] = {}
    for place in places:
        if place not in absent and (place[1] is not None or place[0] in corpus):
            now[place] = "same", place
            continue
        locations = [targets[name] for name in reached.get(place, ()) if name in targets]
        found = [(location, reader.find(location)) for location in locations]
        spots = [(one, spot) for one, spot in found if isinstance(spot, Spot) and spot.path is not None]
        moved = _nearest_range(place, others.get(place, ()))
        # A heading or symbol that still resolves is the target, even if its old text is elsewhere.
        named = [spot for location, spot in spots if location.lines is None]
        if moved is not None and (not named or any(_overlap(moved, spot) for spot in named)):
            now[place] = "moved", moved
        elif spots:
            now[place] = "edited", _around([spot for _, spot in spots], whole=place[1] is None)
        else:
            now[place] = "not found", None
    return now


def _nearest_range(place: Range, others: Sequence[Range]) -> Range | None:
    """Return the only range with a text, or else the nearest one in the same document."""
    if len(others) == 1:
        return others[0]
    near = sorted((abs((one[1] or 0) - (place[1] or 0)), one) for one in others if one[0] == place[0])
    return near[0][1] if near and (len(near) == 1 or near[0][0] < near[1][0]) else None


def _overlap(place: Range, spot: Spot) -> bool:
    path, start, end = place
    if path != spot.path or start is None or end is None or spot.start is None or spot.end is None:
        return path == spot.path
    return start <= spot.end and spot.start <= end


def _around(spots: Sequence[Spot], *, whole: bool) -> Range:
    """Return the range of all spots that are in the document of the first one."""
    path = str(spots[0].path)
    ranges = [(one.start, one.end) for one in spots if one.path == path]
    starts, ends = [one for one, _ in ranges if one], [one for _, one in ranges if one]
    if whole or len(starts) < len(ranges):
        return path, None, None
    return path, min(starts), max(ends)
