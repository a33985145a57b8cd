"""Average precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rankgate.scoring.credit import binary_credit
from rankgate.scoring.matches import Column, Cut, position_in_query, ratio
from rankgate.scoring.metric import NOT_FOUND, SHARE, Metric

if TYPE_CHECKING:
    from rankgate.scoring.matches import Matches


@dataclass(frozen=True)
class AP(Metric):
    """Average precision: precision at each relevant hit, averaged over all that is relevant.

    What it measures: the sum of (credited hits so far / rank) over the credited hits, divided by the
        number of relevant targets, found or not. Its mean is known as MAP.
    Use it when: all relevant targets matter and grades do not.
    Edge cases: undefined where nothing relevant is judged. ``ap@k`` ignores hits below k and still
        divides by all relevant targets, as trec_eval's ``map_cut`` does.

    Example:
        >>> from rankgate.scoring.evaluate import score_ranking
        >>> round(score_ranking("ap", ["c", "a", "b"], {"a": 2, "b": 1}), 4)
        0.5833

    Reference: Buckley and Voorhees, Evaluating evaluation measure stability, SIGIR 2000.
    """

    name: ClassVar[str] = "ap"
    limits: ClassVar[tuple[float, float] | None] = SHARE
    failure: ClassVar[str] = NOT_FOUND
    within_cut = True
    cut_by: ClassVar[tuple[str, ...]] = ("rank",)

    rel: float | None = None
    """The lowest grade that is relevant; above 0 where not given."""
    cut: Cut | None = None

    def values(self, matches: Matches) -> Column:
        """Score every query of a batch."""
        credited = matches.within(binary_credit(matches, self.rel), self.cut)
        precision = position_in_query(credited.query, matches.size) / credited.rank
        relevant = matches.relevant_units(self.rel)
        return Column(ratio(matches.per_query(credited.query, precision), relevant), relevant > 0)
