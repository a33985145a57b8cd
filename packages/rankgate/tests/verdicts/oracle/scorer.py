"""A scorer for small cases: which hit reaches which target, and the metrics that gates are drawn for.

States are drawn so that no hit reaches two targets of a case, and no assignment has to be searched for: of
the hits on one target, or on the alternatives of a group, the one that gains most is credited.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING

from verdicts.state import Target, answers_at, tokens_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from verdicts.state import Answer, Case

_TERM = re.compile(r"([+-]?)\s*(?:([\d.]+)\*)?([a-z]\w*)(?:\.(\w+))?(?:\(([^)]*)\))?(?:@(\d+)(tokens)?)?\s*")
BUDGET = 8000
"""How many tokens may be read where nobody says."""


@dataclass(frozen=True)
class Term:
    """One metric of an expression."""

    weight: float
    name: str
    statistic: str
    """Of latency: what is made of all queries."""
    options: Mapping[str, str]
    cut: int | None
    tokens: bool
    """Whether the cut is a budget of tokens."""

    @property
    def width(self) -> float:
        """How far the value of one query can move."""
        if self.name == "tokens_to":
            return float(self.cut or BUDGET)
        if self.name == "rating":
            return float(self.options["max"])
        if self.name == "pndcg":
            return 1 + math.fsum(1 / math.log2(rank + 1) for rank in range(1, (self.cut or 0) + 1))
        return 1.0

    @property
    def rising(self) -> bool:
        """Whether more of it, times its weight, is worse."""
        return (self.name in ("zero", "tokens_to", "latency")) == (self.weight > 0)

    def hits(self, k: int) -> int:
        """Return how many hits it looks at where so many are asked for."""
        if self.name in ("zero", "abstention_p", "abstention_r"):
            return 1
        return k if self.cut is None or self.tokens else self.cut


@cache
def terms(metric: str) -> tuple[Term, ...]:
    """Read an expression: one metric, or a sum of several."""
    found, at = [], 0
    while at < len(metric):
        one = _TERM.match(metric, at)
        if one is None:
            raise ValueError(metric)
        sign, weight, name, statistic, options, cut, tokens = one.groups()
        pairs = [word.partition("=") for word in (options or "").split(",") if word]
        found.append(
            Term(
                weight=(-1 if sign == "-" else 1) * float(weight or 1),
                name=name,
                statistic=statistic or "mean",
                options={key.strip(): value.strip() for key, _, value in pairs},
                cut=None if cut is None else int(cut),
                tokens=tokens is not None,
            )
        )
        at = one.end()
    return tuple(found)


@dataclass(frozen=True)
class Seen:
    """One answer to one case, and by which targets it is scored."""

    case: Case
    answer: Answer
    hits: tuple[str, ...]
    """The ranking that is scored."""
    targets: tuple[Target, ...]
    """What is to be found; of an expected answer, the one place that has it."""
    ms: float | None = None
    told: bool = False
    """Whether the suite judges anything irrelevant, so that unjudged is something else."""

    @classmethod
    def of(cls, case: Case, answer: Answer, *, gated: bool, ms: float | None, told: bool) -> Seen:
        """Look at an answer: as gates do, or with everything that is written down."""
        targets, hits = case.targets, () if isinstance(answer, str) else answer
        if case.answer:
            targets = (Target(answers_at(case.name)),)
        elif gated:
            reviewed = tuple(one for one in targets if one.reviewed)
            aside = [one for one in targets if not one.reviewed]
            hits = tuple(
                hit
                for hit in hits
                if any(reaches(hit, one.place) for one in reviewed)
                or not any(reaches(hit, one.place) for one in aside)
            )
            targets = reviewed
        return cls(case, answer, hits, targets, ms, told)

    @property
    def failed(self) -> bool:
        return self.answer in ("error", "late")

    def units(self, rel: float | None = None) -> list[list[Target]]:
        """Return what is to be found: relevant targets, those of one group together."""
        found: dict[object, list[Target]] = {}
        for number, one in enumerate(self.targets):
            if one.grade > 0 if rel is None else one.grade >= rel:
                found.setdefault(one.group or number, []).append(one)
        return list(found.values())

    def first(self, unit: Sequence[Target], hits: int | None = None) -> int | None:
        """Return the rank of the first hit on any target of a unit."""
        for rank, hit in enumerate(self.hits[:hits], 1):
            if any(reaches(hit, one.place) for one in unit):
                return rank
        return None

    def first_rank(self) -> int | None:
        """Return the rank of the first hit that reaches something relevant."""
        ranks = [rank for unit in self.units() if (rank := self.first(unit)) is not None]
        return min(ranks, default=None)


def value(metric: str, seen: Seen) -> float | None:
    """Score an answer; None where it has no value."""
    values = [_METRICS[term.name](term, seen) for term in terms(metric)]
    if seen.case.answer and any(one.name not in _ESTIMABLE for one in terms(metric)):
        return None
    parts = [term.weight * one for term, one in zip(terms(metric), values, strict=True) if one is not None]
    return math.fsum(parts) if len(parts) == len(values) else None


_ESTIMABLE = ("hit", "rr", "p", "zero", "abstention_p", "abstention_r", "latency")


def parsed(place: str) -> tuple[str, range | None]:
    """Return the path or id of a place, and its lines."""
    path, _, lines = place.partition(":")
    if not lines:
        return path, None
    first, _, last = lines.partition("-")
    return path, range(int(first), int(last) + 1)


@cache
def reaches(hit: str, target: str) -> bool:
    """Return whether a hit is at a target: the same path, and a line in common where the target has lines."""
    (path, lines), (wanted, among) = parsed(hit), parsed(target)
    if path != wanted:
        return False
    if among is None:
        return True
    return lines is not None and bool(set(lines) & set(among))


def _gain(term: Term, grade: int) -> float:
    return 2.0**grade - 1 if term.options.get("gain") == "exp" else float(grade)


def _dcg(term: Term, seen: Seen) -> float:
    total = []
    for unit in seen.units():
        gains = [
            _gain(term, one.grade) / math.log2(rank + 1)
            for rank, hit in enumerate(seen.hits[: term.cut], 1)
            for one in unit
            if reaches(hit, one.place)
        ]
        total.append(max(gains, default=0.0))
    return math.fsum(total)


def _ideal(term: Term, seen: Seen) -> float:
    best = sorted((max(_gain(term, one.grade) for one in unit) for unit in seen.units()), reverse=True)
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(best[: term.cut], 1))


def _ndcg(term: Term, seen: Seen) -> float | None:
    return _dcg(term, seen) / _ideal(term, seen) if seen.units() else None


def _pndcg(term: Term, seen: Seen) -> float | None:
    units = seen.units()
    if not units or not seen.case.exhaustive:
        return None
    largest = max(one.grade for unit in units for one in unit)
    wrong = [
        1 / math.log2(rank + 1)
        for rank, hit in enumerate(seen.hits[: term.cut], 1)
        if not any(reaches(hit, one.place) for unit in units for one in unit)
    ]
    return (_dcg(term, seen) - largest * math.fsum(wrong)) / _ideal(term, seen)


def _within(term: Term, seen: Seen) -> int:
    """Return how many hits are looked at."""
    if not term.tokens:
        return len(seen.hits) if term.cut is None else term.cut
    return sum(total <= (term.cut or 0) for total in accumulate(map(tokens_of, seen.hits)))


def _reached(term: Term, seen: Seen) -> tuple[int, int] | None:
    """Return how many units are reached within the cut, and how many there are; None where there is none."""
    rel = term.options.get("rel")
    units = seen.units(None if rel is None else float(rel))
    deep = _within(term, seen)
    return (sum(seen.first(unit, deep) is not None for unit in units), len(units)) if units else None


def _precision(term: Term, seen: Seen) -> float | None:
    found = _reached(term, seen)
    return None if found is None else found[0] / (term.cut or 1)


def _recall(term: Term, seen: Seen) -> float | None:
    found = _reached(term, seen)
    return None if found is None else found[0] / found[1]


def _all(term: Term, seen: Seen) -> float | None:
    found = _reached(term, seen)
    return None if found is None else float(found[0] == found[1])


def _hit(term: Term, seen: Seen) -> float | None:
    found = _reached(term, seen)
    return None if found is None else float(found[0] > 0)


def _rr(term: Term, seen: Seen) -> float | None:
    rel = term.options.get("rel")
    units = seen.units(None if rel is None else float(rel))
    ranks = [rank for unit in units if (rank := seen.first(unit, term.cut)) is not None]
    return (1 / min(ranks) if ranks else 0.0) if units else None


def _ap(term: Term, seen: Seen) -> float | None:
    units = seen.units()
    ranks = sorted(rank for unit in units if (rank := seen.first(unit, term.cut)) is not None)
    found = [number / rank for number, rank in enumerate(ranks, 1)]
    return math.fsum(found) / len(units) if units else None


def _rating(term: Term, seen: Seen) -> float | None:
    if not seen.units():
        return None
    grades, before = [], set[str]()
    for hit in seen.hits[: term.cut]:
        reached = [one.grade for one in seen.targets if reaches(hit, one.place)]
        if reached or seen.case.exhaustive:
            grades.append(0 if hit in before else max(0, *reached, 0))
        before.add(hit)
    return sum(grades) / len(grades) if grades else 0.0


def _judged(term: Term, seen: Seen) -> float | None:
    if seen.case.exhaustive:
        return 1.0
    hits = seen.hits[: term.cut]
    judged = sum(any(reaches(hit, one.place) for one in seen.targets) for hit in hits)
    return (judged / len(hits) if hits else 0.0) if seen.told else None


def _tokens_to(term: Term, seen: Seen) -> float | None:
    units, budget = seen.units(), term.cut or BUDGET
    if not units:
        return None
    wanted = math.ceil(float(term.options.get("recall", "1")) * len(units) - 1e-9)
    ranks = sorted(rank for unit in units if (rank := seen.first(unit)) is not None)
    if len(ranks) < wanted:
        return float(budget)
    return float(min(budget, sum(map(tokens_of, seen.hits[: ranks[wanted - 1]]))))


def _zero(_: Term, seen: Seen) -> float | None:
    return None if seen.failed or seen.case.empty else float(not seen.answer or seen.answer == "missing")


def _abstention_r(_: Term, seen: Seen) -> float | None:
    return float(seen.answer == ()) if seen.case.empty and not seen.failed else None


def _abstention_p(_: Term, seen: Seen) -> float | None:
    known = seen.case.empty or seen.units()
    if seen.failed or not known or seen.answer not in ((), "missing"):
        return None
    return float(seen.case.empty and seen.answer == ())


def _latency(_: Term, seen: Seen) -> float | None:
    return seen.ms


_METRICS: dict[str, Callable[[Term, Seen], float | None]] = {
    "ndcg": _ndcg,
    "pndcg": _pndcg,
    "p": _precision,
    "r": _recall,
    "all": _all,
    "hit": _hit,
    "rr": _rr,
    "ap": _ap,
    "rating": _rating,
    "judged": _judged,
    "tokens_to": _tokens_to,
    "zero": _zero,
    "abstention_r": _abstention_r,
    "abstention_p": _abstention_p,
    "latency": _latency,
}
