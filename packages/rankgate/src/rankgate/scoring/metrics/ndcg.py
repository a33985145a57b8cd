"""Discounted cumulative gain, as it is and normalised."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from rankgate.scoring.credit import discount, exponential_gain, graded_credit, linear_gain
from rankgate.scoring.matches import Column, Cut, position_in_query, ratio
from rankgate.scoring.metric import NOT_FOUND, SHARE, Metric

if TYPE_CHECKING:
    from rankgate.scoring.matches import Floats, Ints, Matches

GAINS = {"linear": linear_gain, "exp": exponential_gain}


def dcg(matches: Matches, cut: Cut | None, gain: str = "linear") -> Floats:
    """Add up the discounted gains of the credited hits above the cut."""
    credited = graded_credit(matches, cut, GAINS[gain])
    return matches.per_query(credited.query, GAINS[gain](credited.grade) / discount(credited.rank))


def ideal_dcg(matches: Matches, cut: Cut | None, gain: str = "linear") -> Floats:
    """Return the DCG of the best possible ranking of everything judged, cut at the same rank."""
    query, grade = matches.once("ideal", lambda: _best_first(matches))
    rank = position_in_query(query, matches.size)
    if cut is not None:
        above = rank <= cut.size
        query, grade, rank = query[above], grade[above], rank[above]
    return matches.per_query(query, GAINS[gain](grade) / discount(rank))


def _best_first(matches: Matches) -> tuple[Ints, Floats]:
    """Sort the units of positive grade by query, best first."""
    positive = matches.units.grade > 0
    query, grade = matches.units.query[positive], matches.units.grade[positive]
    top = float(grade.max(initial=0))
    if top < 2**20 and (grade == np.floor(grade)).all():  # the usual scale sorts faster, as one integer
        order = np.argsort(query * (int(top) + 1) - grade.astype(np.int64))
    else:
        order = np.lexsort((-grade, query))
    return query[order], grade[order]


@dataclass(frozen=True)
class NDCG(Metric):
    """Normalised discounted cumulative gain: how close the ranking comes to the best possible one.

    What it measures: the gains of the credited hits, each divided by log2(rank + 1), over the same sum
        for the ideal ranking of everything that is judged, cut at the same rank.
    Use it when: grades differ and the order matters; the default for most suites.
    Edge cases: undefined where nothing relevant is judged. ``gain=exp`` gains 2^grade - 1.
        ``judged_only`` takes unjudged hits out first, and is undefined where the whole suite judges
        nothing irrelevant. Never above 1: each target is credited once.

    Example:
        >>> from rankgate.scoring.evaluate import score_ranking
        >>> round(score_ranking("ndcg@10", ["c", "a", "b"], {"a": 2, "b": 1}), 4)
        0.6697

    Reference: Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, TOIS 2002;
        ``gain=exp``: Burges et al., Learning to rank using gradient descent, ICML 2005.
    """

    name: ClassVar[str] = "ndcg"
    limits: ClassVar[tuple[float, float] | None] = SHARE
    failure: ClassVar[str] = NOT_FOUND
    within_cut = True
    cut_by: ClassVar[tuple[str, ...]] = ("rank",)

    gain: Literal["linear", "exp"] = "linear"
    """How a grade becomes a gain."""
    judged_only: bool = False
    """True to take unjudged hits out of the ranking first."""
    cut: Cut | None = None

    @property
    def reads(self) -> frozenset[str]:
        """What it reads beyond the hits on relevant targets."""
        return super().reads | ({"irrelevant"} if self.judged_only else set())

    def values(self, matches: Matches) -> Column:
        """Score every query of a batch."""
        defined = matches.relevant_units(None) > 0
        if self.judged_only:
            defined &= matches.knows_irrelevant(None)
            matches = matches.condensed()
        ideal = ideal_dcg(matches, self.cut, self.gain)
        return Column(ratio(dcg(matches, self.cut, self.gain), ideal), defined)


@dataclass(frozen=True)
class DCG(Metric):
    """Discounted cumulative gain: what the ranking gains, undivided.

    What it measures: the gains of the credited hits, each divided by log2(rank + 1).
    Use it when: nDCG has to be taken apart. Queries with more relevant targets weigh more in its mean.
    Edge cases: undefined where nothing relevant is judged; not bounded by 1.

    Example:
        >>> from rankgate.scoring.evaluate import score_ranking
        >>> round(score_ranking("dcg@10", ["c", "a", "b"], {"a": 2, "b": 1}), 4)
        1.7619

    Reference: Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, TOIS 2002.
    """

    name: ClassVar[str] = "dcg"
    limits: ClassVar[tuple[float, float] | None] = (0.0, math.inf)
    failure: ClassVar[str] = NOT_FOUND
    cut_by: ClassVar[tuple[str, ...]] = ("rank",)
    unit: ClassVar[str] = "gain"

    gain: Literal["linear", "exp"] = "linear"
    """How a grade becomes a gain."""
    cut: Cut | None = None

    def values(self, matches: Matches) -> Column:
        """Score every query of a batch."""
        return Column(dcg(matches, self.cut, self.gain), matches.relevant_units(None) > 0)
