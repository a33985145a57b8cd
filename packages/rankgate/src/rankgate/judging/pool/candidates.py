"""Where candidates come from: what systems found, what plain search finds, what lies beside what is known.

Which source a candidate has, and at which rank, decides the order in which they are judged; no judge sees it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from rankgate.runs.store.hits import kept_texts, read_hits
from rankgate.truth.lookup import Span
from rankgate.truth.words import STOPWORDS, plain, split

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rankgate.judging.pool.passages import CorpusPassages
    from rankgate.model import Case
    from rankgate.runs.store.hits import HitRow
    from rankgate.runs.store.tables import Run
    from rankgate.truth.judgments.table import Judgments

GREP = "grep"
"""The source of what holds the words of a query."""
BESIDE = "beside"
"""The source of what lies beside a relevant target in the outline."""
AGAIN = "again"
"""The source of what was judged before and is judged once more."""
PROPOSED = "proposed"
"""The source of targets that nobody has reviewed."""
_FOUND_BY_WORDS = 3
_BESIDE = 2
_SHORTEST = 3


@dataclass(frozen=True, slots=True)
class Vote:
    """That a source has a candidate, and at which rank."""

    source: str
    """The system or run, `GREP` or `BESIDE`."""
    rank: int
    """The rank, from 1."""


@dataclass(frozen=True, slots=True)
class PoolCandidate:
    """Something that one source has for a case: lines of a file, a whole file, or an id."""

    case: str
    """The id of the case."""
    vote: Vote
    """Who has it."""
    path: str | None = None
    """The file; None for an id."""
    start: int | None = None
    """The first line; None for a whole file or an id."""
    end: int | None = None
    """The last line, included."""
    id: str | None = None
    """The opaque id, where there is no file."""
    text: str | None = None
    """What the system returned of it; None where that is not kept, or the corpus has it."""
    as_it_is: bool = False
    """True where just these lines are judged, as somebody proposed them."""

    @property
    def span(self) -> Span | None:
        """Its lines; None for a whole file or an id."""
        if self.path is None or self.start is None or self.end is None:
            return None
        return Span(self.path, self.start, self.end)


def hit_candidates(source: str, run: Run, cases: Sequence[str], depth: int) -> Iterator[PoolCandidate]:
    """Return the first hits of a run to some cases."""
    texts: dict[tuple[str, int], str] = {}
    found = read_hits(run, cases, depth)
    opaque = [case for case, hits in found.items() if any(hit.path is None for hit in hits)]
    for kept in kept_texts(run, opaque):
        if kept.text is not None:
            texts[kept.query, kept.rank] = kept.text
    for case in cases:
        for hit in found.get(case, ()):
            yield _of_hit(case, source, hit, texts.get((case, hit.rank)))


def _of_hit(case: str, source: str, hit: HitRow, text: str | None) -> PoolCandidate:
    name = None if hit.path is not None else hit.id or hit.text
    return PoolCandidate(case, Vote(source, hit.rank), hit.path, hit.start, hit.end, name, text)


def proposed_candidates(judgments: Judgments) -> Iterator[PoolCandidate]:
    """Return the targets that were proposed and that nobody has looked at."""
    columns = ("query", "id", "path", "start", "end")
    proposed = judgments.targets.filter(~pl.col("reviewed")).select(columns)
    for case, name, path, start, end in proposed.iter_rows():
        if path is not None or name is not None:
            yield PoolCandidate(case, Vote(PROPOSED, 1), path, start, end, name, as_it_is=True)


def grep_candidates(cases: Sequence[Case], passages: CorpusPassages) -> Iterator[PoolCandidate]:
    """Return the passages that hold most of a query's words, as plain containment has it.

    It knows nothing of the engines under test, so that what none of them finds has a chance to be judged.
    """
    corpus = passages.reader.corpus
    if corpus is None or corpus.records:
        return
    where: dict[str, set[tuple[str, int]]] = defaultdict(set)
    wanted = {word for case in cases for word in _words(case.query)}
    for path in corpus.paths():
        lines = passages.reader.lines(path)
        for at, one in enumerate(passages.of_file(path)):
            there = {*split(plain("\n".join((path, *one.outline, *lines[one.start - 1 : one.end]))))}
            for word in there & wanted:
                where[word].add((path, at))
    for case in cases:
        counted: dict[tuple[str, int], int] = defaultdict(int)
        words = _words(case.query)
        for word in words:
            for spot in where[word]:
                counted[spot] += 1
        enough = max(1, (len(words) + 1) // 2)
        likely = [spot for spot, count in counted.items() if count >= enough]
        likely.sort(key=lambda spot: (-counted[spot], spot))
        for rank, (path, at) in enumerate(likely[:_FOUND_BY_WORDS], 1):
            one = passages.of_file(path)[at]
            yield PoolCandidate(case.id, Vote(GREP, rank), path, one.start, one.end)


def _words(query: str) -> set[str]:
    found = {word for word in split(plain(query)) if word not in STOPWORDS and len(word) >= _SHORTEST}
    return found or {*re.findall(r"\w+", plain(query))}


def neighbour_candidates(
    relevant: Mapping[str, Sequence[Span]], passages: CorpusPassages
) -> Iterator[PoolCandidate]:
    """Return the passages before and behind what is known to be relevant, by case."""
    for case, spans in relevant.items():
        rank = 0
        for span in spans:
            cut = passages.of_file(span.path)
            inside = [at for at, one in enumerate(cut) if one.start <= span.end and span.start <= one.end]
            for at in (inside[0] - 1, inside[-1] + 1) if inside else ():
                if rank < _BESIDE and 0 <= at < len(cut):
                    rank += 1
                    yield PoolCandidate(case, Vote(BESIDE, rank), span.path, cut[at].start, cut[at].end)
