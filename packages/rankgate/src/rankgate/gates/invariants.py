"""Invariants: relations between answers that hold whatever the right answer is.

Judged from the answers that were stored. Nothing passes over nothing: where a relation is about hits, an
answer without any fails. A query that the system failed to answer leaves its invariant open.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, TypeAlias

from rankgate.gates.checks import CheckResult, InvariantResult, as_targets
from rankgate.gates.scenarios import NOT_ASKED
from rankgate.model import Answer, Relation
from rankgate.model.locations import fits_glob
from rankgate.model.probes import query_id
from rankgate.model.wording import many, quoted
from rankgate.scoring.placements import reaches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from rankgate.gates.probe_answers import ProbeAnswers
    from rankgate.model import Invariant, Matching
    from rankgate.runs.store.hits import HitRow
    from rankgate.runs.store.tables import Run
    from rankgate.truth.locations.resolve import ResolvedTop

    _Both: TypeAlias = tuple[Sequence[HitRow], Sequence[HitRow]]

TOLERANCE = 1e-6
"""By what part two scores may differ and still count as equal."""


@dataclass(frozen=True, slots=True)
class _Answers:
    """The answers to the queries of one invariant."""

    invariant: Invariant
    hits: tuple[tuple[HitRow, ...], ...]
    """The hits of each query, no more than were asked for."""
    every: tuple[tuple[HitRow, ...], ...]
    """All that came back."""
    reached: tuple[tuple[int, ...], tuple[int, ...]]
    """The ranks of the hits on `above`, and of those on `below`."""

    def text(self, number: int) -> str:
        return quoted(self.invariant.queries[number].text)

    def without_hits(self) -> list[str]:
        empty = dict.fromkeys(self.text(at) for at, hits in enumerate(self.hits) if not hits)
        return [f"no hits for {text}" for text in empty]


def judge_invariants(
    invariants: Sequence[Invariant],
    answers: ProbeAnswers,
    run: Run | None,
    tops: Mapping[str, Sequence[ResolvedTop]],
    matching: Matching,
) -> tuple[InvariantResult, ...]:
    """Return of every invariant whether it holds.

    Args:
        invariants: What must hold.
        answers: What was answered.
        run: The same, for finding locations by the rule that scores go by.
        tops: For ranks-above, the locations of `above` and `below`, by the name of the probe.
        matching: When a hit reaches a location.
    """
    wanted = {
        name: tops[name]
        for one in invariants
        if one.relation is Relation.RANKS_ABOVE and (name := query_id(one.name, 0)) in tops
    }
    reached = _reached(wanted, answers, run, matching) if run is not None and wanted else {}
    return tuple(_judged(one, answers, reached) for one in invariants)


def _judged(
    invariant: Invariant, answers: ProbeAnswers, reached: Mapping[tuple[str, int], tuple[int, ...]]
) -> InvariantResult:
    def ended(result: CheckResult, reasons: Iterable[str] = ()) -> InvariantResult:
        return InvariantResult(invariant.name, invariant.relation, result, tuple(reasons), invariant.where)

    if not answers.asked:
        return ended(CheckResult.NOT_RUN, [NOT_ASKED])
    names = [query_id(invariant.name, number) for number in range(len(invariant.queries))]
    given = [answers[name] for name in names]
    texts = [query.text for query in invariant.queries]
    if failed := [one.unanswered(text) for one, text in zip(given, texts, strict=True) if one.failed]:
        return ended(CheckResult.NOT_RUN, failed)
    missing = [text for one, text in zip(given, texts, strict=True) if one.status is Answer.MISSING]
    if missing or not given:
        said = [f"the run does not have {quoted(text)}" for text in missing]
        return ended(CheckResult.FAILED, said or ["it asks nothing"])
    above, below = (reached.get((names[0], number), ()) for number in (0, 1))
    every = tuple(one.hits for one in given)
    hits = tuple(one[: query.k] for one, query in zip(every, invariant.queries, strict=True))
    reasons = _JUDGES[invariant.relation](_Answers(invariant, hits, every, (above, below)))
    return ended(CheckResult.FAILED if reasons else CheckResult.PASSED, reasons)


def _same_results(given: _Answers) -> list[str]:
    if empty := given.without_hits():
        return empty
    by_document = given.invariant.by == "document"
    first, *others = (_merged(hits) if by_document else hits for hits in given.hits)
    compare = _in_order if given.invariant.order else _in_any_order
    found = [
        compare((first, hits), (given.text(0), given.text(number)), by_document=by_document)
        for number, hits in enumerate(others, 1)
    ]
    return list(filter(None, found)) if others else ["there is one query, and nothing to compare it with"]


def _in_order(both: _Both, texts: tuple[str, str], *, by_document: bool) -> str:
    for rank, (one, other) in enumerate(zip_longest(*both), 1):
        if _key(one, by_document=by_document) != _key(other, by_document=by_document):
            said = [_named(hit, by_document=by_document) for hit in (one, other)]
            return f"{texts[0]} has {said[0]} at rank {rank}, {texts[1]} has {said[1]}"
    return ""


def _in_any_order(both: _Both, texts: tuple[str, str], *, by_document: bool) -> str:
    keys = [[_key(hit, by_document=by_document) for hit in hits] for hits in both]
    for mine, theirs in ((0, 1), (1, 0)):
        only = Counter(keys[mine]) - Counter(keys[theirs])
        alone = next((hit for hit, key in zip(both[mine], keys[mine], strict=True) if key in only), None)
        if alone is not None:
            named, of = _named(alone, by_document=by_document), len(both[mine])
            return f"only {texts[mine]} has {named}, {many(only.total(), 'hit')} of its own in {of}"
    return ""


def _key(hit: HitRow | None, *, by_document: bool) -> object:
    return None if hit is None else hit.document if by_document else hit.identity


def _merged(hits: Sequence[HitRow]) -> tuple[HitRow, ...]:
    return tuple({hit.document: hit for hit in reversed(hits)}.values())[::-1]


def _named(hit: HitRow | None, *, by_document: bool) -> str:
    if hit is None:
        return "no hit"
    return str(hit.path if by_document and hit.path is not None else hit)


def _ranks_above(given: _Answers) -> list[str]:
    invariant, k = given.invariant, given.invariant.queries[0].k
    above, below = (min(ranks, default=None) for ranks in given.reached)
    if above is None:
        among = many(len(given.every[0]), "hit")
        return [f"{invariant.above} is not among {among}"]
    if above > k:
        return [f"{invariant.above} is at rank {above}, not among the first {k}"]
    if below is None or above < below:
        return []
    if above == below:
        return [f"the hit at rank {above} is {invariant.above} as much as {invariant.below}"]
    return [f"{invariant.above} is at rank {above}, below {invariant.below} at rank {below}"]


def _filter_only(given: _Answers) -> list[str]:
    invariant, (hits, *_) = given.invariant, given.every
    if not hits:
        return given.without_hits()
    outside = [
        (rank, hit)
        for rank, hit in enumerate(hits, 1)
        if not any(fits_glob(hit.path or hit.id or "", glob) for glob in invariant.only)
    ]
    if not outside:
        return []
    rank, hit = outside[0]
    of = f"{len(outside)} of {many(len(hits), 'hit')} outside {', '.join(invariant.only)}"
    return [f"{hit} at rank {rank} is not what the filters ask for: {of}"]


def _single_term_no_bonus(given: _Answers) -> list[str]:
    if empty := given.without_hits():
        return empty
    if any(hit.score is None or not math.isfinite(hit.score) for hits in given.hits for hit in hits):
        return ["the system gives no scores"]
    alone, beside = ({hit.identity: hit for hit in reversed(hits)} for hits in given.hits[:2])
    both = [(hit, beside[key]) for key, hit in reversed(alone.items()) if key in beside]
    if not both:
        return [f"{given.text(0)} and {given.text(1)} have no hit in common"]
    more = [(one, other) for one, other in both if _larger(one.score or 0.0, other.score or 0.0)]
    if not more:
        return []
    hit, other = more[0]
    of = f"{len(more)} of {many(len(both), 'hit')}"
    scores = f"{_score(hit.score)} for {given.text(0)} and {_score(other.score)} for {given.text(1)}"
    return [f"{hit} scores {scores}: a bonus for one word, in {of}"]


def _larger(one: float, other: float) -> bool:
    return one - other > TOLERANCE * max(abs(one), abs(other))


def _score(score: float | None) -> str:
    return f"{score or 0.0:.7g}"


def _monotone(given: _Answers) -> list[str]:
    if not given.hits[-1]:
        return given.without_hits()
    found = []
    sizes = [query.k for query in given.invariant.queries]
    for number, (fewer, more) in enumerate(pairwise(given.hits)):
        asked = f"for {sizes[number]} hits", f"for {sizes[number + 1]}"
        if not fewer:
            found.append(f"asked {asked[0]} there are none, {asked[1]} there are {len(more)}")
            continue
        for rank, (one, other) in enumerate(zip_longest(fewer, more[: len(fewer)]), 1):
            if other is None or one.identity != other.identity:
                said = _named(other, by_document=False)
                found.append(f"asked {asked[0]}, {one} is at rank {rank}; {asked[1]}, {said}")
                break
    return found


def _stable(given: _Answers) -> list[str]:
    if empty := given.without_hits():
        return empty
    for time, hits in enumerate(given.hits[1:], 2):
        for rank, (one, other) in enumerate(zip_longest(given.hits[0], hits), 1):
            if one is None or other is None or (one.id, one.identity) != (other.id, other.identity):
                said = [_named(hit, by_document=False) for hit in (one, other)]
                again = f"when asked again ({time} of {len(given.hits)})"
                return [f"{said[0]} is at rank {rank} at first, {said[1]} {again}"]
    return [] if len(given.hits) > 1 else ["it was asked once, and there is nothing to compare"]


def _empty(given: _Answers) -> list[str]:
    return [
        f"{given.text(number)} has {many(len(hits), 'hit')}, the first {hits[0]}"
        for number, hits in enumerate(given.every)
        if hits
    ]


_JUDGES: Mapping[Relation, Callable[[_Answers], list[str]]] = {
    Relation.SAME_RESULTS: _same_results,
    Relation.RANKS_ABOVE: _ranks_above,
    Relation.FILTER_ONLY: _filter_only,
    Relation.SINGLE_TERM_NO_BONUS: _single_term_no_bonus,
    Relation.MONOTONE: _monotone,
    Relation.STABLE: _stable,
    Relation.EMPTY: _empty,
}


def _reached(
    tops: Mapping[str, Sequence[ResolvedTop]], answers: ProbeAnswers, run: Run, matching: Matching
) -> dict[tuple[str, int], tuple[int, ...]]:
    """Return the ranks of the hits on each location.

    Where one location lies in the other, as a method in its class, a hit on either reaches both. It then
    counts for the one whose lines it has more alone: lines in both / lines in either.
    """
    found: dict[str, dict[int, set[int]]] = {}
    for name, number, rank in reaches(as_targets(matching, tops), run).iter_rows():
        found.setdefault(name, {}).setdefault(rank, set()).add(number)
    ranks: dict[tuple[str, int], list[int]] = {}
    for name, by_rank in found.items():
        for rank, numbers in sorted(by_rank.items()):
            hit = answers[name].hits[rank - 1]
            alike = {number: _alike(hit, tops[name][number]) for number in numbers}
            for number in sorted(numbers):
                if alike[number] == max(alike.values()):
                    ranks.setdefault((name, number), []).append(rank)
    return {key: tuple(some) for key, some in ranks.items()}


def _alike(hit: HitRow, top: ResolvedTop) -> float:
    if hit.start is None or hit.end is None or top.start is None or top.end is None:
        return float((hit.start is None) == (top.start is None))
    both = max(0, min(hit.end, top.end) - max(hit.start, top.start) + 1)
    return both / ((hit.end - hit.start + 1) + (top.end - top.start + 1) - both)
