"""How far two agree on grades, beyond what chance gives: Cohen's kappa with quadratic weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

RESAMPLED = 10_000
SEED = 20


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two lists of grades agree."""

    n: int
    """How many grades each has."""
    kappa: float
    """Quadratic kappa: 1 where they are the same, 0 where they agree as often as chance would."""
    low: float
    """Where its 95 % interval begins."""
    high: float
    """Where it ends."""
    same: int
    """How many grades are equal."""
    near: int
    """How many are equal or next to each other."""


def agreement(one: Sequence[int], other: Sequence[int], blocks: Sequence[str], grades: int = 4) -> Agreement:
    """Compare two lists of grades from 0 up.

    The interval is that of a bootstrap by percentiles. What shares a block, as pairs of one query do, is
    drawn together: such grades are not independent.

    >>> agreement([0, 1, 2, 3], [0, 1, 2, 3], ["a", "b", "c", "d"]).kappa
    1.0
    """
    counted = _by_block(one, other, blocks, grades)
    chance = np.random.default_rng(SEED)
    weights = chance.multinomial(len(counted), np.full(len(counted), 1 / len(counted)), RESAMPLED)
    drawn = np.tensordot(weights, counted, 1)
    low, high = np.nanpercentile([quadratic_kappa(table) for table in drawn], (2.5, 97.5))
    apart = np.abs(np.subtract(one, other))
    return Agreement(
        len(one),
        quadratic_kappa(counted.sum(axis=0)),
        float(low),
        float(high),
        int(np.sum(apart == 0)),
        int(np.sum(apart <= 1)),
    )


def quadratic_kappa(table: Any) -> float:
    """Give the kappa of a table that counts how often one said the row and the other the column.

    NaN where all said the same, so that chance explains everything.
    """
    table = np.asarray(table, dtype=float)
    grades = np.arange(len(table))
    apart = (grades[:, None] - grades) ** 2
    by_chance = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    expected = (apart * by_chance).sum()
    return float(1 - (apart * table).sum() / expected) if expected else float("nan")


def _by_block(one: Sequence[int], other: Sequence[int], blocks: Sequence[str], grades: int) -> Any:
    numbers = {block: at for at, block in enumerate(dict.fromkeys(blocks))}
    counted = np.zeros((len(numbers), grades, grades), dtype=np.int64)
    np.add.at(counted, ([numbers[block] for block in blocks], list(one), list(other)), 1)
    return counted
