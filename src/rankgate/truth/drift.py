"""From the corpus that a suite is pinned to, to another state of it: what became of every place.

Only what is proven may be written without a person: the same text at the same place, or text that stands
exactly once in both corpora. docs/drift.md has the rules.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem
from rankgate.files.problems import SHOWN
from rankgate.truth.anchors import Anchors, State, anchors_path, compare, read_anchors
from rankgate.truth.block_drift import BlockDrift, context
from rankgate.truth.fate import Fate, Status
from rankgate.truth.file_drift import file_fate
from rankgate.truth.lookup import Miss
from rankgate.truth.occurrences import Occurrences, Span
from rankgate.truth.passages import Passages
from rankgate.truth.probe_places import probe_places
from rankgate.truth.readings import Readings
from rankgate.truth.record_drift import RecordDrift

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.model.places import Location
    from rankgate.model.suite import Suite
    from rankgate.truth.anchors import Anchored


@dataclass(frozen=True, slots=True)
class Drifted:
    """One place of a case, a scenario or an invariant, and what became of it."""

    case: str
    """The case; or the step of a scenario, or the invariant, in words."""
    where: str
    """Where that was written."""
    location: Location
    """The place as it was written."""
    fate: Fate
    """What became of it."""
    anchored: bool = True
    """False for a place of a scenario or an invariant, whose text nobody judged and nothing anchors."""

    @property
    def to_write(self) -> bool:
        """True where the suite should say something else, and that is proven."""
        return self.fate.status is Status.MOVED and self.fate.place != self.location


@dataclass(frozen=True, slots=True)
class Drift:
    """What became of every place of a suite."""

    places: tuple[Drifted, ...]
    """In the order of the suite, cases first; a place that a case or a step names twice is here once."""
    ids: int = 0
    """How many opaque ids there are beside them, which are not places and were not checked."""
    records: bool = False
    """True where they are records, which are known by their ids."""

    @property
    def counts(self) -> Mapping[Status, int]:
        """Count the places by what became of them."""
        found = Counter(each.fate.status for each in self.places)
        return {status: found[status] for status in Status}

    @property
    def moves(self) -> Mapping[Location, Location]:
        """Give what may be written: each place that is proven to have moved, and where to."""
        return {each.location: each.fate.place for each in self.places if each.to_write and each.fate.place}

    @property
    def open(self) -> tuple[Drifted, ...]:
        """List the places that want a person."""
        return tuple(each for each in self.places if not each.fate.status.proven)


def find_drift(
    suite: Suite,
    old: Corpus,
    new: Corpus,
    tell: Callable[[str], None] | None = None,
    *,
    anchors: Anchors | None = None,
) -> Drift:
    """Say what became of every target, every `top`, and every place of a scenario or an invariant.

    Args:
        suite: The suite; its places are in the old corpus.
        old: The corpus it is pinned to.
        new: The one to move to.
        tell: Told in words what is under way.
        anchors: What was anchored; by default what stands in the file beside the suite.

    Raises:
        InputError: with every place that is not in the old corpus, or has not the anchored text there.
        FormatError: for a file of anchors that cannot be read.
    """
    if anchors is None and suite.path is not None:
        anchors = read_anchors(anchors_path(suite.path))
    written = list(_named(suite))
    found = [each for each in written if old.records or each.location.path is not None]
    looking = _Looking(old, new, tell, anchors)
    fates = looking.fates(suite, found)
    places = tuple(
        Drifted(each.name, each.where, each.location, fates[each.location], each.anchored) for each in found
    )
    return Drift(places, ids=len(written) - len(found), records=old.records)


@dataclass(frozen=True, slots=True)
class _Named:
    """One place, and what names it."""

    name: str
    where: str
    location: Location
    anchored: bool = True

    @property
    def shown(self) -> str:
        return self.where or (f"case {self.name}" if self.anchored else self.name)


def _named(suite: Suite) -> Iterator[_Named]:
    for case in suite.cases:
        for location in dict.fromkeys(
            [target.location for target in case.targets] + [top.location for top in case.top]
        ):
            yield _Named(case.id, case.where, location)
    for place in dict.fromkeys(probe_places(suite)):
        yield _Named(place.owner, place.where, place.location, anchored=False)


class _Looking:
    """Looks each different place up once, whatever number of cases name it."""

    def __init__(
        self, old: Corpus, new: Corpus, tell: Callable[[str], None] | None, anchors: Anchors | None
    ) -> None:
        self._old, self._new = Readings(old), Readings(new)
        self._tell = tell
        self._anchors = anchors
        self._fates: dict[Location, Fate] = {}

    def fates(self, suite: Suite, found: Sequence[_Named]) -> Mapping[Location, Fate]:
        if self._old.corpus.records:
            self._records(suite, found)
        else:
            self._files(self._resolved(suite, found))
        return self._fates

    def _records(self, suite: Suite, found: Sequence[_Named]) -> None:
        old = self._old.corpus
        names = {each.location: each.location.id or str(each.location.path) for each in found}
        missed = [
            Problem(each.shown, repr(names[each.location]), "a record of the corpus", _FIX)
            for each in found
            if names[each.location] not in old
        ]
        _refuse(suite, missed)
        self._check_anchors(suite)
        drift = RecordDrift(old, self._new.corpus)
        for location, name in names.items():
            self._fates[location] = drift.fate(location, name)

    def _resolved(self, suite: Suite, found: Sequence[_Named]) -> dict[Location, tuple[str, Span | None]]:
        """Find the file, and the lines where it is not the whole file, of every place in the old corpus."""
        resolved: dict[Location, tuple[str, Span | None]] = {}
        missed: list[tuple[_Named, Miss]] = []
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
        for number, (each, miss) in enumerate(missed):
            # Near misses take long to find in a large corpus, so only those that are told are looked for.
            near = number < SHOWN
            said = self._old.explain(each.location, miss) if near else (str(each.location), "a place", "")
            problems.append(Problem(each.shown, said[0], said[1], said[2] or _FIX))
        _refuse(suite, problems)
        self._check_anchors(suite)
        return resolved

    def _check_anchors(self, suite: Suite) -> None:
        """Refuse to follow a text that is not the one that was judged."""
        inline = any(target.anchor is not None for case in suite.cases for target in case.targets)
        if self._anchors is None and not inline:
            return
        comparison = compare(
            suite, Passages(self._old.corpus), self._anchors or Anchors(), self._telling("anchors")
        )
        _refuse(suite, [_not_judged(suite, place) for place in comparison.of(State.CHANGED)])

    def _files(self, resolved: Mapping[Location, tuple[str, Span | None]]) -> None:
        changed = {path for path, _ in resolved.values() if not self._is_same(path)}
        for location, (path, span) in resolved.items():
            if path not in changed:
                self._fates[location] = Fate(Status.UNCHANGED, location, span, same=True)
        # In the order of the files, so that the lines of each are read once.
        rest = sorted(
            ((path, span, location) for location, (path, span) in resolved.items() if path in changed),
            key=lambda each: (each[0], each[1] or Span("", 0, 0), str(each[2])),
        )
        if not rest:
            return
        wanted = dict.fromkeys(line for path, span, _ in rest for line in self._wanted(path, span))
        before = Occurrences(self._old.corpus, wanted, self._telling("reading the old corpus"))
        after = Occurrences(self._new.corpus, wanted, self._telling("reading the new corpus"))
        blocks = BlockDrift(self._old, self._new, before, after)
        tell = self._telling("comparing")
        for number, (path, span, location) in enumerate(rest):
            if tell:
                tell(f"{number} of {len(rest)} places")
            self._fates[location] = (
                file_fate(path, self._old, self._new, before, after)
                if span is None
                else blocks.fate(location, span)
            )

    def _is_same(self, path: str) -> bool:
        if self._tell:
            self._tell(f"comparing {path}")
        return path in self._new.corpus and self._old.lines(path) == self._new.lines(path)

    def _wanted(self, path: str, span: Span | None) -> Iterator[str]:
        lines = self._old.lines(path)
        if span is None:
            yield from lines if path not in self._new.corpus else ()
            return
        yield from self._old.block(span)
        for around in context(lines, span):
            yield from around

    def _telling(self, what: str) -> Callable[[str], None] | None:
        tell = self._tell
        return None if tell is None else lambda text: tell(f"{what}: {text}")


_FIX = "drift starts from places that are right: go back to the state that was judged, or correct the place"


def _not_judged(suite: Suite, place: Anchored) -> Problem:
    accept = "correct its anchor in the suite"
    if not place.inline:
        accept = f"accept it with rankgate suite anchor --accept {suite.path or 'SUITE'}"
    found = f"another text at '{place.location}' than the one that was judged"
    fix = f"go back to the state that was (a commit, a copy), or {accept}"
    where = place.case.where or f"case {place.case.id}"
    return Problem(where, found, "the text that was anchored, to follow it from there", fix)


def _refuse(suite: Suite, problems: Sequence[Problem]) -> None:
    if not problems:
        return
    shown = list(problems[:SHOWN])
    if more := len(problems) - len(shown):
        where = suite.path or f"suite {suite.name}"
        shown.append(Problem(where, f"{more} more problems", "none", f"correct the first {SHOWN}"))
    raise InputError(shown)
