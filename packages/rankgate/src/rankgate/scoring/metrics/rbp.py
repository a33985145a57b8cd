"""Rank-biased precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rankgate.errors import ExpressionError, Problem
from rankgate.scoring.credit import binary_credit
from rankgate.scoring.matches import Column, Cut
from rankgate.scoring.metric import NOT_FOUND, SHARE, Metric

if TYPE_CHECKING:
    from rankgate.scoring.matches import Floats, Ints, Matches


@dataclass(frozen=True)
class RBP(Metric):
    """Rank-biased precision: the rate of good hits for a reader who goes on with chance `p`.

    What it measures: (1 - p) times the sum of p^(rank - 1) over the credited hits.
    Use it when: a model of how far people read is known; p = 0.8 looks at 5 hits on average.
    Edge cases: undefined where nothing relevant is judged. Reaches 1 only with endless relevant hits.

    Example:
        >>> from rankgate.scoring.evaluate import score_ranking
        >>> round(score_ranking("rbp(p=0.8)", ["c", "a", "b"], {"a": 2, "b": 1}), 4)
        0.288

    Reference: Moffat and Zobel, Rank-biased precision for measurement of retrieval effectiveness, TOIS 2008.
    """

    name: ClassVar[str] = "rbp"
    limits: ClassVar[tuple[float, float] | None] = SHARE
    failure: ClassVar[str] = NOT_FOUND
    cut_by: ClassVar[tuple[str, ...]] = ("rank",)

    p: float = 0.8
    """The chance that the reader goes on to the next hit."""
    rel: float | None = None
    """The lowest grade that is relevant; above 0 where not given."""
    cut: Cut | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.p < 1:
            raise ExpressionError(Problem("rbp", f"p={self.p:g}", "a p between 0 and 1"))

    def _weight(self, rank: Ints) -> Floats:
        weight: Floats = (1 - self.p) * np.power(self.p, rank - 1.0)
        return weight

    def values(self, matches: Matches) -> Column:
        """Score every query of a batch."""
        credited = matches.within(binary_credit(matches, self.rel), self.cut)
        weight = self._weight(credited.rank)
        return Column(matches.per_query(credited.query, weight), matches.relevant_units(self.rel) > 0)
