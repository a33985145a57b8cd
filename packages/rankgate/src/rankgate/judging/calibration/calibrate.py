"""A model judge beside people: confusion, kappa, bias towards each system, and whether it may gate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from rankgate.judging.agreement.intervals import Estimate
from rankgate.judging.agreement.kappa import cohen_kappa
from rankgate.judging.calibration.sample import PairSample

if TYPE_CHECKING:
    from rankgate.judging.calibration.pool import CalibrationPool
    from rankgate.scoring.matches import Floats

KAPPA_BAR = 0.6
"""The lower 95 % bound of quadratic kappa must reach it."""
BIAS_BAR = 0.1
"""The 95 % interval of the bias between systems must lie within it on both sides, in grades."""


@dataclass(frozen=True, slots=True)
class BiasBetween:
    """How much more the model favours the hits of one system than those of another."""

    one: str
    """The system whose hits it would favour."""
    other: str
    """The other system."""
    bias: Estimate
    """The bias towards the one less that towards the other, in grades."""

    @property
    def within(self) -> bool:
        """Whether the interval lies within the bar."""
        low, high = self.bias.low, self.bias.high
        return low is not None and high is not None and low >= -BIAS_BAR and high <= BIAS_BAR


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was measured of a model judge."""

    pairs: int
    """How many passages people graded."""
    queries: int
    """How many queries these belong to."""
    pool: int
    """How many passages the model graded."""
    scale: tuple[float, ...]
    """Every grade that either gave, ascending."""
    confusion: tuple[tuple[float, ...], ...]
    """Shares of the pool by the model's grade (rows) and people's (columns); all add up to 1."""
    counts: tuple[tuple[int, ...], ...]
    """The pairs behind it."""
    kappa: Estimate
    """Quadratic kappa over the pool."""
    bias: tuple[tuple[str, Estimate], ...]
    """The mean of model's less people's grade over the hits of each system."""
    between: tuple[BiasBetween, ...]
    """The difference of it between each two systems."""
    first: Estimate | None
    """The bias towards what stands first in an answer, less that towards the rest; None without such."""

    @property
    def reasons(self) -> tuple[str, ...]:
        """Return why the model may not gate, a sentence each; empty where it may."""
        return tuple(
            text for text in (self._kappa_short(), *map(_between_short, self.between), self._first()) if text
        )

    @property
    def passed(self) -> bool:
        """Whether its labels may gate."""
        return not self.reasons

    def _kappa_short(self) -> str:
        if self.kappa.value is None or self.kappa.low is None:
            return "quadratic kappa is undefined: grades do not vary, or too few queries were graded"
        if self.kappa.low >= KAPPA_BAR:
            return ""
        return f"the lower bound of quadratic kappa is {self.kappa.low:.3f}, below {KAPPA_BAR:g}"

    def _first(self) -> str:
        low = None if self.first is None else self.first.low
        if low is None or low <= BIAS_BAR:
            return ""
        return f"it favours rank 1 by at least {low:.2f} grades"


def calibrate(pool: CalibrationPool, people: Floats) -> Calibration:
    """Measure a model judge against people.

    Args:
        pool: What the model graded.
        people: People's grade of each passage of the pool; NaN for those that were not drawn or not graded.
    """
    sample = PairSample.of(pool, people)
    scale = np.unique(np.concatenate([pool.grades, sample.people]))
    at = np.searchsorted(scale, sample.model), np.searchsorted(scale, sample.people)
    shares, counts = np.zeros((len(scale),) * 2), np.zeros((len(scale),) * 2, dtype=np.int64)
    np.add.at(shares, at, sample.weights)
    np.add.at(counts, at, 1)
    returned = pool.returned
    # A mean over the hits of a system is one over the pool, times one over its share of the pool.
    towards = returned / np.maximum(returned.mean(axis=0), 1e-300)
    bias = [(name, _bias(sample, towards[:, column])) for column, name in enumerate(pool.systems)]
    between = [
        BiasBetween(
            pool.systems[one], pool.systems[other], _bias(sample, towards[:, one] - towards[:, other])
        )
        for one, other in combinations(range(len(pool.systems)), 2)
    ]
    share = float(pool.first.mean()) if len(pool.keys) else 0.0
    first = np.where(pool.first, 1 / share, -1 / (1 - share)) if 0 < share < 1 else None
    return Calibration(
        pairs=len(sample.rows),
        queries=len(np.unique(sample.queries)),
        pool=len(pool.keys),
        scale=tuple(map(float, scale)),
        confusion=tuple(tuple(map(float, row)) for row in shares),
        counts=tuple(tuple(map(int, row)) for row in counts),
        kappa=_kappa(sample, shares, scale),
        bias=tuple(bias),
        between=tuple(between),
        first=None if first is None else _bias(sample, first),
    )


def _between_short(between: BiasBetween) -> str:
    if between.within:
        return ""
    bias, systems = between.bias, f"between {between.one} and {between.other}"
    if bias.low is None or bias.high is None:
        return f"the bias {systems} has no interval: too few queries were graded"
    if bias.low > BIAS_BAR or bias.high < -BIAS_BAR:
        favoured = between.one if bias.low > 0 else between.other
        return f"it favours {favoured}: the bias {systems} is {bias.low:+.3f} to {bias.high:+.3f} grades"
    return (
        f"the bias {systems} is {bias.low:+.3f} to {bias.high:+.3f} grades, not within ± {BIAS_BAR:g}: "
        "draw more pairs"
    )


def _bias(sample: PairSample, towards: Floats) -> Estimate:
    """Return the mean of model's less people's grade, each passage counted as much as `towards` says."""
    if not len(sample.rows):
        return Estimate(None)
    here = towards[sample.rows]
    values = here * (sample.model - sample.people)
    value = sample.mean(values)
    imagined = [
        weight * math.sqrt(float(np.average(here[those] ** 2, weights=sample.weights[those])))
        for _, those, weight in sample.by_grade()
    ]
    spread = sample.spread(values, np.array(imagined))
    return Estimate(value) if spread is None else Estimate(value, value - spread.reach, value + spread.reach)


def _kappa(sample: PairSample, shares: Floats, scale: Floats) -> Estimate:
    """Return quadratic kappa; its interval is that of Fisher's z, with the pairs that are imagined.

    Quadratic kappa is 1 - D / V: D the mean square of the difference, V what it would be by chance.
    """
    value = float(cohen_kappa(shares, scale, "quadratic"))
    if math.isnan(value):
        return Estimate(None)
    model, people = sample.model, sample.people
    centre = sample.mean(model), sample.mean(people)
    apart = sample.mean((model - people) ** 2)
    by_chance = sample.mean(model**2) + sample.mean(people**2) - 2 * centre[0] * centre[1]

    def slope(one: Floats, other: Floats) -> Floats:
        rise = one**2 + other**2 - 2 * centre[0] * other - 2 * centre[1] * one
        return -((one - other) ** 2) / by_chance + apart / by_chance**2 * rise

    values = slope(model, people)
    imagined = []
    for grade, those, weight in sample.by_grade():
        usual = float(np.average(values[those], weights=sample.weights[those]))
        near = scale[np.abs(np.searchsorted(scale, grade) - np.arange(len(scale))) == 1]
        worst = float(slope(np.full(len(near), grade), near).min(initial=usual))
        imagined.append(weight * (worst - usual))
    spread = sample.spread(values, np.array(imagined))
    if spread is None:
        return Estimate(value)
    low = _by_fisher(value + sum(imagined), -spread.reach)
    return Estimate(value, min(low, value), max(_by_fisher(value, spread.reach), value))


def _by_fisher(value: float, reach: float) -> float:
    """Return the end of an interval that is even on the scale of Fisher's z."""
    inside = min(max(value, -1 + 1e-9), 1 - 1e-9)
    return math.tanh(math.atanh(inside) + reach / (1 - inside**2))
