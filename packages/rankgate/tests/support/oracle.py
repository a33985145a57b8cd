"""What the numbers must be, by brute force over every way to credit hits. For tiny inputs only.

A place is an id, or a path with its first and last line. None stands for undefined.
"""

from __future__ import annotations

from itertools import product
from math import log2
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

Place: TypeAlias = str | tuple[str, int, int]


class Aim(NamedTuple):
    """One judged place. Aims of one group are alternatives; no group is named like a place."""

    place: Place
    grade: float
    group: str | None = None

    @property
    def unit(self) -> object:
        return self.group or self.place


def reaches(hit: Place, aim: Aim) -> bool:
    if isinstance(hit, str) or isinstance(aim.place, str):
        return hit == aim.place
    return hit[0] == aim.place[0] and hit[1] <= aim.place[2] and aim.place[1] <= hit[2]


def relevant(aims: Sequence[Aim], rel: float | None = None) -> list[Aim]:
    return [aim for aim in aims if (aim.grade > 0 if rel is None else aim.grade >= rel)]


def creditings(hits: Sequence[Place], aims: Sequence[Aim]) -> list[tuple[Aim | None, ...]]:
    """List every way to credit hits: one aim a hit, one hit a unit, nothing for a repeated location."""
    choices = [
        [None, *(aim for aim in aims if reaches(hit, aim) and hit not in hits[:rank])]
        for rank, hit in enumerate(hits)
    ]
    ways = product(*choices)
    used = ((way, [aim.unit for aim in way if aim]) for way in ways)
    return [way for way, units in used if len(units) == len(set(units))]


def gain(grade: float, exp: bool = False) -> float:
    return max(0.0, 2**grade - 1 if exp else grade)


def dcg_of(grades: Sequence[float], exp: bool = False) -> float:
    return sum(gain(grade, exp) / log2(rank + 1) for rank, grade in enumerate(grades, 1))


def gains_of(way: tuple[Aim | None, ...], exp: bool) -> list[float]:
    """Give the gain of every hit under one crediting."""
    return [gain(aim.grade, exp) if aim else 0.0 for aim in way]


def discounted(gains: Sequence[float]) -> float:
    return sum(one / log2(rank + 1) for rank, one in enumerate(gains, 1))


def dcg(hits: Sequence[Place], aims: Sequence[Aim], k: int, exp: bool = False) -> float | None:
    if not relevant(aims):
        return None
    return max(discounted(gains_of(way, exp)) for way in creditings(hits[:k], aims))


def ideal(aims: Sequence[Aim], k: int, exp: bool = False) -> float:
    best: dict[object, float] = {}
    for aim in aims:
        best[aim.unit] = max(aim.grade, best.get(aim.unit, aim.grade))
    return dcg_of(sorted(best.values(), reverse=True)[:k], exp)


def ndcg(hits: Sequence[Place], aims: Sequence[Aim], k: int, exp: bool = False) -> float | None:
    found = dcg(hits, aims, k, exp)
    return None if found is None else found / ideal(aims, k, exp)


def pndcg(hits: Sequence[Place], aims: Sequence[Aim], k: int) -> float | None:
    """Score an exhaustive case."""
    found = dcg(hits, aims, k)
    if found is None:
        return None
    top = max(aim.grade for aim in aims)
    wrong = [0.0 if any(reaches(hit, aim) for aim in relevant(aims)) else top for hit in hits[:k]]
    return (found - dcg_of(wrong)) / ideal(aims, k)


def err(hits: Sequence[Place], aims: Sequence[Aim], k: int, top: float) -> list[float] | None:
    """Give the ERR of every crediting whose DCG is the largest; ties in DCG may differ in ERR."""
    if not relevant(aims):
        return None
    ways = [(way, discounted(gains_of(way, False))) for way in creditings(hits[:k], aims)]
    most = max(worth for _, worth in ways)
    best = [way for way, worth in ways if abs(worth - most) <= 1e-9]
    return [_cascade(gains_of(way, True), top) for way in best]


def _cascade(gains: Sequence[float], top: float) -> float:
    total, still_looking = 0.0, 1.0
    for rank, one in enumerate(gains, 1):
        stops = one / 2**top
        total += still_looking * stops / rank
        still_looking *= 1 - stops
    return total


def credited(hits: Sequence[Place], aims: Sequence[Aim], rel: float | None = None) -> list[bool]:
    """Say which hits a binary measure counts: as many as can be, and of those the earliest."""
    ways = [[aim is not None for aim in way] for way in creditings(hits, relevant(aims, rel))]
    return max(ways, key=lambda way: (sum(way), way))


def units(aims: Sequence[Aim], rel: float | None = None) -> int:
    return len({aim.unit for aim in relevant(aims, rel)})


def ap(hits: Sequence[Place], aims: Sequence[Aim], k: int, rel: float | None = None) -> float | None:
    counted = credited(hits[:k], aims, rel)
    total = sum(sum(counted[:rank]) / rank for rank, counts in enumerate(counted, 1) if counts)
    return total / units(aims, rel) if units(aims, rel) else None


def p(hits: Sequence[Place], aims: Sequence[Aim], k: int | None, rel: float | None = None) -> float | None:
    """Without a cut, divide by the hits returned."""
    if not units(aims, rel):
        return None
    return sum(credited(hits[:k], aims, rel)) / (len(hits) if k is None else k) if hits else 0.0


def p_any(hits: Sequence[Place], aims: Sequence[Aim], k: int) -> float | None:
    right = {hit for hit in hits[:k] if any(reaches(hit, aim) for aim in relevant(aims))}
    return len(right) / k if units(aims) else None


def r(hits: Sequence[Place], aims: Sequence[Aim], k: int | None, rel: float | None = None) -> float | None:
    found = {aim.unit for aim in relevant(aims, rel) if any(reaches(hit, aim) for hit in hits[:k])}
    return len(found) / units(aims, rel) if units(aims, rel) else None


def hit(hits: Sequence[Place], aims: Sequence[Aim], k: int) -> float | None:
    recall = r(hits, aims, k)
    return None if recall is None else float(recall > 0)


def rr(hits: Sequence[Place], aims: Sequence[Aim], k: int | None, rel: float | None = None) -> float | None:
    ranks = [
        n for n, found in enumerate(hits[:k], 1) if any(reaches(found, aim) for aim in relevant(aims, rel))
    ]
    return (1 / ranks[0] if ranks else 0.0) if units(aims, rel) else None


def rprec(hits: Sequence[Place], aims: Sequence[Aim], rel: float | None = None) -> float | None:
    return p(hits, aims, units(aims, rel), rel)


def f1(hits: Sequence[Place], aims: Sequence[Aim], k: int | None) -> float | None:
    precision, recall = p(hits, aims, k), r(hits, aims, k)
    if precision is None or recall is None:
        return None
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def rbp(hits: Sequence[Place], aims: Sequence[Aim], persistence: float) -> float | None:
    counted = credited(hits, aims)
    total = sum(persistence**above for above, counts in enumerate(counted) if counts)
    return (1 - persistence) * total if units(aims) else None


def judged(hits: Sequence[Place], aims: Sequence[Aim], k: int, *, irrelevant: bool) -> float | None:
    """Score a case that is not exhaustive, in a suite that judges something irrelevant or does not."""
    if not irrelevant:
        return None
    known = [any(reaches(found, aim) for aim in aims) for found in hits[:k]]
    return sum(known) / len(known) if known else 0.0
