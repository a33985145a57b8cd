"""The harmonic mean of precision and recall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rankgate.scoring.matches import Column, Cut, ratio
from rankgate.scoring.metric import NOT_FOUND, SHARE, Metric
from rankgate.scoring.metrics.precision import precision
from rankgate.scoring.metrics.recall import recall

if TYPE_CHECKING:
    from rankgate.scoring.matches import Matches


@dataclass(frozen=True)
class F1(Metric):
    """F1: precision and recall in one figure that is low where either is.

    What it measures: 2pr / (p + r) of precision and recall at the same cut; 0 where both are 0.
    Use it when: the system chooses how many hits to return.
    Edge cases: undefined where nothing relevant is judged. Without a cut, precision divides by the
        hits returned, as trec_eval's ``set_F`` does.

    Example:
        >>> from rankgate.scoring.evaluate import score_ranking
        >>> round(score_ranking("f1", ["c", "a", "b"], {"a": 2, "b": 1}), 4)
        0.8

    Reference: van Rijsbergen, Information Retrieval, chapter 7, 1979.
    """

    name: ClassVar[str] = "f1"
    whole_answer: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float] | None] = SHARE
    failure: ClassVar[str] = NOT_FOUND
    cut_by: ClassVar[tuple[str, ...]] = ("rank",)

    rel: float | None = None
    """The lowest grade that is relevant; above 0 where not given."""
    cut: Cut | None = None

    def values(self, matches: Matches) -> Column:
        """Score every query of a batch."""
        p, r = precision(matches, self.rel, self.cut), recall(matches, self.rel, self.cut)
        return Column(ratio(2 * p * r, p + r), matches.relevant_units(self.rel) > 0)
