"""A scorer for small cases: which hit reaches which target, and five metrics.

States are drawn so that no hit reaches two targets of a case, so that no assignment has to be searched for.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verdicts.state import Answer, Target


def parsed(place: str) -> tuple[str, range | None]:
    """Return the path or id of a place, and its lines."""
    path, _, lines = place.partition(":")
    if not lines:
        return path, None
    first, _, last = lines.partition("-")
    return path, range(int(first), int(last) + 1)


def reaches(hit: str, target: str) -> bool:
    """Return whether a hit is at a target: the same path, and a line in common where the target has lines."""
    (path, lines), (wanted, among) = parsed(hit), parsed(target)
    if path != wanted:
        return False
    if among is None:
        return True
    return lines is not None and bool(set(lines) & set(among))


def gated(answer: Answer, targets: Sequence[Target]) -> tuple[list[str], list[Target]]:
    """Return the hits and the targets that a gate scores: without what is unreviewed or reaches only that."""
    if isinstance(answer, str):
        return [], [one for one in targets if one.reviewed]
    reviewed = [one for one in targets if one.reviewed]
    aside = [one for one in targets if not one.reviewed]
    hits = [
        hit
        for hit in answer
        if any(reaches(hit, one.place) for one in reviewed)
        or not any(reaches(hit, one.place) for one in aside)
    ]
    return hits, reviewed


def value(metric: str, hits: Sequence[str], targets: Sequence[Target]) -> float | None:
    """Score a ranking; None where nothing relevant is judged."""
    name, _, cut = metric.partition("@")
    k = int(cut)
    relevant = [one for one in targets if one.grade > 0]
    if not relevant:
        return None
    gains = _gains(hits[:k], relevant)
    if name == "ndcg":
        ideal = sorted((one.grade for one in relevant), reverse=True)[:k]
        return _discounted(gains) / _discounted(ideal)
    if name == "p":
        return sum(gain > 0 for gain in gains) / k
    if name == "r":
        return sum(any(reaches(hit, one.place) for hit in hits[:k]) for one in relevant) / len(relevant)
    first = first_rank(hits, relevant)
    found = first is not None and first <= k
    if name == "hit":
        return float(found)
    return 1 / first if first is not None and found else 0.0


def first_rank(hits: Sequence[str], targets: Sequence[Target]) -> int | None:
    """Return the rank of the first hit that reaches something relevant."""
    for rank, hit in enumerate(hits, 1):
        if any(one.grade > 0 and reaches(hit, one.place) for one in targets):
            return rank
    return None


def _gains(hits: Sequence[str], relevant: Sequence[Target]) -> list[int]:
    """Credit each hit with the target it reaches, each target once."""
    left = list(relevant)
    gains = []
    for hit in hits:
        target = next((one for one in left if reaches(hit, one.place)), None)
        gains.append(0 if target is None else target.grade)
        if target is not None:
            left.remove(target)
    return gains


def _discounted(gains: Sequence[int]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))
