"""The same query twice, and queries that are nearly the same and are not said to be paraphrases.

Two queries are alike where the sets of their content stems have a Jaccard index of 0.8 or more, or where they
are the same words but for one slip of the finger (a letter wrong, missing, added, or two swapped) in a word
of five letters or more. They are found without comparing all with all:

Stems are indexed with the rarest first. Sets that are this alike share one of their first stems (for a set of
n, the first n - ⌈0.8 n⌉ + 1), so a query meets only those that share a rare stem with it. For slips, queries
meet where they are equal without one word, and the two words where they are equal without one letter.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.truth.lint.context import QUOTED, LintRemark, Severity, asked_like, named, quoted, rule
from rankgate.truth.words import fold
from rankgate.wording import one_slip, shortened

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from rankgate.model import Case
    from rankgate.truth.lint.context import LintContext


@rule("duplicate-query", Severity.WARNING, "the same query stands twice in one slice")
def duplicate_query(context: LintContext) -> Iterator[LintRemark]:
    """Compare queries without regard to case, white space and punctuation, within a slice and its filters.

    Cases of one group may differ in just these: whether a search minds them is what they ask.
    """
    first: dict[Hashable, Case] = {}
    verbatim: dict[Hashable, Case] = {}
    for case, folded in zip(context.cases, context.folded, strict=True):
        same = first.setdefault((folded, asked_like(case)), case)
        literal = verbatim.setdefault((case.query, case.group, asked_like(case)), case)
        if same is not case and case.group is not None and case.group == same.group:
            same = literal
        if same is case:
            continue
        targets, others = ({(each.location, each.grade) for each in one.targets} for one in (case, same))
        expects = "expects the same" if targets == others else "expects something else"
        found = f"the query {quoted(case.query)} of {named(same)} again, which {expects}"
        fix = "delete one" if targets == others else "merge what they expect"
        fix += ", or tell them apart by category or filters"
        yield LintRemark(found, "every query once in a slice", fix, case)


@rule("near-duplicate-query", Severity.HINT, "two queries are nearly the same and share no group")
def near_duplicate_query(context: LintContext) -> Iterator[LintRemark]:
    """Name, for each case, the first before it that asks nearly the same and shares no group with it."""
    cases = context.cases
    alike = NearDuplicates(
        [
            ComparedQuery(folded, context.stems.content(folded.split()), asked_like(case), case.group)
            for case, folded in zip(cases, context.folded, strict=True)
        ]
    )
    for before, after in alike.pairs():
        first, case = cases[before], cases[after]
        found = f"{quoted(case.query)}, nearly the query {_other(case.query, first.query)} of {named(first)}"
        group = case.group or first.group or first.id
        fix = f"give both group: {group}, so that they are resampled together, or delete one"
        yield LintRemark(found, "a query of its own, or a group of paraphrases", fix, case)
    if alike.unfinished is not None and alike.unfinished < len(cases):
        found = f"too many queries alike to compare: {len(cases) - alike.unfinished} of {len(cases)} were not"
        yield LintRemark(found, "queries that differ", "correct those that are told, and lint again")


def _other(query: str, first: str) -> str:
    """Quote the other query; of a long one, which is cut, only what it says else."""
    if max(len(query), len(first)) <= QUOTED:
        return quoted(first)
    words, others = fold(query).split(), fold(first).split()
    here = [word for word in words if word not in others]
    there = [word for word in others if word not in words]
    if there and here:
        return f"(which says {quoted(' '.join(there))} for {quoted(' '.join(here))})"
    if not there and not here:
        return "(which has the same words)"
    return f"(with {quoted(' '.join(there))})" if there else f"(without {quoted(' '.join(here))})"


NUMERATOR, DENOMINATOR = 4, 5
"""The least Jaccard index, 0.8, as a fraction of whole numbers."""
SHORTEST_SLIP = 5
"""Letters of a word in which a slip is looked for; shorter ones are too often words of their own."""
MOST_WORDS = 30
"""How many words a query has in which a slip is looked for."""
BUDGET = 1_000_000
"""How many comparisons are made; more are needed only where thousands of queries share nearly all words."""


@dataclass(frozen=True, slots=True)
class ComparedQuery:
    """One query, as it is compared."""

    folded: str
    """The query without regard to case, white space and punctuation."""
    stems: frozenset[str]
    """The stems of its content words."""
    apart: Hashable
    """Queries are compared only where this is equal: the slice and the filters."""
    group: str | None
    """Queries of one group are known to be alike."""


class NearDuplicates:
    """Finds, for each query, the first one before it that is nearly the same."""

    def __init__(self, queries: Sequence[ComparedQuery], budget: int = BUDGET) -> None:
        self._queries = queries
        self._left = budget
        self.unfinished: int | None = None
        """From which query on there was no more comparing; None where all were compared."""

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Return each query that has one with the first that is alike, both as positions."""
        rare = Counter(stem for query in self._queries for stem in query.stems)
        sets, slips = _StemSets(rare), _Slips(self._queries)
        added: set[tuple[Hashable, str, str | None]] = set()
        for position, query in enumerate(self._queries):
            best: int | None = None
            for other in self._candidates(query, (*sets.near(query), *slips.near(position))):
                if best is None or other < best:
                    best = other
            if best is not None:
                yield best, position
            if self._left <= 0:
                self.unfinished = position + 1
                return
            # Of those that are the same in every way that counts, only the first is ever named.
            same = (query.apart, query.folded, query.group)
            if same not in added:
                added.add(same)
                sets.add(position, query)
                slips.add(position)

    def _candidates(self, query: ComparedQuery, buckets: Iterable[Iterable[int]]) -> Iterator[int]:
        """Return the first of every bucket that is not of the same group and not the same query."""
        for bucket in buckets:
            self._left -= 1
            for other in bucket:
                self._left -= 1
                if self._differ(query, self._queries[other]):
                    yield other
                    break
                if self._left <= 0:
                    return

    @staticmethod
    def _differ(one: ComparedQuery, other: ComparedQuery) -> bool:
        return one.folded != other.folded and (one.group is None or one.group != other.group)


class _StemSets:
    """Sets of stems, found again by their rarest stems."""

    def __init__(self, counts: Counter[str]) -> None:
        self._counts = counts
        self._members: dict[tuple[Hashable, frozenset[str]], list[int]] = {}
        self._index: defaultdict[tuple[Hashable, str], list[frozenset[str]]] = defaultdict(list)

    def near(self, query: ComparedQuery) -> Iterator[Iterable[int]]:
        stems, size = query.stems, len(query.stems)
        seen: set[frozenset[str]] = set()
        for stem in self._prefix(stems):
            for other in self._index.get((query.apart, stem), ()):
                if other in seen:
                    continue
                seen.add(other)
                shared = len(stems & other)
                if shared * DENOMINATOR >= NUMERATOR * (size + len(other) - shared):
                    yield self._members[query.apart, other]
                else:
                    yield ()

    def add(self, position: int, query: ComparedQuery) -> None:
        key = (query.apart, query.stems)
        if key not in self._members:
            self._members[key] = []
            for stem in self._prefix(query.stems):
                self._index[query.apart, stem].append(query.stems)
        self._members[key].append(position)

    def _prefix(self, stems: frozenset[str]) -> list[str]:
        size = len(stems)
        least = -(-NUMERATOR * size // DENOMINATOR)
        return sorted(stems, key=lambda stem: (self._counts[stem], stem))[: size - least + 1]


class _Slips:
    """Queries without one word, and that word without one letter."""

    def __init__(self, queries: Sequence[ComparedQuery]) -> None:
        frames = [list(_frames(query)) for query in queries]
        counts = Counter(key for found in frames for key, _ in found)
        self._frames = [[frame for frame in found if counts[frame[0]] > 1] for found in frames]
        self._index: defaultdict[tuple[Hashable, str], list[tuple[str, int]]] = defaultdict(list)

    def near(self, position: int) -> Iterator[Iterable[int]]:
        for key, word in self._frames[position]:
            for short in shortened(word):
                for other, at in self._index.get((key, short), ()):
                    long = max(len(word), len(other)) >= SHORTEST_SLIP
                    yield (at,) if long and one_slip(word, other) else ()

    def add(self, position: int) -> None:
        for key, word in self._frames[position]:
            for short in shortened(word):
                self._index[key, short].append((word, position))


def _frames(query: ComparedQuery) -> Iterator[tuple[Hashable, str]]:
    """Return the words in which a slip is looked for, each with the rest of the query."""
    words = query.folded.split(" ")
    if len(words) > MOST_WORDS:
        return
    for at, word in enumerate(words):
        if len(word) >= SHORTEST_SLIP - 1 and word.isalpha():
            yield (query.apart, at, " ".join([*words[:at], *words[at + 1 :]])), word
