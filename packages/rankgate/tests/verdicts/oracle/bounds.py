"""Gaffke's bound on a mean drop, by direct numerical inversion of a characteristic function.

Beside the drops stands one query that nobody asked, which drops by all that is possible. The chance that
``sum(weight * (drop - margin) * G)`` is above 0, with every G exponential, is a p-value for "the mean drop is
the margin or more". It is inverted along the real line (Gil-Pelaez 1951), where nothing is close to a pole.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

LEVEL = 0.05
_STEP = 0.05
_NEAR = 1e-9
_SURELY = LEVEL - 1e-9
"""What a chance must be under: one of exactly the level is not, however its sum is rounded."""


def chance_above(drops: Sequence[tuple[float, float]], margin: float, top: tuple[float, float]) -> float:
    """Return the chance that the mean of drops and one unseen, in random shares, is above a margin.

    Args:
        drops: Weights and drops.
        margin: What the mean is compared with.
        top: The weight and the drop of the query that nobody asked.
    """
    every = [(weight, _settled(drop, top[1])) for weight, drop in drops]
    parts = np.array([weight * (drop - margin) for weight, drop in (*every, top)])
    parts = parts[np.abs(parts) > 1e-300]
    if not (parts > 0).any():
        return 0.0
    if not (parts < 0).any():
        return 1.0
    # With t = exp(u) the integrand is smooth and falls off on both sides, so that equal steps converge fast.
    scale = np.abs(parts)
    low, high = -math.log(scale.sum()) - 34, -math.log(scale.max()) + 34 / len(parts)
    high = max(high, -math.log(scale.min()) + 6)
    if len(parts) <= 3:
        high += 34
    points = np.exp(np.arange(low, high, _STEP))
    # log of the characteristic function, its imaginary part summed and not wrapped
    size = -0.5 * np.log1p((parts[:, None] * points) ** 2).sum(axis=0)
    angle = np.arctan(parts[:, None] * points).sum(axis=0)
    return float(0.5 + (np.exp(size) * np.sin(angle)).sum() * _STEP / math.pi)


def _settled(drop: float, top: float) -> float:
    """Take out what rounding has added: what is nearly nothing, or nearly all."""
    return 0.0 if abs(drop) <= _NEAR else top if abs(drop - top) <= _NEAR else drop


def surely_below(drops: Sequence[tuple[float, float]], margin: float, width: float, heaviest: float) -> bool:
    """Return whether the upper bound of the mean drop is under a margin."""
    return chance_above(drops, margin, (heaviest, width)) < _SURELY


def surely_above(drops: Sequence[tuple[float, float]], margin: float, width: float, heaviest: float) -> bool:
    """Return whether the lower bound of the mean drop is over a margin."""
    turned = [(weight, -drop) for weight, drop in drops]
    return chance_above(turned, -margin, (heaviest, width)) < _SURELY
