"""What is known of the unjudged hits of a comparison, read when somebody first asks, metric by metric."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from rankgate.scoring.matches import Cut
from rankgate.scoring.metric import aggregate
from rankgate.scoring.metrics.judged import JudgedShare
from rankgate.scoring.unjudged.allowed import Allowed, ValueSpan, allowed
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
    def apart(self) -> bool:
        """True where the judged shares differ by more than 0.05."""
        return abs(self.judged[1] - self.judged[0]) > JUDGED_APART + _NEAR

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
        if not (self.known and metric.about_labels and metric.statistic == "mean" and metric.paired):
            return None
        share = JudgedShare(_cut(metric))

        def mean(values: Floats) -> float:
            return aggregate(values[rows], weights[rows], "mean") or 0.0

        found = _mean_allowed([allowed(metric, both) for both in self._both])
        judged = [
            mean(np.mean([_judged(share, getattr(both, name)) for both in self._both], axis=0))
            for name in ("before", "after")
        ]
        alone = None
        if metric.reads <= {"irrelevant"}:
            alone = mean(np.mean([_alone(metric, both) for both in self._both], axis=0))
        before, after, difference = (
            ends if all(map(math.isfinite, ends := (mean(span.low), mean(span.high)))) else None
            for span in (found.before, found.after, found.difference)
        )
        return UnjudgedEffect(share.label, (judged[0], judged[1]), before, after, difference, alone)

    @cached_property
    def _both(self) -> list[BothSides]:
        """Each time that was asked before beside one after, so that both means are over all times."""
        before, after = self._runs
        pairs = zip(before, after, strict=True) if len(before) == len(after) else product(before, after)
        return [BothSides.of(self._judgments, pair, self._reads) for pair in pairs]


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


def _mean_allowed(each: Sequence[Allowed]) -> Allowed:
    if len(each) == 1:
        return each[0]
    spans = (
        ValueSpan(
            np.mean([getattr(one, name).low for one in each], axis=0),
            np.mean([getattr(one, name).high for one in each], axis=0),
        )
        for name in ("before", "after", "difference")
    )
    return Allowed(*spans)
