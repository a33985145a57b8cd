"""Reciprocal rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rankgate.scoring.matches import Column, Cut, first_of
from rankgate.scoring.metric import NOT_FOUND, SHARE, Metric

if TYPE_CHECKING:
    from rankgate.scoring.matches import Matches


@dataclass(frozen=True)
class RR(Metric):
    """Reciprocal rank: how far down the first good hit is. Its mean is known as MRR.

    What it measures: 1 / rank of the first hit that reaches a relevant target; 0 where none does.
    Use it when: one good answer is enough, as in navigation and known-item search.
    Edge cases: undefined where nothing relevant is judged. ``rr(rel=2)`` looks for grade 2 and more.

    Example:
        >>> from rankgate.scoring.evaluate import score_ranking
        >>> score_ranking("rr", ["c", "a", "b"], {"a": 2, "b": 1})
        0.5

    Reference: Voorhees, The TREC-8 question answering track report, 1999.
    """

    name: ClassVar[str] = "rr"
    limits: ClassVar[tuple[float, float] | None] = SHARE
    failure: ClassVar[str] = NOT_FOUND
    within_cut = True
    cut_by: ClassVar[tuple[str, ...]] = ("rank", "tokens")

    rel: float | None = None
    """The lowest grade that is relevant; above 0 where not given."""
    cut: Cut | None = None

    def values(self, matches: Matches) -> Column:
        """Score every query of a batch."""
        found = matches.within(matches.reached(self.rel), self.cut)
        first = found.take(first_of(found.query, matches.size))
        values = np.zeros(matches.size)
        values[first.query] = 1 / first.rank
        return Column(values, matches.relevant_units(self.rel) > 0)
