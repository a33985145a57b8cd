"""Everything there is to say about two systems on the same cases, in one result."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError
from rankgate.scoring.paired.interval import inverted
from rankgate.scoring.paired.paired import TIE, Paired
from rankgate.scoring.paired.power import detectable
from rankgate.scoring.paired.randomisation import randomisation
from rankgate.scoring.paired.subsets import RESAMPLES, Subsets

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import ArrayLike

    from rankgate.scoring.matches import Floats


@dataclass(frozen=True, slots=True)
class PairedResult:
    """The comparison of a new system with an old one by one metric; differences are new minus old."""

    cases: int
    """Cases with a value from both."""
    groups: int
    """Groups of cases; what is resampled."""
    mean: float
    """The mean difference; below 0 the new system is worse by the numbers."""
    low: float | None
    """Lower end of the 95 % interval of the mean difference; None where fewer than six groups differ, and
    where all differ alike, so that it would have no width."""
    high: float | None
    """Upper end of the 95 % interval, as above."""
    p: float
    """Two-sided p value of the randomisation test."""
    p_greater: float
    """One-sided p value: chance alone gives as large a gain."""
    p_less: float
    """One-sided p value: chance alone gives as large a loss."""
    exact: bool
    """True where the p values count every way to swap labels; False where some were drawn."""
    differing: int
    """Groups that are no tie."""
    can_be_significant: bool
    """False where fewer than six groups differ: no outcome of so few gives a p value of 0.05 or less."""
    wins: int
    """Cases whose value rose."""
    losses: int
    """Cases whose value fell."""
    ties: int
    """Cases whose value moved by no more than 1e-9."""
    effect: float | None
    """The mean difference over the standard deviation of the differences; None where they do not vary."""
    detectable: float | None
    """The smallest true mean difference that would be found in four of five such comparisons; None where
    there are fewer than six groups, of which nothing can be significant."""

    @property
    def words(self) -> str:
        """What to say beside the p value; nothing where it can be significant."""
        return "" if self.can_be_significant else "cannot be significant"


def compare_paired(
    differences: ArrayLike,
    weights: ArrayLike | None = None,
    groups: Sequence[Hashable] | None = None,
    *,
    seed: int = 0,
    scale: float | None = 1.0,
    resamples: int = RESAMPLES,
) -> PairedResult:
    """Compare two systems by the differences, new minus old, of a metric on each case.

    `scale` is the most that the value of one case can move: 1 for metrics from 0 to 1, None where there is no
    such limit. The same differences, weights and groups give the same result for a seed, in any order.

    >>> result = compare_paired([-1.0] * 3 + [0.0] * 45)
    >>> result.mean, result.p, result.words, result.losses
    (-0.0625, 0.25, 'cannot be significant', 3)
    """
    if scale is not None and not 0 < scale < math.inf:
        raise InputError(
            Code.WRONG_NUMBERS("scale", f"{scale:g}", "a number above 0, or None where there is no limit")
        )
    paired = Paired.of(differences, weights, groups)
    subsets = Subsets.drawn(paired, seed=seed, resamples=resamples)
    test = randomisation(paired, subsets)
    found = inverted(subsets)
    told = test.can_be_significant and found.high - found.low > TIE
    counted = effect(paired)
    return PairedResult(
        cases=len(paired.differences),
        groups=len(paired.sums),
        mean=paired.mean,
        low=_finite(found.low) if told else None,
        high=_finite(found.high) if told else None,
        p=test.p,
        p_greater=test.p_greater,
        p_less=test.p_less,
        exact=test.exact,
        differing=test.differing,
        can_be_significant=test.can_be_significant,
        wins=counted.wins,
        losses=counted.losses,
        ties=counted.ties,
        effect=counted.standardised,
        detectable=detectable(paired, scale=scale),
    )


def _finite(bound: float) -> float | None:
    return bound if math.isfinite(bound) else None


def holm(values: Sequence[float]) -> list[float]:
    """Adjust p values by Holm's rule, in the order given: compare each with the level as if it were alone.

    The smallest is multiplied by their number, the next by one less, and so on; none is adjusted to less than
    a smaller one was, and none to more than 1.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(values)
    largest = 0.0
    for place, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        largest = max(largest, min(1.0, values[index] * (len(values) - place)))
        adjusted[index] = largest
    return adjusted


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
