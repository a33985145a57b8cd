"""Settings in which a drop comes about, what a plan says of each, and how often it is really seen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from rankgate.scoring.paired.bounds import lower_bound, upper_bound
from rankgate.scoring.paired.change import DropModel
from rankgate.scoring.paired.paired import Paired
from rankgate.scoring.paired.randomisation import randomisation
from rankgate.scoring.paired.subsets import Subsets

if TYPE_CHECKING:
    from numpy.random import Generator

    from rankgate.scoring.matches import Floats

POINTS = 0.05
"""How far a power may lie from what is reached."""
_MANY = 20_000
"""How many queries stand for all there are."""


def lost_whole(groups: int) -> DropModel:
    """Return the model of queries that are lost whole, while nothing else changes."""
    ones = np.ones(groups)
    return DropModel.of(np.zeros(groups), ones, ones, range(groups), 1.0, stored=False)


@dataclass(frozen=True, slots=True)
class Population:
    """All the queries that there are: how far each moves, what it has to lose, and what it weighs."""

    name: str
    moves: Floats
    losses: Floats
    weights: Floats

    def model(self) -> DropModel:
        """Give the model of a plan that knows the generating distribution."""
        size = len(self.moves)
        return DropModel.of(self.moves, self.losses, self.weights, range(size), 1.0, stored=False)

    def stored(self, queries: int, rng: Generator) -> DropModel:
        """Give the model of a plan that knows a stored comparison of some queries."""
        rows = rng.integers(len(self.moves), size=queries)
        picked = self.moves[rows], self.losses[rows], self.weights[rows]
        return DropModel.of(*picked, range(queries), 1.0)

    def suite(self, queries: int, drop: float, rng: Generator) -> tuple[Floats, Floats]:
        """Draw the drops of a suite whose true mean drop is known, and its weights; written apart."""
        rows = rng.integers(len(self.moves), size=queries)
        weight = self.weights
        rate = drop * weight.sum() / (weight * self.losses).sum()
        fell = np.where(rng.random(queries) < 0.5, self.moves[rows], -self.moves[rows])
        return np.where(rng.random(queries) < rate, self.losses[rows], fell), weight[rows]


@cache
def populations() -> dict[str, Population]:
    """Give those that are tried."""
    rng = np.random.default_rng(5)
    ones, nothing = np.ones(_MANY), np.zeros(_MANY)
    had = rng.choice([1.0, 0.63, 0.5, 0.43, 0.39, 0.0], _MANY, p=[0.5, 0.15, 0.1, 0.1, 0.05, 0.1])
    small = np.where(rng.random(_MANY) < 0.4, np.clip(rng.normal(0, 0.08, _MANY), -1, 1), 0.0)
    broad = np.where(rng.random(_MANY) < 0.5, np.clip(rng.normal(0, 0.3, _MANY), -1, 1), 0.0)
    heavy = np.where(rng.random(_MANY) < 0.1, 5.0, 1.0)
    found = (
        Population("whole losses", nothing, ones, ones),
        Population("what each had", nothing, had, ones),
        Population("small moves", small, had, ones),
        Population("broad moves", broad, had, ones),
        Population("broad moves, weights", broad, had, heavy),
    )
    return {one.name: one for one in found}


@dataclass(frozen=True, slots=True)
class Setting:
    """What is planned for."""

    population: str
    queries: int
    drop: float
    margin: float | None = None
    """The margin of `noninferior`; None to see the drop in a comparison."""
    ends: str = "seen"
    """``seen``, ``passes`` or ``fails``."""

    def stated(self, model: DropModel) -> tuple[float, float, float]:
        """Give the power that a plan states, and its interval."""
        if self.margin is None:
            found = model.seen(self.queries, self.drop)
        else:
            both = model.decided(self.queries, self.drop, self.margin)
            found = None if both is None else both.passes if self.ends == "passes" else both.fails
        assert found is not None
        return found

    def reached(self, suites: int, seed: int = 11) -> float:
        """Count the suites in which it really ends so, by the comparison and the bounds themselves."""
        rng, population = np.random.default_rng(seed), populations()[self.population]
        count = 0
        for number in range(suites):
            drops, weights = population.suite(self.queries, self.drop, rng)
            count += self.ended(Paired.of(drops, weights), float(population.weights.max()), number)
        return count / suites

    def ended(self, paired: Paired, top_weight: float, seed: int) -> bool:
        """Check one suite by the randomisation test or by the bound itself."""
        if self.margin is None:
            test = randomisation(paired, Subsets.drawn(paired, seed=seed, resamples=2000))
            return test.p <= 0.05 and paired.mean > 0
        sizes = paired.group_weights
        if self.ends == "passes":
            return upper_bound(paired.group_means, 1.0, weights=sizes, top_weight=top_weight) < self.margin
        return lower_bound(paired.group_means, -1.0, weights=sizes, top_weight=top_weight) > self.margin


SETTINGS = (
    Setting("whole losses", 48, 0.1597),
    Setting("whole losses", 157, 0.05),
    Setting("whole losses", 48, 0.05, 0.1, "passes"),
    Setting("whole losses", 150, 0.01, 0.05, "passes"),
    Setting("whole losses", 100, 0.2, 0.1, "fails"),
    Setting("what each had", 60, 0.1),
    Setting("what each had", 150, 0.02, 0.05, "passes"),
    Setting("what each had", 150, 0.15, 0.05, "fails"),
    Setting("small moves", 48, 0.1),
    Setting("small moves", 150, 0.03),
    Setting("small moves", 150, 0.0, 0.02, "passes"),
    Setting("small moves", 150, 0.025, 0.05, "passes"),
    Setting("small moves", 100, 0.15, 0.05, "fails"),
    Setting("broad moves", 48, 0.1),
    Setting("broad moves", 150, 0.05),
    Setting("broad moves", 300, 0.03),
    Setting("broad moves", 48, 0.0, 0.1, "passes"),
    Setting("broad moves", 150, 0.0, 0.05, "passes"),
    Setting("broad moves", 150, 0.1, 0.02, "fails"),
    Setting("broad moves, weights", 150, 0.08),
)
"""What is tried: twenty, over kinds, sizes, drops and margins."""


@dataclass(frozen=True, slots=True)
class StoredPlans:
    """What plans from stored comparisons state of one setting."""

    mean: float
    """The power that they state on average."""
    covered: float
    """How many of their intervals have the power that is reached."""


def stored_plans(setting: Setting, queries: int, plans: int, reached: float, seed: int = 3) -> StoredPlans:
    """Plan from stored comparisons of some queries, each drawn anew."""
    rng, population = np.random.default_rng(seed), populations()[setting.population]
    found = [setting.stated(population.stored(queries, rng)) for _ in range(plans)]
    inside = [low - 1e-12 <= reached <= high + 1e-12 for _, low, high in found]
    return StoredPlans(float(np.mean([share for share, _, _ in found])), float(np.mean(inside)))
