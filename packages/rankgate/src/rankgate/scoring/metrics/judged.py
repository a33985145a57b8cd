"""How much of what was returned anybody has judged, and how good that is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rankgate.errors import Code, ExpressionError, InputError, Problem
from rankgate.scoring.matches import Column, Cut, ratio
from rankgate.scoring.metric import SHARE, Metric, ValueRange

if TYPE_CHECKING:
    from rankgate.scoring.matches import Matches


@dataclass(frozen=True)
class JudgedShare(Metric):
    """Judged: which part of the first k hits has a judgment.

    What it measures: hits among the first k that reach any target, of whatever grade, divided by the
        hits returned among the first k.
    Use it when: a low score may be the fault of the judgments; below about 0.8, judge more.
    Edge cases: 1 on exhaustive cases, 0 where nothing was returned, and undefined where the whole suite
        judges nothing irrelevant, because unjudged and irrelevant cannot then be told apart.

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


@dataclass(frozen=True)
class MeanRating(Metric):
    """Mean rating: how good the judged hits among the first k are.

    What it measures: the mean grade of the judged hits among the first k. A grade below 0 counts as 0, and
        so does a location that was returned before; a hit on several targets has the best grade of them.
    Use it when: people rate results, and know what a 2 means. `judged` at the same cut stands beside it:
        a mean over few judged hits says little.
    Edge cases: undefined where nothing relevant is judged; 0 where no judged hit is among the first k.
        On exhaustive cases every other hit is judged, with 0. ``rating(max=3)@5`` declares the top of the
        scale, without which a value has no highest.

    Example:
        >>> from rankgate.scoring.evaluate import score_ranking
        >>> score_ranking("rating@3", ["c", "a", "x", "b"], {"a": 3, "b": 1, "c": 0})
        1.5

    Reference: none; the average rating of people who rate results.
    """

    name: ClassVar[str] = "rating"
    needs: ClassVar[frozenset[str]] = frozenset({"irrelevant"})
    cut_by: ClassVar[tuple[str, ...]] = ("rank",)
    unit: ClassVar[str] = "gain"
    limits: ClassVar[tuple[float, float] | None] = (0.0, math.inf)
    failure: ClassVar[str] = "0 where no judged hit is returned"

    max: float | None = None
    """The top of the grade scale; without a limit where not given."""
    cut: Cut | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max is not None and self.max <= 0:
            raise ExpressionError(Problem("rating", f"max={self.max:g}", "a max above 0"))

    @property
    def range(self) -> ValueRange:
        """Which values a query can have: nothing to the top of the scale."""
        return ValueRange(0.0, math.inf if self.max is None else self.max)

    @property
    def beside(self) -> tuple[str, ...]:
        """How much of it is judged, which says how much the mean is worth."""
        return (f"judged@{self.cut}" if self.cut else "judged",)

    def values(self, matches: Matches) -> Column:
        """Score every query of a batch."""
        highest = float(matches.units.grade.max(initial=0))
        if self.max is not None and highest > self.max:
            raise InputError(
                Code.METRIC_NEEDS(self.label, f"a grade of {highest:g}", f"grades of at most {self.max:g}")
            )
        pairs = matches.within(matches.pairs, self.cut)
        new = pairs.new_hit()
        best = np.zeros(int(new.sum()))
        np.maximum.at(best, np.cumsum(new) - 1, np.where(pairs.repeat, 0.0, pairs.grade))
        query = pairs.query[new]
        seen = np.minimum(matches.returned, matches.depth(self.cut)).astype(np.float64)
        judged = np.where(matches.exhaustive, seen, matches.per_query(query))
        return Column(ratio(matches.per_query(query, best), judged), matches.relevant_units(None) > 0)
