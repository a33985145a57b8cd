"""From the corpus that a suite is pinned to, to another state of it: what became of every location.

Only what is proven may be written without a person: the same text at the same location, or text that
stands exactly once in both corpora: `write_drift` does so, and moves the pin and the anchors of the suite.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.errors import Code, Problem
from rankgate.files.problems import SHOWN
from rankgate.progress import steps
from rankgate.suites.editing.revision import edit_suite
from rankgate.truth.anchors import (
    Anchors,
    AnchorState,
    anchors_path,
    compare,
    read_anchors,
    updated,
    write_anchors,
)
from rankgate.truth.drift.blocks import BlockDrift, context
from rankgate.truth.drift.documents import DriftStatus, LocationDrift, RecordDrift, file_drift
from rankgate.truth.drift.occurrences import Occurrences
from rankgate.truth.drift.quotes import quote_drift
from rankgate.truth.locations.corpus_reader import CorpusReader, Span
from rankgate.truth.locations.lookup import Miss, Spot
from rankgate.truth.locations.probe_plan import named_locations
from rankgate.truth.locations.resolve import refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from rankgate.corpora.corpus import Corpus
    from rankgate.model.locations import Location
    from rankgate.model.suite import CorpusSource, Suite
    from rankgate.suites.editing.revision import LeftOut
    from rankgate.truth.anchors import Anchored
    from rankgate.truth.locations.probe_plan import NamedLocation


@dataclass(frozen=True, slots=True)
class Drifted:
    """One location of a case, a scenario or an invariant, and what became of it."""

    case: str
    """The case; or the step of a scenario, or the invariant, in words."""
    where: str
    """Where that was written."""
    location: Location
    """The location as it was written."""
    drift: LocationDrift
    """What became of it."""
    anchored: bool = True
    """False for a location of a scenario or an invariant, whose text nobody judged and nothing anchors."""

    @property
    def to_write(self) -> bool:
        """True where the suite should say something else, and that is proven."""
        return self.drift.status is DriftStatus.MOVED and self.drift.location != self.location


@dataclass(frozen=True, slots=True)
class Drift:
    """What became of every location of a suite."""

    locations: tuple[Drifted, ...]
    """In the order of the suite, cases first; a location that a case or a step names twice is here once."""
    ids: int = 0
    """How many opaque ids there are beside them, which are not locations and were not checked."""
    records: bool = False
    """True where they are records, which are known by their ids."""

    @property
    def counts(self) -> Mapping[DriftStatus, int]:
        """Count the locations by what became of them."""
        found = Counter(each.drift.status for each in self.locations)
        return {status: found[status] for status in DriftStatus}

    @property
    def moves(self) -> Mapping[Location, Location]:
        """Return what may be written: each location that is proven to have moved, and where to."""
        return {
            each.location: each.drift.location
            for each in self.locations
            if each.to_write and each.drift.location
        }

    @property
    def open(self) -> tuple[Drifted, ...]:
        """List the locations that need a person."""
        return tuple(each for each in self.locations if not each.drift.status.proven)


def find_drift(
    suite: Suite,
    old: Corpus,
    new: Corpus,
    tell: Callable[[str], None] | None = None,
    *,
    anchors: Anchors | None = None,
) -> Drift:
    """Find out what became of every target, every `top`, and every location of a scenario or an invariant.

    Args:
        suite: The suite; its locations are in the old corpus.
        old: The corpus it is pinned to.
        new: The one to move to.
        tell: Told in words what is under way.
        anchors: What was anchored; by default what stands in the file beside the suite.

    Raises:
        InputError: with every location that is not in the old corpus, or has not the anchored text there.
        FormatError: for a file of anchors that cannot be read.
    """
    if anchors is None and suite.path is not None:
        anchors = read_anchors(anchors_path(suite.path))
    written = list(named_locations(suite))
    found = [each for each in written if old.records or each.location.id is None]
    drifts = _Finder(old, new, tell, anchors).drifts(suite, found)
    locations = tuple(
        Drifted(
            each.case or each.owner, each.where, each.location, drifts[each.location], each.case is not None
        )
        for each in found
    )
    return Drift(locations, ids=len(written) - len(found), records=old.records)


class _Finder:
    """Looks each different location up once, whatever number of cases name it."""

    def __init__(
        self, old: Corpus, new: Corpus, tell: Callable[[str], None] | None, anchors: Anchors | None
    ) -> None:
        self._old, self._new = CorpusReader(old), CorpusReader(new)
        self._corpora = old, new
        self._tell = tell
        self._anchors = anchors
        self._drifts: dict[Location, LocationDrift] = {}

    def drifts(self, suite: Suite, found: Sequence[NamedLocation]) -> Mapping[Location, LocationDrift]:
        if self._corpora[0].records:
            self._records(suite, found)
        else:
            self._files(self._resolved(suite, found))
        return self._drifts

    def _records(self, suite: Suite, found: Sequence[NamedLocation]) -> None:
        old, new = self._corpora
        names = {each.location: self._record_of(each.location) for each in found}
        missed = [
            Code.TARGET_NOT_FOUND(
                each.where or each.owner, repr(names[each.location]), "a record of the corpus", _FIX
            )
            for each in found
            if names[each.location] not in old
        ]
        refuse(suite.path or f"suite {suite.name}", missed, len(missed))
        self._check_anchors(suite)
        records = RecordDrift(old, new)
        for location, name in names.items():
            self._drifts[location] = records.drift(location, name)

    def _record_of(self, location: Location) -> str:
        """Return the id of a record, or of the first that has a quote."""
        spot = self._old.find(location) if location.quote is not None else None
        name = spot.id if isinstance(spot, Spot) else location.id
        return name or str(location.path or location)

    def _resolved(
        self, suite: Suite, found: Sequence[NamedLocation]
    ) -> dict[Location, tuple[str, Span | None]]:
        """Find the file of every location in the old corpus, and its lines where it is not the whole file."""
        resolved: dict[Location, tuple[str, Span | None]] = {}
        missed: list[tuple[NamedLocation, Miss]] = []
        for each in found:
            location = each.location
            if location in resolved:
                continue
            spot = self._old.find(location)
            if isinstance(spot, Miss):
                missed.append((each, spot))
            elif spot.path is not None:
                lines = spot.start is not None and spot.end is not None
                resolved[location] = (spot.path, self._old.span(location) if lines else None)
        problems = []
        # Near misses take long to find in a large corpus, so only those that are told are looked for.
        for each, miss in missed[:SHOWN]:
            found_there, expected, fix = self._old.lookup.explain(each.location, miss)
            problems.append(
                Code.TARGET_NOT_FOUND(each.where or each.owner, found_there, expected, fix or _FIX)
            )
        refuse(suite.path or f"suite {suite.name}", problems, len(missed))
        self._check_anchors(suite)
        return resolved

    def _check_anchors(self, suite: Suite) -> None:
        """Refuse to follow a text that is not the one that was judged."""
        inline = any(target.anchor is not None for case in suite.cases for target in case.targets)
        if self._anchors is None and not inline:
            return
        comparison = compare(suite, self._old, self._anchors or Anchors())
        changed = [_not_judged(suite, each) for each in comparison.of(AnchorState.CHANGED)]
        refuse(suite.path or f"suite {suite.name}", changed, len(changed))

    def _files(self, resolved: Mapping[Location, tuple[str, Span | None]]) -> None:
        changed = {path for path, _ in resolved.values() if not self._is_same(path)}
        for location, (path, span) in resolved.items():
            if path not in changed and location.quote is None:
                self._drifts[location] = LocationDrift(DriftStatus.UNCHANGED, location, span, same=True)
        # In the order of the files, so that the lines of each are read once.
        for location in resolved:
            if location.quote is not None:
                self._drifts[location] = quote_drift(location, self._old, self._new)
        rest = sorted(
            (
                (path, span, location)
                for location, (path, span) in resolved.items()
                if path in changed and location.quote is None
            ),
            key=lambda each: (each[0], each[1] or Span("", 0, 0), str(each[2])),
        )
        if not rest:
            return
        wanted = dict.fromkeys(line for path, span, _ in rest for line in self._wanted(path, span))
        before = Occurrences(self._corpora[0], wanted)
        after = Occurrences(self._corpora[1], wanted)
        blocks = BlockDrift(self._old, self._new, before, after)
        for path, span, location in steps(rest, "comparing locations"):
            self._drifts[location] = (
                file_drift(path, self._old, self._new, before, after)
                if span is None
                else blocks.drift(location, span)
            )

    def _is_same(self, path: str) -> bool:
        if self._tell:
            self._tell(f"comparing {path}")
        return self._new.has(path) and self._old.lines(path) == self._new.lines(path)

    def _wanted(self, path: str, span: Span | None) -> Iterator[str]:
        lines = self._old.lines(path)
        if span is None:
            yield from lines if not self._new.has(path) else ()
            return
        yield from self._old.block(span)
        for around in context(lines, span):
            yield from around


_FIX = "correct it, or run rankgate suite mend without --to, which starts from what was anchored"


def _not_judged(suite: Suite, target: Anchored) -> Problem:
    found = f"another text at '{target.location}' than the one that was judged"
    fix = f"run rankgate suite mend {suite.path or 'SUITE'}, which starts from what was anchored"
    if target.inline:
        fix = "correct the location, or its anchor in the suite"
    where = target.case.where or f"case {target.case.id}"
    return Code.TARGETS_GONE(where, found, "the text that was anchored, to follow it from there", fix)


@dataclass(frozen=True, slots=True)
class DriftUpdate:
    """What was written, and what was not."""

    locations: int
    """How many locations of the file were changed."""
    corpus: CorpusSource
    """What the suite is pinned to now."""
    left: tuple[LeftOut, ...] = ()
    """Proven locations whose spelling, or whose case, does not allow a change."""
    anchors: Path | None = None
    """The file of anchors that was written; None where none was needed."""


def write_drift(suite: Suite, drift: Drift, old: Corpus, new: Corpus, corpus: CorpusSource) -> DriftUpdate:
    """Write the locations that are proven to have moved, and pin the suite to the new corpus.

    The anchors of a suite go with its locations, and those of text that is no longer there stay: `suite lint`
    names them. Where a location is left open that quietly finds another text now, anchors are made for that.

    Args:
        suite: The suite, as it was read from its file.
        drift: What became of its locations.
        old: The corpus it was pinned to.
        new: The one to pin it to.
        corpus: How the suite names that one.

    Raises:
        FormatError: for a suite that cannot be changed, or anchors that cannot be read; nothing is written.
    """
    path = anchors_path(str(suite.path))
    kept = read_anchors(path)
    edited = edit_suite(suite, drift.moves, corpus)
    quiet = bool(edited.left) or any(
        each.anchored and each.drift.stands and not each.drift.same for each in drift.open
    )
    if kept is None and not quiet:
        return DriftUpdate(edited.locations, corpus, edited.left)
    before = updated(compare(suite, CorpusReader(old), kept or Anchors()), suite, old.fingerprint, kept=kept)
    left = {each.location for each in edited.left}
    moves = {was.whole: now.whole for was, now in drift.moves.items() if was not in left}
    texts = {moves.get(name, name): record for name, record in before.texts.items()}
    write_anchors(Anchors(corpus, new.fingerprint, _moved(before.cases, moves), texts), path)
    return DriftUpdate(edited.locations, corpus, edited.left, path)


def _moved(cases: Mapping[str, Mapping[str, str]], moves: Mapping[str, str]) -> dict[str, dict[str, str]]:
    return {
        case: {moves.get(location, location): anchor for location, anchor in kept.items()}
        for case, kept in cases.items()
    }
