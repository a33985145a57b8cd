"""Which passages people grade to measure a model judge: stratified, so that few say as much as many.

Every stratum (the model's grade, and which systems returned the passage) is drawn from by chance, and
weighted back to the pool. What all systems returned tells nothing of a bias between them, and the lowest
grade is mostly right: both are drawn half as often. At least two of each stratum are, so that its spread is
known.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from rankgate.errors import Code, InputError
from rankgate.model.wording import many

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankgate.judging.calibration.pool import CalibrationPool
    from rankgate.scoring.matches import Floats, Ints
    from rankgate.truth.judgments.labels import UnitKey

SEED = 20
LEAST = 2
"""How many of each stratum are drawn at least, where it has so many."""
_LESS = 0.5


def draw_pairs(pool: CalibrationPool, pairs: int, seed: int = SEED) -> Ints:
    """Return the rows of the passages that people should grade, in an order drawn by chance.

    Raises:
        InputError: where there are fewer pairs than the strata need.

    >>> from rankgate.judging.calibration.pool import CalibrationPool
    >>> keys = [("q", str(at)) for at in range(20)]
    >>> pool = CalibrationPool.of({key: 0.0 for key in keys}, {key: {"app": 1} for key in keys}, ["app"])
    >>> len(draw_pairs(pool, 5))
    5
    """
    strata = pool.strata
    sizes = np.bincount(strata)
    tickets = _tickets(pool.keys, seed)
    order = np.lexsort((tickets, strata))
    before = np.cumsum(sizes) - sizes
    place = np.arange(len(order)) - before[strata[order]]
    chosen = order[place < allocated(sizes, _importance(pool, strata), pairs)[strata[order]]]
    return np.asarray(chosen[np.argsort(tickets[chosen])], dtype=np.int64)


@lru_cache(maxsize=4)
def _tickets(keys: tuple[UnitKey, ...], seed: int) -> NDArray[np.uint64]:
    """Return a number drawn for each passage, which depends on nothing but its name and the seed.

    So what was drawn stays drawn when more pairs are wanted, and mostly when other passages join the pool.
    """
    names = (f"{seed}\0{case}\0{location}".encode() for case, location in keys)
    return np.frombuffer(b"".join(sha256(name).digest()[:8] for name in names), dtype="<u8")


def allocated(sizes: Ints, importance: Floats, pairs: int) -> Ints:
    """Return how many to draw of each stratum: by its importance, between `LEAST` and all of it.

    >>> allocated(np.array([100, 50, 1]), np.array([50.0, 50.0, 1.0]), 41).tolist()
    [20, 20, 1]
    """
    least = np.minimum(sizes, LEAST)
    if pairs < least.sum():
        expected = f"at least {least.sum()}, {LEAST} of each of {many(len(sizes), 'stratum', 'strata')}"
        raise InputError(Code.TOO_FEW_PAIRS("calibration", many(pairs, "pair"), expected, "draw more"))
    if pairs >= sizes.sum():
        return sizes
    low, high = 0.0, float(np.max(sizes / importance))
    for _ in range(50):
        factor = (low + high) / 2
        many_drawn = np.clip(factor * importance, least, sizes).sum()
        low, high = (factor, high) if many_drawn < pairs else (low, factor)
    wanted = np.clip(high * importance, least, sizes)
    counts: Ints = np.floor(wanted + 1e-9).astype(np.int64)
    # What is left of rounding down goes to those that lost most by it.
    left = int(pairs - counts.sum())
    counts[np.argsort(counts - wanted, kind="stable")[:left]] += 1
    return counts


def _importance(pool: CalibrationPool, strata: Ints) -> Floats:
    lowest = pool.grades == pool.grades.min(initial=np.inf)
    shared = pool.returned.all(axis=1) & (len(pool.systems) > 1)
    each = np.where(lowest, _LESS, 1.0) * np.where(shared, _LESS, 1.0)
    return np.asarray(np.bincount(strata, weights=each), dtype=np.float64)
