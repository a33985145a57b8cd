"""What is known of the unjudged hits of a comparison, read when somebody first asks, metric by metric."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankgate.scoring.matches import Cut
from rankgate.scoring.metric import aggregate
from rankgate.scoring.metrics.judged import JudgedShare
from rankgate.scoring.unjudged.sides import BothSides

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.runs.store.tables import Run
    from rankgate.scoring.matches import Bools, Floats
    from rankgate.scoring.metric import Metric
    from rankgate.scoring.unjudged.sides import OneSide
    from rankgate.truth.judgments.table import Judgments

JUDGED_APART = 0.05
"""How far the judged shares of two sides may lie apart for their difference to say something."""
_NEAR = 1e-9


class JudgedShares(NamedTuple):
    """Which share of the hits is judged, on both sides. A query without a hit has none unjudged."""

    label: str
    """What is counted: ``judged@10``."""
    before: float
    """The share before."""
    after: float
    """The share after."""

    @property
    def apart(self) -> bool:
        """True where they differ by more than 0.05."""
        return abs(self.after - self.before) > JUDGED_APART + _NEAR

    def __str__(self) -> str:
        return f"{self.label} {self.before:.2f} → {self.after:.2f}"


@dataclass(frozen=True, slots=True)
class UnjudgedEffect:
    """What unjudged hits may do to one metric of a comparison; all of it means over the compared queries."""

    label: str
    """Which share of the hits is judged: ``judged@10``."""
    judged: tuple[float, float]
    """That share before and after. A query without a hit has none unjudged: it counts as 1."""
    before: tuple[float, float] | None
    """The lowest and the highest value before; None where there is no limit."""
    after: tuple[float, float] | None
    """The lowest and the highest value after."""
    difference: tuple[float, float] | None
    """The lowest and the highest difference, after less before."""
    alone: float | None
    """The difference with the unjudged hits taken out of both rankings; None where that says nothing."""

    @property
    def shares(self) -> JudgedShares:
        """The judged shares with their name."""
        return JudgedShares(self.label, *self.judged)

    def turns(self, difference: float) -> bool:
        """Check whether a difference has the other sign on judged hits alone."""
        alone = self.alone or 0.0
        return min(abs(alone), abs(difference)) > _NEAR and (alone > 0) != (difference > 0)

    @property
    def open(self) -> bool:
        """True where any value is open, because some hit is not judged."""
        spans = (self.before, self.after, self.difference)
        return any(span is None or span[1] - span[0] > _NEAR for span in spans)


class UnjudgedHits:
    """The unjudged hits of both sides of a comparison."""

    def __init__(
        self, judgments: Judgments, before: Sequence[Run], after: Sequence[Run], metrics: Sequence[Metric]
    ) -> None:
        self._judgments = judgments
        self._runs = before, after
        self._reads = frozenset[str]().union(*(metric.reads for metric in metrics))

    @cached_property
    def known(self) -> bool:
        """True where the suite judges something irrelevant, so that unjudged and irrelevant differ."""
        return bool((self._judgments.targets["grade"] <= 0).any())

    def effect(self, metric: Metric, rows: Bools, weights: Floats) -> UnjudgedEffect | None:
        """Return what unjudged hits may do to a metric over some queries; None where that is not known."""
        return unjudged_effect(metric, self._both, rows, weights) if self._concerns(metric) else None

    def shares(self, metric: Metric, rows: Bools, weights: Floats) -> JudgedShares | None:
        """Return how much is judged of what a metric looks at; None where that is not known."""
        return judged_shares(metric, self._both, rows, weights) if self._concerns(metric) else None

    def _concerns(self, metric: Metric) -> bool:
        about_hits = metric.about_labels and metric.paired and metric.statistic == "mean"
        return self.known and about_hits and not isinstance(metric, JudgedShare)

    @cached_property
    def _both(self) -> list[BothSides]:
        """Each time that was asked before beside one after, so that both means are over all times."""
        before, after = self._runs
        pairs = zip(before, after, strict=True) if len(before) == len(after) else product(before, after)
        return [BothSides.of(self._judgments, pair, self._reads) for pair in pairs]


def unjudged_effect(
    metric: Metric, times: Sequence[BothSides], rows: Bools, weights: Floats
) -> UnjudgedEffect:
    """Return what unjudged hits may do to a metric over some queries, by the mean of each over its times."""
    # Most suites judge nothing irrelevant, and never get here.
    from rankgate.scoring.unjudged.allowed import allowed

    def mean(values: Sequence[Floats]) -> float:
        return _mean(values, rows, weights)

    found = [allowed(metric, both) for both in times]
    spans = ([getattr(one, name) for one in found] for name in ("before", "after", "difference"))
    before, after, difference = (
        ends if all(map(math.isfinite, ends)) else None
        for ends in ((mean([one.low for one in span]), mean([one.high for one in span])) for span in spans)
    )
    shares = judged_shares(metric, times, rows, weights)
    alone = mean([_alone(metric, both) for both in times]) if metric.reads <= {"irrelevant"} else None
    return UnjudgedEffect(shares.label, (shares.before, shares.after), before, after, difference, alone)


def judged_shares(metric: Metric, times: Sequence[BothSides], rows: Bools, weights: Floats) -> JudgedShares:
    """Return how much is judged of what a metric looks at, over some queries."""
    share = JudgedShare(_cut(metric))
    before = _mean([_judged(share, both.before) for both in times], rows, weights)
    after = _mean([_judged(share, both.after) for both in times], rows, weights)
    return JudgedShares(share.label, before, after)


def _mean(values: Sequence[Floats], rows: Bools, weights: Floats) -> float:
    return aggregate(np.mean(values, axis=0)[rows], weights[rows], "mean") or 0.0


def _cut(metric: Metric) -> Cut | None:
    """Return how deep a metric looks: as deep as the deepest of its parts."""
    depths = metric.depths
    return None if None in depths else Cut(max(depth for depth in depths if depth is not None))


def _judged(share: JudgedShare, side: OneSide) -> Floats:
    return np.where(side.matches.returned > 0, share.values(side.matches).values, 1.0)


def _alone(metric: Metric, both: BothSides) -> Floats:
    before, after = (metric.column(side.matches.condensed()).values for side in (both.before, both.after))
    difference: Floats = after - before
    return difference
