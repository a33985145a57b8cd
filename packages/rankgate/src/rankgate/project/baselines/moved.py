"""Answers outlive a change of the documents: their hits are found again in the documents of today.

When answers are kept, every location that their hits name is kept with what finds it again; a baseline keeps
of every query the hits that were relevant as well. At a comparison over changed documents each hit is where
its lines are now. A hit that cannot be found is nowhere; a query that had a relevant one among those is left
out.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from rankgate.gates.compare import match_cases
from rankgate.model.wording import many
from rankgate.project.baselines.decided import DecidedTexts
from rankgate.project.baselines.places import HIT_KEY, named_places, place_of
from rankgate.runs.baseline import hit_key
from rankgate.runs.store.schemas import HITS, TEXTS
from rankgate.runs.store.tables import HoldsTexts, MemoryRun, Shard
from rankgate.truth.drift.refinding import HashedLines, Refinder, Refound, unpacked
from rankgate.truth.locations.corpus_reader import CorpusReader, Span, split_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.model import Location, Suite
    from rankgate.model.placing import KeptLines
    from rankgate.runs.baseline import Baseline
    from rankgate.runs.store.places import Place
    from rankgate.runs.store.run_folder import StoredRun
    from rankgate.runs.store.tables import Run

_SHOWN = 3
_MOST_CHARACTERS = 1 << 32


@dataclass(frozen=True, slots=True, eq=False)
class MovedAnswers:
    """Answers over the documents of today."""

    run: Run
    """The rankings, with the locations of today."""
    repeats: tuple[Run, ...]
    """The same, asked again."""
    left_out: frozenset[str]
    """The queries that had a relevant result which cannot be found.

    A run does not say which results were relevant: any that cannot be found may have been.
    """
    words: str
    """How many locations are where they were, elsewhere, or not to be found, with the first of these."""
    unlocated: int = 0
    """The number of results that had a location when they were saved and have none in today's documents."""


def moved_baseline(baseline: Baseline, suite: Suite, corpus: Corpus) -> MovedAnswers | None:
    """Find the hits of a baseline in the documents of today.

    Args:
        baseline: The baseline.
        suite: The suite, whose anchors say what became of texts that were decided.
        corpus: The documents.

    Returns:
        None for a baseline that does not say what finds its hits again.
    """
    runs = baseline.run, *baseline.repeats
    found = _found(runs, baseline.places, suite, corpus, _reached_targets(baseline, suite))
    if found is None:
        return None
    run, *repeats = found.runs
    lost = sum(1 for _ in _with_hits(baseline.run, found.gone))
    changed = frozenset(query for query, one in baseline.asked.items() if found.gone & {*one.relevant})
    return MovedAnswers(run, tuple(repeats), changed, found.words, lost)


def moved_run(
    run: StoredRun, repeats: Sequence[StoredRun], suite: Suite, corpus: Corpus
) -> MovedAnswers | None:
    """Find the hits of a run in the documents of today.

    Args:
        run: The run.
        repeats: The answers to the same, asked again.
        suite: The suite, whose anchors say what became of texts that were decided.
        corpus: The documents.

    Returns:
        None for a run that does not say what finds its hits again.
    """
    runs = run, *repeats
    places = {place: kept for one in runs for place, kept in one.places().items()}
    found = _found(runs, places, suite, corpus)
    if found is None:
        return None
    today, *again = found.runs
    changed = frozenset(query for one in runs for query in _with_hits(one, found.gone))
    lost = sum(1 for _ in _with_hits(run, found.gone))
    return MovedAnswers(today, tuple(again), changed, found.words, lost)


class _Found(NamedTuple):
    """The hits of some answers in the documents of today."""

    runs: Sequence[Run]
    gone: frozenset[str]
    """The hits that are not found, as a baseline names them."""
    words: str


def _reached_targets(baseline: Baseline, suite: Suite) -> dict[str, list[Location]]:
    """Return the targets of the cases that each saved result was relevant for."""
    targets: dict[str, list[Location]] = {}
    cases = {case.id: case for case in suite.cases}
    for name, saved_as in match_cases(suite, baseline.asked)[0].items():
        for key in baseline.asked[saved_as].relevant:
            targets.setdefault(key, []).extend(target.location for target in cases[name].targets)
    return targets


def _found(
    runs: Sequence[Run],
    places: Mapping[Place, KeptLines],
    suite: Suite,
    corpus: Corpus,
    reached: Mapping[str, Sequence[Location]] = MappingProxyType({}),
) -> _Found | None:
    if corpus.records:
        gone = frozenset(name for run in runs for name in _ids(run) if name not in corpus)
        words = f"{many(len(gone), 'record')} gone" if gone else "every record of it is still there"
        return _Found(runs, gone, words)
    if not places and any(True for run in runs for _ in named_places(run)):
        return None
    moves = _Moves(places, suite, corpus, reached)
    return _Found([moves.applied(one) for one in runs], moves.gone, moves.words)


def _ids(run: Run) -> Iterator[str]:
    for shard in run.shards():
        yield from shard.scan_hits(("id",)).unique().collect()["id"].drop_nulls()


def _with_hits(run: Run, keys: frozenset[str]) -> Iterator[str]:
    """Return the query of each of these hits."""
    for shard in run.shards() if keys else ():
        for query, *key in shard.scan_hits(("query", *HIT_KEY)).collect().iter_rows():
            if hit_key(*key) in keys:
                yield query


class _Moves:
    """Where each kept location is today."""

    def __init__(
        self,
        places: Mapping[Place, KeptLines],
        suite: Suite,
        corpus: Corpus,
        reached: Mapping[str, Sequence[Location]],
    ) -> None:
        self._corpus, self._places, self._reached = corpus, places, reached
        self._finder = Refinder((one.id, one.text) for one in corpus.documents())
        self._decided = DecidedTexts(suite, corpus, self._finder)
        self._now = {place: self._found(place, kept) for place, kept in sorted(places.items())}
        self.gone = frozenset(_key(place) for place, now in self._now.items() if now is None)
        """The locations that cannot be found, as a baseline names hits."""

    @property
    def words(self) -> str:
        """What became of the locations."""
        counts = Counter(now.how for now in self._now.values() if now is not None)
        said = [f"{count} {how}" for how in Refound if (count := counts[how])]
        if self.gone:
            first = ", ".join(sorted(self.gone)[:_SHOWN])
            more = f" and {len(self.gone) - _SHOWN} more" if len(self.gone) > _SHOWN else ""
            said.append(f"{len(self.gone)} not found ({first}{more})")
        return ", ".join(said)

    def _found(self, place: Place, kept: KeptLines) -> _Now | None:
        path, start, end = place
        if not start:
            if self._finder.has(path):
                return _Now(path, None, None, None, Refound.SAME)
            whole = self._finder.find(Span(path, 1, 1), kept)
            return None if whole is None else _Now(whole.span.path, None, None, None, whole.how)
        found = self._finder.find(Span(path, start, end), kept)
        if found is None:
            there = self._decided.span(kept) or self._edited_target(place, kept)
            if there is None:
                return None
            return _Now(there.path, there.start, there.end, None, Refound.DECIDED)
        span, shift = found.span, None
        if found.how in (Refound.SAME, Refound.MOVED):
            shift = self._finder.offset(span) - kept.offset
        return _Now(span.path, span.start, span.end, shift, found.how)

    def _edited_target(self, place: Place, kept: KeptLines) -> Span | None:
        """Return the target that a result reached, if its first line is the same and its text another one."""
        reader, saved = CorpusReader(self._corpus), set(unpacked(kept.lines).tolist())
        spans = {reader.span(location) for location in self._reached.get(_key(place), ())}
        same = [span for span in spans if span and span.path == place[0] and self._first_line(span) in saved]
        return same[0] if len(same) == 1 else None

    def _first_line(self, span: Span) -> int:
        lines = split_lines(self._corpus.text(span.path))
        return int(HashedLines.of(lines[span.start - 1 : span.start]).codes[0])

    def applied(self, run: Run) -> MemoryRun:
        """Return a run with the locations of today; a hit that cannot be found keeps its name alone."""
        shards = [
            Shard(
                shard.queries,
                self._today(shard.scan_hits(HITS.names).collect()),
                shard.read_texts() if isinstance(shard, HoldsTexts) else TEXTS.empty(),
            )
            for shard in run.shards()
        ]
        return MemoryRun(run.name, shards, notes=getattr(run, "notes", ()))

    def _today(self, hits: pl.DataFrame) -> pl.DataFrame:
        columns = ("id", "path", "start", "end", "start_char", "end_char", "copies")
        moved = [self._moved(*row) for row in hits.select(columns).iter_rows()]
        today = pl.DataFrame(moved, schema={name: hits.schema[name] for name in columns}, orient="row")
        return hits.with_columns(today.get_columns())

    def _moved(
        self,
        name: str | None,
        path: str | None,
        start: int | None,
        end: int | None,
        first: int | None,
        behind: int | None,
        copies: Sequence[Mapping[str, Any]] | None,
    ) -> tuple[object, ...]:
        """Return a hit as it is today; what has no location stays as it is."""
        if copies:
            left = [moved for copy in copies if (moved := self._copy(copy)) is not None]
            return name, path, start, end, first, behind, left or None
        place = (path or "", start or 0, end or 0)
        if path is None or place not in self._now:
            return name, path, start, end, first, behind, None
        now = self._now[place]
        if now is None:
            # Another text may stand where it was, so that its name says when.
            return name or f"formerly {_key(place)}", None, None, None, None, None, None
        return name, now.path, now.start, now.end, *now.characters(first, behind), None

    def _copy(self, copy: Mapping[str, Any]) -> dict[str, Any] | None:
        now = self._now.get(place_of(copy)) if copy["path"] is not None else None
        if now is None:
            return None
        first, behind = now.characters(copy["start_char"], copy["end_char"])
        moved = {
            "path": now.path,
            "start": now.start,
            "end": now.end,
            "start_char": first,
            "end_char": behind,
        }
        return {**copy, **moved}


class _Now(NamedTuple):
    """Where a location is today."""

    path: str
    start: int | None
    end: int | None
    shift: int | None
    """By how many characters its text moved; None where it is not the same."""
    how: Refound

    def characters(self, first: int | None, behind: int | None) -> tuple[int | None, int | None]:
        if first is None or behind is None or self.shift is None:
            return None, None
        # What a damaged baseline says of characters leads nowhere.
        inside = 0 <= first + self.shift <= behind + self.shift < _MOST_CHARACTERS
        return (first + self.shift, behind + self.shift) if inside else (None, None)


def _key(place: Place) -> str:
    path, start, end = place
    return hit_key(None, path, start or None, end or None)
