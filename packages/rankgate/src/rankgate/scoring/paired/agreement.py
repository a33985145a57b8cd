"""How much two rankings agree, whatever is relevant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

PERSISTENCE = 0.9
"""The chance that a reader goes on to the next rank: the first ten ranks have 86 % of the weight."""


def rank_biased_overlap(
    one: Sequence[Hashable], other: Sequence[Hashable], *, p: float = PERSISTENCE
) -> float:
    """Return rank-biased overlap, extrapolated: what two rankings share, the top weighing most.

    What it measures: the share of common items down to each rank, averaged with weights (1 - p) p^(rank - 1).
    Beyond the end of a list it is taken to go on as it was. Equal lists give 1, those that share nothing 0.
    Edge cases: a repeated item counts where it stands first, and later ones are taken out. Two empty lists
    agree, 1; one empty list agrees with nothing, 0.

    Example:
        >>> round(rank_biased_overlap(["a", "b", "c"], ["a", "c", "b"]), 4)
        0.955

    Reference: Webber, Moffat and Zobel, A similarity measure for indefinite rankings, TOIS 2010, equation 32.
    """
    if not 0 < p < 1:
        raise InputError(Code.WRONG_NUMBERS("rank_biased_overlap", f"p={p:g}", "a p between 0 and 1"))
    long, short = sorted((list(dict.fromkeys(one)), list(dict.fromkeys(other))), key=len, reverse=True)
    if not short:
        return float(not long)
    common = _common(long, short)
    at_short = common[len(short) - 1]
    total, weight = 0.0, 1.0
    for depth, shared in enumerate(common, 1):
        weight *= p
        total += weight * shared / depth
        if depth > len(short):
            total += weight * at_short * (depth - len(short)) / (len(short) * depth)
    last = (common[-1] - at_short) / len(long) + at_short / len(short)
    return min(1.0, max(0.0, (1 - p) / p * total + last * weight))


def overlap(one: Sequence[Hashable], other: Sequence[Hashable], k: int) -> float:
    """Return the share of the top k that two rankings have in common, in whatever order.

    It is divided by the longer of the two tops, so that short lists that agree reach 1. Two empty ones agree.

    >>> overlap(["a", "b", "c"], ["c", "a", "d"], 3) == 2 / 3
    True
    """
    if k < 1:
        raise InputError(Code.WRONG_NUMBERS("overlap", f"k={k}", "a k of at least 1"))
    first, second = set(list(dict.fromkeys(one))[:k]), set(list(dict.fromkeys(other))[:k])
    longer = max(len(first), len(second))
    return len(first & second) / longer if longer else 1.0


def _common(long: list[Hashable], short: list[Hashable]) -> list[int]:
    """Count what the lists have in common down to each rank of the long one."""
    seen: set[Hashable] = set()
    counts, count = [], 0
    for depth, item in enumerate(long):
        for each in (item, *short[depth : depth + 1]):
            count += each in seen
            seen.add(each)
        counts.append(count)
    return counts
