"""Invariants: relations between the results of queries that do not depend on judgments.

An invariant about results fails if a query has none. It is not run if the system failed on a query.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import combinations, pairwise, zip_longest
from typing import TYPE_CHECKING

from rankgate.gates.checks import ProbeResult, as_targets
from rankgate.gates.scenarios import NO_SYSTEM
from rankgate.locations import fits_glob
from rankgate.model import Answer, Relation, query_id
from rankgate.scoring.placements import reaches
from rankgate.wording import many, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from rankgate.gates.probe_answers import ProbeAnswers
    from rankgate.model import Invariant, Matching
    from rankgate.runs.store.hits import HitRow
    from rankgate.runs.store.tables import Run
    from rankgate.truth.resolve import ResolvedTop

TOLERANCE = 1e-6
"""The relative difference up to which two scores are equal."""


@dataclass(frozen=True, slots=True)
class _Results:
    """The results of the queries of one invariant."""

    invariant: Invariant
    first: tuple[tuple[HitRow, ...], ...]
    """The first k results of each query."""
    every: tuple[tuple[HitRow, ...], ...]
    """All results of each query."""
    ranks: Mapping[int, tuple[int, ...]]
    """For ranks-above: the ranks of the results on each location, by its number in `above`, then `below`."""

    def text(self, number: int) -> str:
        return quoted(self.invariant.queries[number].text)

    def without_results(self) -> list[str]:
        empty = dict.fromkeys(self.text(at) for at, hits in enumerate(self.first) if not hits)
        return [f"no results for {text}" for text in empty]


def check_invariants(
    invariants: Sequence[Invariant],
    answers: ProbeAnswers,
    run: Run | None,
    tops: Mapping[str, Sequence[ResolvedTop]],
    matching: Matching,
) -> tuple[ProbeResult, ...]:
    """Check every invariant.

    Args:
        invariants: The invariants, without those that name a missing location.
        answers: The results of their queries.
        run: The same results, to find the locations of ranks-above by the rules of scoring.
        tops: The locations of `above`, then `below`, of each ranks-above, by the name of its query.
        matching: When a result reaches a location.
    """
    located = {
        name: tops[name]
        for one in invariants
        if one.relation is Relation.RANKS_ABOVE and (name := query_id(one.name, 0)) in tops
    }
    ranks = _ranks(located, answers, run, matching) if run is not None and located else {}
    results = []
    for one in invariants:
        passed, reasons = _check(one, answers, ranks.get(query_id(one.name, 0), {}))
        results.append(
            ProbeResult("invariant", one.name, passed, tuple(reasons), where=one.where, known=one.xfail)
        )
    return tuple(results)


def _check(
    invariant: Invariant, answers: ProbeAnswers, ranks: Mapping[int, tuple[int, ...]]
) -> tuple[bool | None, list[str]]:
    """Return whether an invariant passed, None if it was not run, and why not."""
    if not answers.available:
        return None, [NO_SYSTEM]
    given = [answers[query_id(invariant.name, number)] for number in range(len(invariant.queries))]
    texts = [query.text for query in invariant.queries]
    if errors := [one.error_text(text) for one, text in zip(given, texts, strict=True) if one.failed]:
        return None, errors
    absent = [text for one, text in zip(given, texts, strict=True) if one.status is Answer.MISSING]
    if absent:
        return False, [f"the run does not contain {quoted(text)}" for text in absent]
    if not given:
        return False, ["no queries"]
    every = tuple(one.hits for one in given)
    first = tuple(hits[: query.k] for hits, query in zip(every, invariant.queries, strict=True))
    reasons = [*_RELATIONS[invariant.relation](_Results(invariant, first, every, ranks))]
    return not reasons, reasons


def _same_results(found: _Results) -> list[str]:
    if len(found.first) < 2:
        return ["one query cannot be compared with another"]
    differences = (_difference(found, 0, number) for number in range(1, len(found.first)))
    return found.without_results() or [text for text in differences if text]


def _different_results(found: _Results) -> list[str]:
    if len(found.first) < 2:
        return ["one query cannot be compared with another"]
    return found.without_results() or [
        f"{found.text(one)} and {found.text(other)} have the same results"
        for one, other in combinations(range(len(found.first)), 2)
        if not _difference(found, one, other)
    ]


def _difference(found: _Results, one: int, other: int) -> str:
    """Return the first difference between the results of two queries; empty if there is none."""
    by_document = found.invariant.by == "document"
    both = [_documents(found.first[at]) if by_document else found.first[at] for at in (one, other)]
    texts = found.text(one), found.text(other)
    if found.invariant.order:
        for rank, pair in enumerate(zip_longest(*both), 1):
            if _key(pair[0], by_document=by_document) != _key(pair[1], by_document=by_document):
                names = [_name(hit, by_document=by_document) for hit in pair]
                return f"{texts[0]} has {names[0]} at rank {rank}, {texts[1]} has {names[1]}"
        return ""
    keys = [[_key(hit, by_document=by_document) for hit in hits] for hits in both]
    for mine, theirs in ((0, 1), (1, 0)):
        only = Counter(keys[mine]) - Counter(keys[theirs])
        alone = next((hit for hit, key in zip(both[mine], keys[mine], strict=True) if key in only), None)
        if alone is not None:
            name, of = _name(alone, by_document=by_document), many(len(both[mine]), "result")
            return f"only {texts[mine]} has {name}; {only.total()} of its {of} differ"
    return ""


def _key(hit: HitRow | None, *, by_document: bool) -> object:
    return None if hit is None else hit.document if by_document else hit.identity


def _documents(hits: Sequence[HitRow]) -> tuple[HitRow, ...]:
    """Return the first result of each document."""
    return tuple({hit.document: hit for hit in reversed(hits)}.values())[::-1]


def _name(hit: HitRow | None, *, by_document: bool = False) -> str:
    if hit is None:
        return "no result"
    return str(hit.path if by_document and hit.path is not None else hit)


def _ranks_above(found: _Results) -> Iterator[str]:
    invariant, k = found.invariant, found.invariant.queries[0].k
    ranked = [
        (location, min(found.ranks.get(number, ()), default=None))
        for number, location in enumerate((*invariant.above, *invariant.below))
    ]
    below = [(location, rank) for location, rank in ranked[len(invariant.above) :] if rank is not None]
    for location, rank in ranked[: len(invariant.above)]:
        if rank is None or rank > k:
            later = "" if rank is None else f"; it is at rank {rank}"
            yield f"{location} is not within the first {many(min(k, len(found.every[0])), 'result')}{later}"
            continue
        for other, lower in below:
            if rank == lower:
                yield f"the result at rank {rank} matches {location} as well as {other}"
            elif rank > lower:
                yield f"{location} is at rank {rank}, below {other} at rank {lower}"


def _filter_only(found: _Results) -> list[str]:
    invariant, (hits, *_) = found.invariant, found.every
    if not hits:
        return found.without_results()
    outside = [
        hit for hit in hits if not any(fits_glob(hit.path or hit.id or "", glob) for glob in invariant.only)
    ]
    if not outside:
        return []
    of = f"{len(outside)} of {many(len(hits), 'result')} outside {', '.join(invariant.only)}"
    return [f"{outside[0]} at rank {outside[0].rank} does not match the filters: {of}"]


def _single_term_no_bonus(found: _Results) -> list[str]:
    if empty := found.without_results():
        return empty
    if any(hit.score is None or not math.isfinite(hit.score) for hits in found.first for hit in hits):
        return ["the system returns no scores"]
    alone, beside = ({hit.identity: hit for hit in reversed(hits)} for hits in found.first[:2])
    both = [(hit, beside[key]) for key, hit in reversed(alone.items()) if key in beside]
    if not both:
        return [f"{found.text(0)} and {found.text(1)} have no result in common"]
    more = [(one, other) for one, other in both if _larger(one.score or 0.0, other.score or 0.0)]
    if not more:
        return []
    hit, other = more[0]
    scores = f"{_score(hit.score)} for {found.text(0)} and {_score(other.score)} for {found.text(1)}"
    return [f"{hit} scores {scores}: a bonus for one word, in {len(more)} of {many(len(both), 'result')}"]


def _larger(one: float, other: float) -> bool:
    return one - other > TOLERANCE * max(abs(one), abs(other))


def _score(score: float | None) -> str:
    return f"{score or 0.0:.7g}"


def _rare_term(found: _Results) -> list[str]:
    if empty := found.without_results():
        return empty
    first, k = found.first[0][0], found.invariant.queries[1].k
    rank = next((hit.rank for hit in found.every[1] if hit.identity == first.identity), None)
    if rank is not None and rank <= k:
        return []
    place = "not found" if rank is None else f"at rank {rank}"
    return [f"{first}, the first result of {found.text(0)}, is {place} for {found.text(1)}, not within {k}"]


def _monotone(found: _Results) -> list[str]:
    if not found.first[-1]:
        return found.without_results()
    reasons = []
    sizes = [query.k for query in found.invariant.queries]
    for number, (fewer, more) in enumerate(pairwise(found.first)):
        smaller, larger = f"k = {sizes[number]}", f"k = {sizes[number + 1]}"
        if not fewer:
            reasons.append(f"no results with {smaller}, {many(len(more), 'result')} with {larger}")
            continue
        for rank, (one, other) in enumerate(zip_longest(fewer, more[: len(fewer)]), 1):
            if other is None or one.identity != other.identity:
                reasons.append(f"rank {rank} is {one} with {smaller}, {_name(other)} with {larger}")
                break
    return reasons


def _stable(found: _Results) -> list[str]:
    if empty := found.without_results():
        return empty
    for repeat, hits in enumerate(found.first[1:], 2):
        for rank, (one, other) in enumerate(zip_longest(found.first[0], hits), 1):
            if one is None or other is None or (one.id, one.identity) != (other.id, other.identity):
                of = f"run {repeat} of {len(found.first)}"
                return [f"rank {rank} is {_name(one)} in run 1, {_name(other)} in {of}"]
    return [] if len(found.first) > 1 else ["the query was run only once"]


def _empty(found: _Results) -> list[str]:
    return [
        f"{found.text(number)} has {many(len(hits), 'result')}, the first is {hits[0]}"
        for number, hits in enumerate(found.every)
        if hits
    ]


_RELATIONS: Mapping[Relation, Callable[[_Results], Iterable[str]]] = {
    Relation.SAME_RESULTS: _same_results,
    Relation.DIFFERENT_RESULTS: _different_results,
    Relation.RANKS_ABOVE: _ranks_above,
    Relation.FILTER_ONLY: _filter_only,
    Relation.SINGLE_TERM_NO_BONUS: _single_term_no_bonus,
    Relation.RARE_TERM: _rare_term,
    Relation.MONOTONE: _monotone,
    Relation.STABLE: _stable,
    Relation.EMPTY: _empty,
}


def _ranks(
    tops: Mapping[str, Sequence[ResolvedTop]], answers: ProbeAnswers, run: Run, matching: Matching
) -> dict[str, dict[int, tuple[int, ...]]]:
    """Return the ranks of the results on each location, by query and number of the location.

    A result on a method reaches its class too. It then counts for the location that is most like it: lines in
    both divided by lines in either.
    """
    reached: dict[str, dict[int, set[int]]] = {}
    for name, number, rank in reaches(as_targets(matching, tops), run).iter_rows():
        reached.setdefault(name, {}).setdefault(rank, set()).add(number)
    ranks: dict[str, dict[int, tuple[int, ...]]] = {}
    for name, by_rank in reached.items():
        mine = ranks.setdefault(name, {})
        for rank, numbers in sorted(by_rank.items()):
            hit = answers[name].hits[rank - 1]
            overlap = {number: _overlap(hit, tops[name][number]) for number in numbers}
            for number in sorted(numbers):
                if overlap[number] == max(overlap.values()):
                    mine[number] = (*mine.get(number, ()), rank)
    return ranks


def _overlap(hit: HitRow, top: ResolvedTop) -> float:
    if hit.start is None or hit.end is None or top.start is None or top.end is None:
        return float((hit.start is None) == (top.start is None))
    both = max(0, min(hit.end, top.end) - max(hit.start, top.start) + 1)
    return both / ((hit.end - hit.start + 1) + (top.end - top.start + 1) - both)
