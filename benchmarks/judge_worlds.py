"""Simulated pools and judges of known confusion, for `just bench-calibration`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankgate.judging.calibration.pool import CalibrationPool

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from rankgate.scoring.matches import Floats, Ints

DEPTH = 10
SHARED = 0.5
"""The share of a system's hits that the other system has, too."""

# Confusion matrices: a row a true grade from 0 to 3, a column the grade that the judge gives.
PERFECT = (
    (1.0, 0.0, 0.0, 0.0),
    (0.0, 1.0, 0.0, 0.0),
    (0.0, 0.0, 1.0, 0.0),
    (0.0, 0.0, 0.0, 1.0),
)
# Quadratic kappa 0.85 on these pools.
GOOD = (
    (0.891, 0.078, 0.025, 0.006),
    (0.140, 0.720, 0.118, 0.022),
    (0.037, 0.124, 0.721, 0.118),
    (0.012, 0.046, 0.127, 0.815),
)
# Quadratic kappa 0.60: as wrong as a judge at the bar is.
AT_THE_BAR = (
    (0.695, 0.218, 0.070, 0.017),
    (0.393, 0.214, 0.332, 0.061),
    (0.105, 0.349, 0.214, 0.332),
    (0.035, 0.131, 0.358, 0.476),
)
# The good judge, half of whose grades are then raised by one.
RAISED = (
    (0.446, 0.484, 0.051, 0.019),
    (0.070, 0.430, 0.419, 0.081),
    (0.019, 0.081, 0.422, 0.478),
    (0.006, 0.029, 0.087, 0.878),
)
# The good judge, 22 % of whose grades are then raised by one: a bias of 0.1 between the systems.
RAISED_A_LITTLE = (
    (0.694, 0.258, 0.036, 0.012),
    (0.109, 0.591, 0.252, 0.048),
    (0.029, 0.105, 0.588, 0.278),
    (0.010, 0.039, 0.109, 0.842),
)
# Says 0 unless an answer cannot be overlooked.
LAZY = (
    (0.990, 0.010, 0.000, 0.000),
    (0.950, 0.050, 0.000, 0.000),
    (0.800, 0.100, 0.100, 0.000),
    (0.600, 0.100, 0.100, 0.200),
)
# Says what it says whatever it sees.
RANDOM = ((0.6, 0.2, 0.12, 0.08),) * 4
# Calls a hit the answer.
TAKEN_IN = ((0.05, 0.02, 0.03, 0.90),) * 4


@dataclass(frozen=True, slots=True)
class SimulatedJudge:
    """A judge who grades by a confusion matrix, and some hits by another."""

    name: str
    bad: bool
    """Whether it must not pass."""
    usual: tuple[tuple[float, ...], ...]
    other: tuple[tuple[float, ...], ...] | None = None
    to: str = ""
    """What is graded by the other matrix: ``one`` system's hits, ``first`` hits, or ``first of one``."""

    def grades(self, chance: Generator, world: World) -> Floats:
        """Draw a grade for every passage."""
        rows = np.array(self.usual)[world.truth]
        if self.other is not None:
            ranks = world.ranks
            chosen = {
                "one": ranks[:, 0] > 0,
                "first": (ranks == 1).any(axis=1),
                "first of one": ranks[:, 0] == 1,
            }[self.to]
            rows[chosen] = np.array(self.other)[world.truth[chosen]]
        drawn = chance.random(len(rows))[:, None] > np.cumsum(rows, axis=1)[:, :-1]
        grades: Floats = drawn.sum(axis=1).astype(np.float64)
        return grades


JUDGES = (
    SimulatedJudge("perfect", False, PERFECT),
    SimulatedJudge("good, kappa 0.85", False, GOOD),
    SimulatedJudge("biased to a system", True, GOOD, RAISED, "one"),
    SimulatedJudge("lazy", True, LAZY),
    SimulatedJudge("random", True, RANDOM),
    SimulatedJudge("sycophantic to rank 1", True, GOOD, TAKEN_IN, "first"),
    SimulatedJudge("sycophantic to rank 1 of one system", True, GOOD, TAKEN_IN, "first of one"),
    SimulatedJudge("at the bar: kappa 0.60", True, AT_THE_BAR),
    SimulatedJudge("at the bar: bias 0.10", True, GOOD, RAISED_A_LITTLE, "one"),
)


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """The pooled hits of two systems, with their true grades."""

    queries: Ints
    ranks: NDArray[np.int64]
    """The rank in each of the two answers; 0 for none."""
    truth: Ints
    keys: tuple[tuple[str, str], ...]
    """What labels would name the passages by."""

    @classmethod
    def drawn(cls, chance: Generator, queries: int, *, named: bool = True) -> World:
        """Draw the answers of two systems to some queries.

        Half of a system's hits are the other's, too, at ranks near each other. The better the best rank, the
        more often a hit is relevant, from 0.6 at rank 1 to 0.12; queries differ in how easy they are.
        """
        shape = (queries, DEPTH)
        one = np.broadcast_to(np.arange(1, DEPTH + 1), shape)
        shared = chance.random(shape) < SHARED
        near, anywhere = one + chance.normal(0, 2, shape), chance.uniform(0.5, DEPTH + 0.5, shape)
        other = np.argsort(np.argsort(np.where(shared, near, anywhere), axis=1), axis=1) + 1
        query = np.broadcast_to(np.arange(queries)[:, None], shape)
        own = ~shared
        ranks = np.concatenate(
            [
                np.stack([one.ravel(), np.where(shared, other, 0).ravel()], axis=1),
                np.stack([np.zeros(own.sum(), dtype=np.int64), other[own]], axis=1),
            ]
        )
        numbers = np.concatenate([query.ravel(), query[own]])
        best = np.where(ranks == 0, DEPTH + 1, ranks).min(axis=1)
        usual = 0.1 + 0.5 * np.exp(-(best - 1) / 3)
        ease = chance.normal(0, 0.7, queries)[numbers]
        relevant = chance.random(len(best)) < 1 / (1 + np.exp(-ease) * (1 - usual) / usual)
        grade = 1 + chance.choice(3, len(best), p=(0.4, 0.35, 0.25))
        keys = tuple((str(query), str(at)) for at, query in enumerate(numbers.tolist())) if named else ()
        return cls(numbers, ranks, np.where(relevant, grade, 0).astype(np.int64), keys)

    def pool(self, grades: Floats) -> CalibrationPool:
        """Return the pool as a model judge graded it."""
        return CalibrationPool(self.keys, self.queries, grades, ("one", "other"), self.ranks)


def ndcg(world: World, grades: Floats, system: int, queries: int) -> Floats:
    """Return the nDCG@10 of a system's answers under some grades; 0 where nothing is relevant."""
    ranks = world.ranks[:, system]
    discount = np.where(ranks > 0, 1 / np.log2(np.maximum(ranks, 1) + 1), 0.0)
    found = np.bincount(world.queries, weights=grades * discount, minlength=queries)
    order = np.lexsort((-grades, world.queries))
    starts = np.searchsorted(world.queries[order], np.arange(queries))
    place = np.arange(len(order)) - starts[world.queries[order]]
    ideal = np.where(place < DEPTH, grades[order] / np.log2(place + 2), 0.0)
    best = np.bincount(world.queries[order], weights=ideal, minlength=queries)
    values: Floats = np.divide(found, best, out=np.zeros(queries), where=best > 0)
    return values
