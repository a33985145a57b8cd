"""A pool: what is to be judged for a suite, merged into passages, in random order, without what found it."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rankgate.judging.pool.candidates import AGAIN, PoolCandidate, Vote
from rankgate.judging.pool.passages import MOST_LINES, FilePassage
from rankgate.judging.units import JudgingUnit
from rankgate.locations import Lines, Location
from rankgate.truth.lookup import Span
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from rankgate.judging.pool.passages import CorpusPassages
    from rankgate.model import Case
    from rankgate.truth.judgments.labels import Label, UnitKey
    from rankgate.truth.judgments.table import Judgments


@dataclass(frozen=True, slots=True)
class PooledUnit:
    """A passage to be judged, and what found it, which no judge sees."""

    unit: JudgingUnit
    """The passage."""
    votes: tuple[Vote, ...]
    """Who has it, each source once, at its best rank."""


@dataclass(frozen=True, slots=True)
class Pool:
    """What is to be judged."""

    units: tuple[PooledUnit, ...] = ()
    """The passages, in random order."""
    notes: tuple[str, ...] = ()
    """What cannot be judged, and what mending left open, in words and with counts."""

    def __len__(self) -> int:
        return len(self.units)


@dataclass(frozen=True, slots=True)
class KnownTruth:
    """What is judged already, by case: nobody is asked for it again."""

    spans: Mapping[str, Sequence[Span]] = field(default_factory=dict)
    """Lines."""
    names: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Ids, and paths of files that are judged as a whole."""
    relevant: Mapping[str, Sequence[Span]] = field(default_factory=dict)
    """The lines that are relevant."""

    @classmethod
    def of(cls, judgments: Judgments, labels: Iterable[Label] = ()) -> KnownTruth:
        """Take what the suite says and, behind it, what was said since."""
        spans: dict[str, list[Span]] = defaultdict(list)
        names: dict[str, set[str]] = defaultdict(set)
        relevant: dict[str, list[Span]] = defaultdict(list)
        columns = ("query", "id", "path", "start", "end", "grade", "reviewed")
        for case, name, path, start, end, grade, reviewed in judgments.targets.select(columns).iter_rows():
            if not reviewed:
                continue
            if path is not None and start is not None:
                spans[case].append(Span(path, start, end))
                relevant[case] += [Span(path, start, end)] if grade > 0 else []
            elif (path or name) is not None:
                names[case].add(path or name)
        for label in labels:
            location = label.location
            if location.path is not None and location.lines is not None:
                spans[label.case].append(Span(location.path, location.lines.start, location.lines.end))
            else:
                names[label.case].add(str(location))
        return cls(spans, {case: frozenset(found) for case, found in names.items()}, relevant)

    def has(self, candidate: PoolCandidate) -> bool:
        """Check whether a candidate reaches something that is judged."""
        span = candidate.span
        if {candidate.path, candidate.id} & self.names.get(candidate.case, frozenset()):
            return True
        return span is not None and any(span.overlaps(one) for one in self.spans.get(candidate.case, ()))


@dataclass(slots=True)
class PoolBuilder:
    """Merges what the sources have into passages, and leaves out what is judged."""

    cases: Sequence[Case]
    """The cases, which say what is asked."""
    known: KnownTruth
    """What is judged already."""
    passages: CorpusPassages
    """The passages of the corpus."""
    whole_files: bool = False
    """True where a hit reaches a target by its path alone, so that files are judged whole."""
    _units: dict[UnitKey, JudgingUnit] = field(default_factory=dict)
    _votes: dict[UnitKey, dict[str, Vote]] = field(default_factory=lambda: defaultdict(dict))
    _lost: Counter[str] = field(default_factory=Counter)
    _queries: dict[str, str] = field(default_factory=dict)
    _open: int = 0

    def __post_init__(self) -> None:
        self._queries.update((case.id, case.query) for case in self.cases)

    def add(self, candidates: Iterable[PoolCandidate]) -> None:
        """Take what one source has."""
        for candidate in candidates:
            if candidate.case not in self._queries or self.known.has(candidate):
                continue
            vote = candidate.vote
            for unit in self._judgeable(candidate):
                self._units.setdefault(unit.key, unit)
                best = self._votes[unit.key].get(vote.source)
                if best is None or vote.rank < best.rank:
                    self._votes[unit.key][vote.source] = vote

    def add_open(self, candidates: Iterable[PoolCandidate], judged: Collection[UnitKey]) -> None:
        """Take where one target may be that mending left open; what was edited although it has a grade.

        Args:
            candidates: Where it may be.
            judged: What was judged as it is today.
        """
        self._open += 1
        for candidate in candidates:
            if candidate.case not in self._queries:
                continue
            if not candidate.as_it_is:
                self.add([candidate])
                continue
            for unit in self._judgeable(candidate):
                if unit.key not in judged:
                    self._units.setdefault(unit.key, unit)
                    self._votes[unit.key].setdefault(candidate.vote.source, candidate.vote)

    def add_labelled(self, labels: Iterable[Label]) -> None:
        """Take passages that were judged before, to be judged once more, where they are as they were."""
        for label in labels:
            location, case = label.location, self._queries.get(label.case)
            if case != label.query:
                continue
            start, end = (location.lines.start, location.lines.end) if location.lines else (None, None)
            vote = Vote(AGAIN, 1)
            again = PoolCandidate(label.case, vote, location.path, start, end, location.id, as_it_is=True)
            for unit in self._judgeable(again):
                if label.text is None or unit.digest == label.text:
                    self._units.setdefault(unit.key, unit)
                    self._votes[unit.key].setdefault(AGAIN, again.vote)

    def pool(self, seed: int = 0) -> Pool:
        """Put everything in random order: queries, and the passages of each, so that one is read at a time.

        Args:
            seed: What the order is drawn by.
        """
        drawn = random.Random(seed)  # noqa: S311 - an order, not a secret
        cases = list(dict.fromkeys(key[0] for key in self._units))
        drawn.shuffle(cases)
        place = {case: number for number, case in enumerate(cases)}
        keys = list(self._units)
        drawn.shuffle(keys)
        keys.sort(key=lambda key: place[key[0]])
        notes = [f"{many(count, 'hit')} {why}" for why, count in sorted(self._lost.items())]
        if self._open:
            notes.append(f"{many(self._open, 'target')} that `rankgate suite fix` left open")
        if cut := self.passages.cut_short:
            notes.append(f"{many(cut, 'hit')} so large that only the first parts are judged")
        units = (PooledUnit(self._units[key], tuple(self._votes[key].values())) for key in keys)
        return Pool(tuple(units), tuple(notes))

    def _judgeable(self, candidate: PoolCandidate) -> Iterator[JudgingUnit]:
        """Return what is judged of one candidate; what cannot be is counted."""
        reader, path, span = self.passages.reader, candidate.path, candidate.span
        if path is None and candidate.id is None:
            self._lost["without a location"] += 1
        elif path is None:
            yield self._unit(candidate, str(candidate.id), self._text(candidate))
        elif reader.corpus is not None and not reader.has(path):
            self._lost["in files that the corpus does not have"] += 1
        elif self.whole_files:
            lines = reader.lines(path) if reader.has(path) else []
            whole = FilePassage(1, max(1, len(lines)))
            yield self._unit(candidate, str(Location(path=path)), "\n".join(lines[:MOST_LINES]), whole)
        elif span is None:
            self._lost["without lines, where lines are judged"] += 1
        elif reader.corpus is None:
            yield self._unit(
                candidate, _written(path, span), candidate.text or "", FilePassage(span.start, span.end)
            )
        elif candidate.as_it_is:
            text = "\n".join(reader.lines(path)[span.start - 1 : span.end])
            outline = next((one.outline for one in self.passages.of_hit(span)), ())
            exact = FilePassage(span.start, span.end, outline)
            yield self._unit(candidate, _written(path, span), text, exact)
        else:
            for one in self.passages.of_hit(span, self.known.spans.get(candidate.case, ())):
                text = "\n".join(reader.lines(path)[one.start - 1 : one.end])
                yield self._unit(candidate, _written(path, one), text, one)

    def _text(self, candidate: PoolCandidate) -> str:
        """Return what is known of an id: its record in the corpus, or what the system returned."""
        reader = self.passages.reader
        if candidate.id is not None and reader.corpus is not None and reader.corpus.records:
            return reader.text_of(candidate.id).whole if reader.has(candidate.id) else candidate.text or ""
        return candidate.text or ""

    def _unit(
        self, candidate: PoolCandidate, location: str, text: str, passage: FilePassage | None = None
    ) -> JudgingUnit:
        query = self._queries[candidate.case]
        if passage is None:
            return JudgingUnit(candidate.case, query, location, text=text)
        return JudgingUnit(
            candidate.case,
            query,
            location,
            candidate.path,
            passage.start,
            passage.end,
            text,
            passage.outline,
        )


def _written(path: str, lines: Span | FilePassage) -> str:
    return str(Location(path=path, lines=Lines(lines.start, lines.end)))
