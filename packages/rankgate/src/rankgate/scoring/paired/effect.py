"""How large a difference is beside how much it varies, and how many cases won and lost."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.scoring.paired.paired import TIE

if TYPE_CHECKING:
    from rankgate.scoring.matches import Floats
    from rankgate.scoring.paired.paired import Paired


@dataclass(frozen=True, slots=True)
class EffectSize:
    """Counts by case, and the standardised difference."""

    wins: int
    """Cases whose value rose."""
    losses: int
    """Cases whose value fell."""
    ties: int
    """Cases whose value moved by no more than 1e-9."""
    standardised: float | None
    """The mean difference over the standard deviation of the differences; None where they do not vary."""


def effect(paired: Paired) -> EffectSize:
    """Count, and divide; weights are shares, so that equal weights of any size give the same.

    >>> from rankgate.scoring.paired.paired import Paired
    >>> effect(Paired.of([0.3, 0.1, -0.1, 0.0]))
    EffectSize(wins=2, losses=1, ties=1, standardised=0.43915503282683993)
    """
    values, weights = paired.differences, paired.weights
    wins, losses = int((values > TIE).sum()), int((values < -TIE).sum())
    return EffectSize(wins, losses, len(values) - wins - losses, _standardised(paired, values, weights))


def _standardised(paired: Paired, values: Floats, weights: Floats) -> float | None:
    if len(values) < 2:
        return None
    squares = math.fsum((weights * (values - paired.mean) ** 2).tolist()) / math.fsum(weights.tolist())
    deviation = math.sqrt(squares * len(values) / (len(values) - 1))
    return paired.mean / deviation if deviation > TIE else None
