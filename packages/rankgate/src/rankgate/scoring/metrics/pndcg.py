"""nDCG that charges for what should not have been returned."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rankgate.errors import ExpressionError, Problem
from rankgate.scoring.credit import discount
from rankgate.scoring.matches import Column, Cut, ratio
from rankgate.scoring.metric import Metric, ValueRange
from rankgate.scoring.metrics.ndcg import dcg, ideal_dcg

if TYPE_CHECKING:
    from rankgate.scoring.matches import Floats, Matches


@dataclass(frozen=True)
class PNDCG(Metric):
    """Penalised nDCG: nDCG less a price for each hit that should not be there.

    What it measures: DCG, less the discounted cost of every unmatched hit above the cut, over the ideal
        DCG. An unmatched hit reaches no target of positive grade; it costs `c` times the query's
        largest grade, or `cost` where that is given.
    Use it when: the case lists everything that is relevant (``exhaustive``) and false positives hurt.
    Edge cases: undefined on cases that are not exhaustive. May be far below 0: there is no clamp. A
        second hit on a credited target gains nothing and costs nothing.
    Example: with one target, ["a", "x"] scores 1 - 1/log2(3) = 0.3691 on an exhaustive case.
    Reference: after the ``penalize_unmatched`` rule of hand-made code search ratings.
    """

    name: ClassVar[str] = "pndcg"
    limits: ClassVar[tuple[float, float] | None] = (-math.inf, 1.0)
    failure: ClassVar[str] = "0 where nothing is returned, below 0 for hits that should not be there"
    cut_by: ClassVar[tuple[str, ...]] = ("rank",)

    c: float = 1.0
    """What an unmatched hit costs, as a multiple of the query's largest grade."""
    cost: float | None = None
    """What an unmatched hit costs outright, in place of `c`."""
    cut: Cut | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.c < 0 or (self.cost is not None and self.cost < 0):
            raise ExpressionError(Problem(self.name, "a negative cost", "0 or more"))

    @property
    def range(self) -> ValueRange:
        """Which values a query can have: with a cut, no worse than its largest grade missed at every rank.

        The ideal DCG is at least the largest grade; of a price in other terms there is nothing to say.
        """
        if self.cut is None or self.cost is not None:
            return ValueRange(-math.inf, 1.0)
        ranks = np.arange(1, self.cut.size + 1)
        return ValueRange(-self.c * math.fsum((1 / discount(ranks)).tolist()), 1.0)

    def values(self, matches: Matches) -> Column:
        """Score every query of a batch."""
        ideal = ideal_dcg(matches, self.cut)
        price = self._price(matches) * self._unmatched(matches)
        defined = (matches.relevant_units(None) > 0) & matches.exhaustive
        return Column(ratio(dcg(matches, self.cut) - price, ideal), defined)

    def _price(self, matches: Matches) -> Floats:
        if self.cost is not None:
            return np.full(matches.size, self.cost)
        largest = np.zeros(matches.size)
        np.maximum.at(largest, matches.units.query, matches.units.grade)
        return self.c * largest

    def _unmatched(self, matches: Matches) -> Floats:
        """Add up 1 / log2(rank + 1) over the unmatched hits above the cut."""
        depth = np.minimum(matches.returned, matches.depth(self.cut))
        all_hits = np.concatenate([[0.0], np.cumsum(1 / discount(np.arange(1, depth.max(initial=0) + 1)))])
        matched = matches.within(matches.pairs.take(matches.pairs.grade > 0), self.cut)
        once = matched.take(matched.new_hit())
        return all_hits[depth] - matches.per_query(once.query, 1 / discount(once.rank))
