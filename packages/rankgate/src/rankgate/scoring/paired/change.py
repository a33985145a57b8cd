"""How queries change where a metric drops, and how often a comparison or a gate notices.

That a mean drops by 0.05 says little about what is seen of it: all queries may have fallen a little, or one
in twenty is lost. `DropModel` says which: so many queries lose all that they had, and the others move as they
did between two stored runs, up or down, or not at all. Of all ways in which a mean can drop on a bounded
range, whole losses are the hardest to see.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankgate.scoring.paired.bounds import LEVEL, chance
from rankgate.scoring.paired.drop import Capacity
from rankgate.scoring.paired.paired import TIE
from rankgate.scoring.paired.power import FEWEST, POWER, rate_of_six, six_differ
from rankgate.scoring.paired.randomisation import ALPHA

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from rankgate.scoring.matches import Bools, Floats

DRAWS = 1000
"""How many suites are drawn where power cannot be counted out."""
FLIPS = 599
"""How often the labels of each are swapped."""
RESAMPLED = 200
"""How often the stored queries themselves are resampled, to see how far the power depends on them."""
MOST_DRAWN = 1000
"""Above so many queries the normal distribution says as much as drawing does."""
MOST_QUERIES = 10**7
"""What needs more queries than this is not planned."""
SEED = 20_260
_BLOCK = 50
"""How many suites have their labels swapped alike: few, so that no swap decides."""
_SLACK = 1e-5
"""What sums may differ by, as a share of all that is summed, and be the same."""
_DOUBT = (1.7, 2.45)
"""Between these a sum over its deviation may or may not be significant."""
_Z = NormalDist().inv_cdf(1 - ALPHA / 2)


class Power(NamedTuple):
    """How many suites in a hundred, as a share, end in some way; with its 95 % interval."""

    share: float
    low: float
    high: float

    @classmethod
    def around(cls, share: float, deviation: float) -> Power:
        """Return one with a deviation; 0 where it is counted and rests on no stored queries."""
        width = _Z * deviation
        return cls(share, max(0.0, share - width), min(1.0, share + width))


class GatePower(NamedTuple):
    """How often `noninferior` ends how, at one true drop."""

    passes: Power
    fails: Power


@dataclass(frozen=True, eq=False)
class DropModel:
    """What may become of a query, one row a group of queries; those of a new suite are drawn from the rows.

    >>> each = np.ones(48)  # queries that are lost whole, while nothing else changes
    >>> model = DropModel.of(each * 0, each, each, range(48), 1.0, stored=False)
    >>> round(model.seen(48, 0.1).share, 4), model.needed(0.05)
    (0.3469, 157)
    """

    moves: Floats
    """How far each moves where it is not lost, up or down; 0 where nothing is known of it."""
    losses: Floats
    """How far each falls where it is lost."""
    weights: Floats
    """What each weighs in a bound: a member of it, on average."""
    sizes: Floats
    """What each weighs in a mean: its members together."""
    scale: float = 1.0
    """How far the value of a query can fall."""
    stored: bool = False
    """True where the rows are a sample, so that others would have been drawn another time."""

    @classmethod
    def of(
        cls,
        moves: Floats,
        losses: Floats,
        weights: Floats,
        groups: Sequence[Hashable],
        scale: float,
        *,
        stored: bool = True,
    ) -> DropModel:
        """Take stored queries: how far each moved, and how far it can fall; members of a group as one."""
        places: dict[Hashable, int] = {}
        rows = np.array([places.setdefault(group, len(places)) for group in groups], dtype=np.int64)
        sizes: Floats = np.bincount(rows, weights).astype(np.float64)
        members = np.bincount(rows)

        def mean(values: Floats) -> Floats:
            found = np.bincount(rows, weights * values) / sizes
            return np.where(np.abs(found) <= TIE, 0.0, found)

        each = np.minimum(sizes / members, weights.max())
        return cls(mean(moves), mean(losses), each, sizes, scale, stored)

    def rate(self, drop: float) -> float | None:
        """Return the share of queries that are lost where the mean drops so far; None where it cannot."""
        most = _mean_loss(self.losses, self.weights)
        if not drop:
            return 0.0
        return drop / most if 0 < drop <= most else None

    @cached_property
    def still(self) -> bool:
        """True where nothing moves that is not lost: then it is counted how many are, and nothing drawn."""
        return not self.moves.any()

    @cached_property
    def whole(self) -> bool:
        """True where how many are lost says everything: each by as much, and of the same weight."""
        return self.still and bool((self.losses == self.losses[0]).all() and np.ptp(self.weights) == 0)

    def seen(self, groups: int, drop: float, *, draws: int = DRAWS) -> Power | None:
        """Return how many comparisons find a drop significant: two-sided p at most 0.05, and the mean fell.

        None where the mean cannot drop so far.
        """
        if self.rate(drop) is None:
            return None
        if self.still or groups > MOST_DRAWN:
            share = _about_seen(self, groups, drop)
            return Power.around(share, self._between(_about_seen, groups, drop, share))
        drawn = self._drawn(groups, drop, draws)
        share = float(_significant(drawn.sums).mean())
        # Both how far the others move and how many are lost depend on what is stored.
        parts = (self._between(about, groups, drop, share) for about in (_about_seen, _lost_enough))
        return _drawn_power(share, draws, math.hypot(*parts))

    def decided(self, groups: int, drop: float, margin: float, *, draws: int = DRAWS) -> GatePower | None:
        """Return how many suites pass and how many fail ``noninferior … within margin`` at a true drop.

        None where the mean cannot drop so far.
        """
        rate = self.rate(drop)
        if rate is None:
            return None
        if self.whole and not self.stored:
            capacity = Capacity.of(groups, self.scale)
            forgiven, failing = capacity.forgives(margin), capacity.fails_at(margin)
            passes = 0.0 if forgiven is None else _at_most(forgiven, groups, rate)
            fails = 0.0 if failing is None else 1 - _at_most(failing - 1, groups, rate)
            return GatePower(Power(*[passes] * 3), Power(*[max(0.0, fails)] * 3))
        drawn, top = self._drawn(groups, drop, draws), float(self.weights.max())
        found = []
        for suites, sign in ((drawn, 1.0), (drawn.turned, -1.0)):
            share = float(suites.under(sign * margin, self.scale, top).mean())
            about = partial(_about_under, sign=sign, margin=margin)
            found.append(_drawn_power(share, draws, self._between(about, groups, drop, share)))
        return GatePower(*found)

    def needed(self, drop: float, power: float = POWER) -> int | None:
        """Return how many groups show a drop in so many comparisons; None where it cannot drop so far.

        >>> model = DropModel.of(np.zeros(20), np.ones(20), np.ones(20), range(20), 1.0, stored=False)
        >>> [model.needed(drop) for drop in (0.02, 0.05, 0.1)]
        [394, 157, 78]
        """
        rate = self.rate(drop)
        if not rate:
            return None
        can_fall = float((self.losses > 0).mean())
        least = _first(FEWEST, lambda groups: six_differ(groups, rate * can_fall) >= power)
        if self.still or least is None:
            return least
        about = self._about(drop, power)
        if about > MOST_QUERIES:
            return None
        if max(about, least) > MOST_DRAWN:
            return max(about, least)
        most = min(MOST_DRAWN, math.ceil(1.5 * max(about, least)))
        suites = self._drawn(most, drop, DRAWS)
        found = _first(
            max(FEWEST, about // 2),
            lambda groups: bool(_significant(suites.first(groups).sums).mean() >= power),
            most,
        )
        return max(about, most) if found is None else found

    def smallest(self, groups: int, power: float = POWER) -> float | None:
        """Return the smallest drop that so many groups show in so many comparisons; None where none is."""
        most = _mean_loss(self.losses, self.weights)
        if groups < FEWEST or not most:
            return None
        if self.still:
            rate = rate_of_six(groups, power) / float((self.losses > 0).mean())
            return None if rate >= 1 else rate * most
        low, high = 0.0, most
        for _ in range(40):
            drop = (low + high) / 2
            low, high = (low, drop) if _about_seen(self, groups, drop) >= power else (drop, high)
        low, high = high / 2, min(most, 1.5 * high)
        for _ in range(8):
            drop = (low + high) / 2
            found = self.seen(groups, drop, draws=DRAWS // 2)
            low, high = (low, drop) if found is not None and found.share >= power else (drop, high)
        return None if high == most else high

    def _drawn(self, groups: int, drop: float, draws: int) -> _Suites:
        rng = np.random.default_rng(SEED)
        rows = rng.integers(len(self.moves), size=(draws, groups))
        lost = rng.random((draws, groups)) < (self.rate(drop) or 0.0)
        moved = self.moves[rows] * rng.choice([-1.0, 1.0], size=rows.shape)
        return _Suites(np.where(lost, self.losses[rows], moved), self.weights[rows], self.sizes[rows])

    def _between(
        self, about: Callable[[DropModel, int, float], float], groups: int, drop: float, share: float
    ) -> float:
        """Return how far a power depends on which queries happen to be stored: its deviation.

        How far `about` moves with what is stored is taken as normal deviates, and put where the power is.
        """
        if not self.stored:
            return 0.0
        rng, found = np.random.default_rng(SEED), []
        shift = _deviate(share) - _deviate(about(self, groups, drop))
        for _ in range(RESAMPLED):
            rows = rng.integers(len(self.moves), size=len(self.moves))
            again = DropModel(
                self.moves[rows], self.losses[rows], self.weights[rows], self.sizes[rows], self.scale
            )
            if again.rate(drop) is not None:
                found.append(NormalDist().cdf(_deviate(about(again, groups, drop)) + shift))
        return float(np.std(found, ddof=1)) if len(found) > 1 else 0.0

    def moments(self, drop: float, sizes: Floats) -> tuple[float, float]:
        """Return the mean of what a group adds to a sum, and of its square."""
        rate = self.rate(drop) or 0.0
        squares = rate * self.losses**2 + (1 - rate) * self.moves**2
        return rate * float((sizes * self.losses).mean()), float((sizes**2 * squares).mean())

    def _about(self, drop: float, power: float) -> int:
        """Return how many groups are needed, by the normal distribution."""
        mean, square = self.moments(drop, self.sizes)
        reach = _Z * math.sqrt(square)
        reach += NormalDist().inv_cdf(power) * math.sqrt(max(0.0, square - mean**2))
        return math.ceil(max(0.0, reach / mean) ** 2)


def _about_seen(model: DropModel, groups: int, drop: float) -> float:
    """Return how often a drop is seen: counted where nothing moves but what is lost, else by the normal."""
    if model.still:
        return _lost_enough(model, groups, drop)
    mean, square = model.moments(drop, model.sizes)
    over = mean * math.sqrt(groups) - _Z * math.sqrt(square)
    return NormalDist().cdf(over / math.sqrt(max(1e-300, square - mean**2)))


def _lost_enough(model: DropModel, groups: int, drop: float) -> float:
    """Return how often enough queries are lost to be seen where nothing else moves."""
    return six_differ(groups, (model.rate(drop) or 0.0) * float((model.losses > 0).mean()))


def _about_under(model: DropModel, groups: int, drop: float, *, sign: float, margin: float) -> float:
    """Return about how often a drop is surely under a margin, or over it where the sign is turned."""
    mean, square = model.moments(drop, model.weights)
    weight = float(model.weights.mean())
    deviation = math.sqrt(max(1e-300, square - mean**2)) / weight
    apart = sign * (margin - drop) * math.sqrt(groups) / deviation
    return NormalDist().cdf(apart - NormalDist().inv_cdf(1 - LEVEL))


def _deviate(share: float) -> float:
    """Return the normal deviate of a share, of none and all one that is far out."""
    return NormalDist().inv_cdf(min(max(share, 1e-4), 1 - 1e-4))


def _drawn_power(share: float, draws: int, between: float) -> Power:
    """Return a share that was drawn; one of none or of all may have been some."""
    near = min(max(share, 1 / draws), 1 - 1 / draws)
    return Power.around(share, math.sqrt(between**2 + near * (1 - near) / draws))


@dataclass(frozen=True, slots=True, eq=False)
class _Suites:
    """Suites that were drawn, a row each."""

    values: Floats
    weights: Floats
    sizes: Floats

    @property
    def sums(self) -> Floats:
        return self.values * self.sizes

    @property
    def turned(self) -> _Suites:
        return _Suites(-self.values, self.weights, self.sizes)

    def first(self, groups: int) -> _Suites:
        """Return the same suites with fewer groups."""
        return _Suites(self.values[:, :groups], self.weights[:, :groups], self.sizes[:, :groups])

    def under(self, margin: float, scale: float, top_weight: float) -> Bools:
        """Mark those whose mean is surely under a margin."""
        sums, weight = (self.values * self.weights).sum(axis=1), self.weights.sum(axis=1)
        means = (sums + top_weight * scale) / (weight + top_weight)
        found = np.zeros(len(means), dtype=bool)
        # A bound is never under the mean of all and of the query that was not seen.
        for row in np.flatnonzero(means < margin).tolist():
            one, weights = self.values[row], self.weights[row]
            found[row] = chance(one, margin, scale, weights=weights, top_weight=top_weight) < LEVEL
        return found


def _significant(sums: Floats) -> Bools:
    """Mark the suites whose values fell, with a two-sided p of at most 0.05.

    Of those that the normal distribution leaves in no doubt no label is swapped.
    """
    rng = np.random.default_rng(SEED)
    observed = sums.sum(axis=1)
    reach = observed / np.sqrt(np.maximum((sums**2).sum(axis=1), 1e-300))
    found: Bools = (np.count_nonzero(sums, axis=1) >= FEWEST) & (reach >= _DOUBT[0])
    doubtful = np.flatnonzero(found & (reach <= _DOUBT[1]))
    for start in range(0, len(doubtful), _BLOCK):
        rows = doubtful[start : start + _BLOCK]
        drawn = np.frombuffer(rng.bytes(sums.shape[1] * (FLIPS + 1) // 8), dtype=np.uint8)
        bits = np.unpackbits(drawn).reshape(sums.shape[1], FLIPS + 1)[:, :FLIPS]
        swapped = sums[rows].astype(np.float32) @ (bits.astype(np.float32) * 2 - 1)
        reached = observed[rows] - _SLACK * np.abs(sums[rows]).sum(axis=1)
        as_large = (np.abs(swapped) >= reached[:, None]).sum(axis=1)
        found[rows] = (as_large + 1) / (FLIPS + 1) <= ALPHA
    return found


def _mean_loss(losses: Floats, weights: Floats) -> float:
    return float((losses * weights).sum() / weights.sum())


def _at_most(count: int, groups: int, rate: float) -> float:
    """Return the chance that at most so many of the groups are lost."""
    if rate <= 0 or rate >= 1:
        return float(rate <= 0 or count >= groups)
    log_rate, log_rest, total = math.log(rate), math.log1p(-rate), math.lgamma(groups + 1)
    return min(
        1.0,
        math.fsum(
            math.exp(
                total
                - math.lgamma(lost + 1)
                - math.lgamma(groups - lost + 1)
                + lost * log_rate
                + (groups - lost) * log_rest
            )
            for lost in range(min(count, groups) + 1)
        ),
    )


def _first(least: int, holds: Callable[[int], bool], most: int = MOST_QUERIES) -> int | None:
    """Find the first number of which something holds, and holds of all after it; None up to `most`."""
    if not holds(most):
        return None
    low, high = least - 1, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
