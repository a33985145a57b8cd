"""How often `noninferior` passes where the true drop is the margin or more: counted exactly, every outcome.

Whole losses, weights of one and ten, groups of one and six. SciPy counts the outcomes; what passes is decided
by rankgate's own bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import binom

from rankgate.scoring.paired.bounds import LEVEL, _Points, chance, upper_bound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rankgate.scoring.matches import Floats

HEAVY = 10.0
"""What the heavy queries weigh; the others weigh 1."""
HEAVY_SHARE = 0.1
"""How many of all queries are heavy."""
LARGE = 6
"""How many members a large group has; the others have one."""
RARE = 1e-10
"""Outcomes that are rarer in all are not looked at, and count as wrong passes."""


@dataclass(frozen=True, slots=True, order=True)
class WrongPasses:
    """The worst that a scan has found."""

    share: float
    """How many suites pass wrongly."""
    queries: int
    margin: float

    def __str__(self) -> str:
        return f"{self.share:.3%} at n = {self.queries}, margin {self.margin:.6g}"


def decided(bound: float) -> float:
    """Round a bound as gates do."""
    return round(bound, 9)


def whole_losses(queries: int, margins: Floats) -> Iterator[WrongPasses]:
    """Scan all numbers of whole losses: every margin given, at every rate given that is at or above it."""
    bounds = []
    for lost in range(queries + 1):
        bounds.append(decided(upper_bound(np.repeat([1.0, 0.0], [lost, queries - lost]), 1.0)))
        if bounds[-1] >= margins.max():
            break
    # How many losses pass each margin: those whose bound is under it.
    most = np.searchsorted(bounds, np.round(margins, 9), side="left") - 1
    table = binom.cdf(most[:, None], queries, margins[None, :])
    above = np.where(margins[None, :] >= margins[:, None], table, 0.0).max(axis=1)
    yield from (
        WrongPasses(float(share), queries, float(margin))
        for share, margin in zip(above, margins, strict=True)
    )
    # The worst margins there are: just above what a number of losses reaches.
    for lost, bound in enumerate(bounds):
        margin = bound + 1e-9
        if margins.min() <= margin <= margins.max():
            yield WrongPasses(float(binom.cdf(lost, queries, margin)), queries, margin)


def weighted(
    queries: int, margin: float, *, by_heavy: float = 1.0, top_weight: float | None = HEAVY
) -> WrongPasses:
    """Scan whole losses among queries of which a tenth weigh ten.

    Args:
        queries: How many there are.
        margin: The margin, and the true drop: E[weight x drop] / E[weight].
        by_heavy: How much of the drop the heavy queries bear.
        top_weight: What the query weighs that was not seen; None for the mean weight, which is wrong.
    """
    mean_weight = HEAVY * HEAVY_SHARE + 1 - HEAVY_SHARE
    heavy_rate = by_heavy * margin * mean_weight / (HEAVY * HEAVY_SHARE)
    light_rate = (1 - by_heavy) * margin * mean_weight / (1 - HEAVY_SHARE)
    wrong = 0.0
    for heavy in _likely(queries, HEAVY_SHARE):
        top = (heavy * HEAVY + queries - heavy) / queries if top_weight is None else top_weight
        light, share = queries - heavy, 0.0
        for lost in range(heavy + 1):

            def passes(light_lost: int, heavy: int = heavy, lost: int = lost, top: float = top) -> bool:
                return _p(heavy, lost, queries - heavy, light_lost, margin, top) < LEVEL

            if not passes(0):
                break
            most = _most(passes, light) if light_rate else light
            share += float(binom.pmf(lost, heavy, heavy_rate) * binom.cdf(most, light, light_rate))
        wrong += float(binom.pmf(heavy, queries, HEAVY_SHARE)) * share
    return WrongPasses(wrong + RARE, queries, margin)


def _p(heavy: int, heavy_lost: int, light: int, light_lost: int, margin: float, top: float) -> float:
    """Give the p-value of such an outcome, whatever the query weighs that was not seen."""
    values = np.array([1.0, 0.0, 1.0, 0.0, 1.0])
    weights = np.array([HEAVY, HEAVY, 1.0, 1.0, top])
    counts = np.array([heavy_lost, heavy - heavy_lost, light_lost, light - light_lost, 1.0])
    there = counts > 0
    return _Points(values[there], weights[there], counts[there]).chance(margin)


def partly_lost(groups: int, margin: float, *, half: float) -> WrongPasses:
    """Scan groups that are lost whole, or by half: means of 0, 0.5 and 1.

    Args:
        groups: How many groups there are.
        margin: The margin, and the true mean of the groups' means.
        half: How much of the drop is borne by groups that are lost by half.
    """
    halves, whole = 2 * half * margin, (1 - half) * margin
    wrong = 0.0
    for by_half in _likely(groups, halves):

        def passes(lost: int, by_half: int = by_half) -> bool:
            values = np.repeat([1.0, 0.5, 0.0], [lost, by_half, groups - by_half - lost])
            return chance(values, margin, 1.0) < LEVEL

        if passes(0):
            most = _most(passes, groups - by_half)
            share = binom.cdf(most, groups - by_half, whole / (1 - halves))
            wrong += float(binom.pmf(by_half, groups, halves) * share)
    return WrongPasses(wrong + RARE, groups, margin)


def members_as_queries(groups: int, margin: float) -> WrongPasses:
    """Scan groups of one and six that are lost whole, with their members taken as independent: wrong."""
    wrong = 0.0
    for large in _likely(groups, 0.5):
        members = groups + (LARGE - 1) * large
        lost_large = np.arange(large + 1)[:, None]
        lost_small = np.arange(groups - large + 1)[None, :]
        # The bound of whole losses is that of Clopper and Pearson: its p-value is the binomial one.
        passing = binom.cdf(LARGE * lost_large + lost_small, members, margin) < LEVEL
        chances = binom.pmf(lost_large, large, margin) * binom.pmf(lost_small, groups - large, margin)
        wrong += float(binom.pmf(large, groups, 0.5) * chances[passing].sum())
    return WrongPasses(wrong, groups, margin)


def worst(found: Iterable[WrongPasses]) -> WrongPasses:
    """Give the worst of what scans have found."""
    return max(found)


def _likely(queries: int, rate: float) -> range:
    """Give the counts that all but `RARE` of the outcomes have."""
    if not rate:
        return range(1)
    low, high = binom.ppf([RARE / 2, 1 - RARE / 2], queries, rate)
    return range(int(low), int(high) + 1)


def _most(passes: Callable[[int], bool], limit: int) -> int:
    """Give the largest number that passes, where 0 does, and each does that is smaller than one that does."""
    step = 1
    while step <= limit and passes(step):
        step *= 2
    low, high = step // 2, min(step, limit + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if passes(middle) else (low, middle)
    return low
