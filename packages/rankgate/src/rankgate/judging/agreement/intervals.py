"""Intervals of figures of agreement: a bootstrap over queries, seeded, by percentiles.

What shares a query is drawn together: such grades are not independent. A figure is a function of sums over
queries, so that all resamples are one product of matrices.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from rankgate.scoring.matches import Floats

RESAMPLES = 10_000
SEED = 20
LEVEL = 0.95
_AT_ONCE = 500
_DEFINED = 0.95
_WIDTH = 1e-12


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95 % interval."""

    value: float | None
    """The figure; None where it is undefined, as kappa is where all said the same."""
    low: float | None = None
    """Where the interval begins; None where there is none."""
    high: float | None = None
    """Where it ends."""


@dataclass(frozen=True, slots=True, eq=False)
class QuerySums:
    """What a figure is made of."""

    sums: Floats
    """Its sums per query, queries × …"""
    figure: Callable[[Floats], Floats]
    """Makes figures of sums over queries, … × what `sums` has of one query; NaN where one is undefined."""


def estimates(
    measured: Mapping[str, QuerySums], *, resamples: int = RESAMPLES, seed: int = SEED
) -> dict[str, Estimate]:
    """Return each figure with its interval; all are made of the same resamples of queries.

    There is no interval of fewer than two queries, nor where one resample in twenty has no figure, nor where
    all resamples have the same: whoever never disagreed on these units may yet disagree on others.
    """
    blocks = max((len(one.sums) for one in measured.values()), default=0)
    drawn: dict[str, list[Floats]] = {name: [] for name in measured}
    for weights in _resampled(blocks, resamples, seed):
        for name, one in measured.items():
            sums = np.tensordot(weights, one.sums, 1)
            drawn[name].append(np.asarray(one.figure(sums), dtype=np.float64))
    return {name: _estimate(one, drawn[name]) for name, one in measured.items()}


def _resampled(blocks: int, resamples: int, seed: int) -> Iterator[Floats]:
    """Return how often each query is drawn in each resample, some resamples at a time."""
    if blocks < 2:
        return
    chance = np.random.default_rng(seed)
    for start in range(0, resamples, _AT_ONCE):
        many = min(_AT_ONCE, resamples - start)
        yield chance.multinomial(blocks, np.full(blocks, 1 / blocks), many).astype(np.float64)


def _estimate(measured: QuerySums, drawn: list[Floats]) -> Estimate:
    value = float(measured.figure(measured.sums.sum(axis=0)))
    if np.isnan(value):
        return Estimate(None)
    found = np.concatenate(drawn) if drawn else np.empty(0)
    defined = found[~np.isnan(found)]
    if len(defined) == 0 or len(defined) < _DEFINED * len(found):
        return Estimate(value)
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(defined, (tail, 100 - tail))
    return Estimate(value, float(low), float(high)) if high - low > _WIDTH else Estimate(value)
