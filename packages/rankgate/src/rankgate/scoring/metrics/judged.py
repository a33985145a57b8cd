"""How much of what was returned anybody has judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rankgate.scoring.matches import Column, Cut, ratio
from rankgate.scoring.metric import SHARE, Metric

if TYPE_CHECKING:
    from rankgate.scoring.matches import Matches


@dataclass(frozen=True)
class JudgedShare(Metric):
    """Judged: which part of the first k hits has a judgment.

    What it measures: hits among the first k that reach any target, of whatever grade, divided by the
        hits returned among the first k.
    Use it when: a low score may be the fault of the judgments; below about 0.8, judge more.
    Edge cases: 1 on exhaustive cases, 0 where nothing was returned, and undefined where nothing is
        judged irrelevant, because unjudged and irrelevant cannot then be told apart.

    Example:
        >>> from rankgate.scoring.evaluate import score_ranking
        >>> score_ranking("judged@10", ["c", "a", "b", "x"], {"a": 2, "b": 1, "c": 0})
        0.75

    Reference: MacAvaney et al., Streamlining evaluation with ir-measures, ECIR 2022.
    """

    name: ClassVar[str] = "judged"
    limits: ClassVar[tuple[float, float] | None] = SHARE
    failure: ClassVar[str] = "0 where nothing is returned"
    needs: ClassVar[frozenset[str]] = frozenset({"irrelevant"})
    cut_by: ClassVar[tuple[str, ...]] = ("rank",)

    cut: Cut | None = None

    def values(self, matches: Matches) -> Column:
        """Score every query of a batch."""
        pairs = matches.within(matches.pairs, self.cut)
        seen = np.minimum(matches.returned, matches.depth(self.cut)).astype(np.float64)
        values = ratio(matches.per_query(pairs.query[pairs.new_hit()]), seen)
        values[matches.exhaustive] = 1.0
        return Column(values, matches.knows_irrelevant(None))
