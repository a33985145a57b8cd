"""Bounds of the mean of bounded values, by Gaffke's method: exact figures, no random numbers.

With confidence 1 - level, the mean of values that are nowhere above `top` is at most the m that solves

    P( w_1 (x_1 - m) G_1 + … + w_n (x_n - m) G_n + w_top (top - m) G_0 > 0 ) = level

for independent standard exponential G. The last term is the query that was not seen: it may have the largest
weight and move as far as anything can. For values of 0 and 1 this is the bound of Clopper and Pearson.

Reference: Gaffke, Three test statistics for a nonparametric one-sided hypothesis on the mean of a nonnegative
variable, Magdeburg 2005; Learned-Miller and Thomas, arXiv:1905.06208. That it holds for all bounded values
and not for two-valued ones alone is a conjecture.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from rankgate.errors import Code, InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from rankgate.scoring.matches import Floats

    Complexes = NDArray[np.complex128]

LEVEL = 0.05
"""One minus the confidence."""
NEAR = 1e-9
"""Values this near to 0 or to an end of the range are taken for it."""
_STEP = 0.125
_NODES = 24
_BLOCKS = 64
_NEGLIGIBLE = 1e-13
_CLOSE = 1e-11
_FACTORS = 32
"""How many factors are multiplied before a logarithm is taken: each is at most e^u, so none overflows."""
_SLAB = _FACTORS * 32
"""How many points are worked on at once, so that memory does not grow with them."""


def chance(
    values: ArrayLike,
    margin: float,
    top: float,
    *,
    weights: ArrayLike | None = None,
    top_weight: float | None = None,
) -> float:
    """Return the p-value of "the mean is `margin` or more": small where it is surely less.

    >>> round(chance([0.0] * 149, 0.02, 1.0), 6), round(0.98**149, 6)
    (0.049282, 0.049282)
    """
    return _Points.of(values, top, weights, top_weight).chance(margin)


def upper_bound(
    values: ArrayLike,
    top: float,
    *,
    weights: ArrayLike | None = None,
    top_weight: float | None = None,
    level: float = LEVEL,
) -> float:
    """Return the one-sided upper bound of a mean.

    Args:
        values: One a query, or one a group of queries; none is above `top`.
        top: The most that a value can be.
        weights: How much each counts; 1 where not given.
        top_weight: The largest weight that any query can have; the largest of `weights` where not given.
        level: How often the bound may be below the mean; under 1/e.

    Raises:
        InputError: for a value or a weight that is out of range.

    >>> round(upper_bound([0.0] * 48, 1.0), 6)
    0.060503
    """
    if not 0 < level < 1 / math.e:
        raise InputError(Code.WRONG_NUMBERS("level", f"{level:g}", "a number between 0 and 1/e"))
    points = _Points.of(values, top, weights, top_weight)
    mean, spread = points.mean_and_spread()
    # The root lies between: where the mean of all gains is 0, p is 1/e at least (Grünbaum).
    low, high = mean, top
    if high - low <= NEAR * _size(points.values):
        return top
    aim = math.log(level)
    at = min(mean - NormalDist().inv_cdf(level) * spread, (low + 3 * high) / 4)
    before: tuple[float, float] | None = None
    for _ in range(200):
        p = points.chance(at)
        gap = math.log(p) - aim if p > 0 else -math.inf
        low, high = (at, high) if gap > 0 else (low, at)
        if abs(gap) <= _CLOSE or high - low <= 1e-15 * _size(points.values):
            break
        after = _secant(before, (at, gap)) if before else at + gap * spread / 2
        before = (at, gap)
        at = after if low < after < high else (low + high) / 2
    return at


def lower_bound(
    values: ArrayLike,
    bottom: float,
    *,
    weights: ArrayLike | None = None,
    top_weight: float | None = None,
    level: float = LEVEL,
) -> float:
    """Return the one-sided lower bound of a mean of which no value is below `bottom`.

    >>> round(lower_bound([1.0] * 48, 0.0), 6)
    0.939497
    """
    turned = -np.asarray(values, dtype=np.float64)
    return 0.0 - upper_bound(turned, -bottom, weights=weights, top_weight=top_weight, level=level)


@dataclass(frozen=True, slots=True, eq=False)
class _Points:
    """Distinct pairs of a value and a weight, that of the query that was not seen among them."""

    values: Floats
    weights: Floats
    counts: Floats

    @classmethod
    def of(
        cls, values: ArrayLike, top: float, weights: ArrayLike | None, top_weight: float | None
    ) -> _Points:
        seen = np.asarray(values, dtype=np.float64)
        sizes = np.ones(len(seen)) if weights is None else np.asarray(weights, dtype=np.float64)
        largest = (float(sizes.max(initial=0.0)) or 1.0) if top_weight is None else top_weight
        _check(seen, top, sizes, largest)
        slack = NEAR * max(abs(top), 1e-300)
        seen = np.where(np.abs(seen) <= slack, 0.0, np.where(seen >= top - slack, top, seen))
        pairs = np.stack([np.append(seen, top), np.append(sizes, largest)])
        pairs = pairs[:, np.lexsort(pairs)]
        first = np.append(True, (pairs[:, 1:] != pairs[:, :-1]).any(axis=0))
        counts = np.diff(np.append(np.flatnonzero(first), pairs.shape[1])).astype(np.float64)
        return cls(pairs[0, first], pairs[1, first], counts)

    def mean_and_spread(self) -> tuple[float, float]:
        """Return the weighted mean, and about how far the bound may be from it."""
        shares = self.counts * self.weights / _sum(self.counts, self.weights)
        mean = _sum(shares, self.values)
        return mean, math.sqrt(_sum(shares**2 / self.counts, (self.values - mean) ** 2))

    def chance(self, margin: float) -> float:
        gains = self.weights * (self.values - margin)
        if gains.max() <= 0 or gains.min() >= 0:
            return float(gains.max() > 0)
        # Of the two tails the smaller is the more accurate.
        if _sum(self.counts, gains) > 0:
            return 1 - _tail(-gains, self.counts)
        return _tail(gains, self.counts)


def _tail(gains: Floats, counts: Floats) -> float:
    """Return P(sum of gains times Gamma(counts) > 0), for a sum that is not above 0 on average.

    It is 1 / 2πi times the integral of M(t) / t, M(t) = Π (1 - gain t)^-count, over any path from below to
    above that meets the real axis between 0 and 1 / max(gains). It is taken along a hyperbola through the
    saddle point c with the curvature of the steepest descent. In s = t / c each factor is
    (1 - gain c)(1 - r (s - 1)); all depends on the r alone, so that no scale is too large or too small.
    """
    gains = gains / np.abs(gains).max()
    saddle = _saddle(gains, counts)
    ratios = gains * saddle / (1 - gains * saddle)
    width = 1 / math.sqrt(_sum(counts, ratios**2) + 1)
    lean = 2 / 3 * width**3 * (_sum(counts, ratios**3) - 1)
    product = _Product.of(ratios, counts)
    area = 0.0
    for block in range(_BLOCKS):
        cosh, sinh = _nodes(block)
        away = np.asarray(width * (lean * (cosh - 1) + 1j * sinh), dtype=np.complex128)
        speed = width * (lean * sinh + 1j * cosh)
        terms = np.exp(-product.log(away)) * speed / (1 + away)
        area += float(terms.imag.sum())
        if abs(terms[-1]) < _NEGLIGIBLE * abs(area):
            break
    log_moment = -_sum(counts, np.log1p(-gains * saddle))
    return min(1.0, max(0.0, _STEP / math.pi * math.exp(log_moment) * area))


@cache
def _nodes(block: int) -> tuple[Floats, Floats]:
    """Return the hyperbolic cosine and sine at some of the midpoints."""
    u = _STEP * (np.arange(_NODES) + 0.5 + block * _NODES)
    return np.cosh(u), np.sinh(u)


def _saddle(gains: Floats, counts: Floats) -> float:
    """Find about where M(t) / t is smallest between 0 and 1 / max(gains); any path near it gives the same."""
    low, high = 0.0, 1 / float(gains.max())
    at = high / 2
    for _ in range(200):
        ratios = gains * at / (1 - gains * at)
        push, bend = _sum(counts, ratios) - 1, _sum(counts, ratios**2) + 1
        if abs(push) <= 0.01 * math.sqrt(bend):
            break
        low, high = (low, at) if push > 0 else (at, high)
        newton = at * (1 - push / bend)
        at = newton if low < newton < high else (low + high) / 2
    return at


@dataclass(frozen=True, slots=True, eq=False)
class _Product:
    """The product of (1 - r z)^count over all points, at several z.

    Counts are whole numbers, so that any branch of its logarithm will do: what occurs once is multiplied by
    the dozen first, which leaves few logarithms.
    """

    single: Floats
    """The r that occur once, filled up with 0 to a multiple of `_FACTORS`."""
    several: Floats
    counts: Floats

    @classmethod
    def of(cls, ratios: Floats, counts: Floats) -> _Product:
        once = counts == 1
        single = ratios[once]
        filled = np.append(single, np.zeros(-len(single) % _FACTORS))
        return cls(filled, ratios[~once], counts[~once])

    def log(self, z: Complexes) -> Complexes:
        """Return a logarithm of the product at each z."""
        total = np.zeros(len(z), dtype=np.complex128)
        for start in range(0, len(self.single), _SLAB):
            part = self.single[start : start + _SLAB].reshape(1, _FACTORS, -1)
            products = np.multiply.reduce(1 - z[:, None, None] * part, axis=1)
            total += np.log(products).sum(axis=1)
        for start in range(0, len(self.several), _SLAB):
            rows = slice(start, start + _SLAB)
            total += (np.log(1 - z[:, None] * self.several[rows]) * self.counts[rows]).sum(axis=1)
        return total


def _secant(before: tuple[float, float], now: tuple[float, float]) -> float:
    """Return where the line through two points is 0; infinite where there is no such line."""
    rise = now[1] - before[1]
    if not math.isfinite(rise) or rise == 0:
        return math.inf
    return now[0] - now[1] * (now[0] - before[0]) / rise


def _sum(one: Floats, other: Floats) -> float:
    """Return the sum of products; a dot product would start threads for a millisecond's work."""
    return float((one * other).sum())


def _size(values: Floats) -> float:
    return float(np.abs(values).max())


def _check(values: Floats, top: float, weights: Floats, top_weight: float) -> None:
    where = "bound of a mean"
    if values.ndim != 1 or weights.shape != values.shape:
        raise InputError(Code.WRONG_NUMBERS(where, "lists of different lengths", "a weight for each value"))
    if not np.isfinite(values).all() or not math.isfinite(top):
        raise InputError(Code.WRONG_NUMBERS(where, "a value that is no number", "finite values"))
    if len(values) and values.max() > top + NEAR * abs(top):
        raise InputError(Code.WRONG_NUMBERS(where, f"a value of {values.max():g}", f"none above {top:g}"))
    if not (np.isfinite(weights) & (weights > 0)).all() or (len(weights) and weights.max() > top_weight):
        raise InputError(
            Code.WRONG_NUMBERS(where, "a weight out of range", f"weights above 0 and up to {top_weight:g}")
        )
