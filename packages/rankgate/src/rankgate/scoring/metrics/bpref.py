"""Binary preference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rankgate.scoring.credit import binary_credit
from rankgate.scoring.matches import Column, is_relevant, ratio
from rankgate.scoring.metric import NOT_FOUND, SHARE, Metric

if TYPE_CHECKING:
    from rankgate.scoring.matches import Bools, Floats, Ints, Matches


@dataclass(frozen=True)
class Bpref(Metric):
    """Binary preference: how often a relevant hit stands above those judged irrelevant.

    What it measures: over the credited hits, the mean share of judged irrelevant hits that do not
        stand above it; unjudged hits are passed over.
    Use it when: judgments are far from complete.
    Edge cases: undefined where nothing relevant is judged, and where the whole suite judges nothing
        irrelevant. Under ``--trec`` it is computed on, and negative grades count as unjudged, as
        trec_eval has it.

    Example:
        >>> from rankgate.scoring.evaluate import score_ranking
        >>> score_ranking("bpref", ["c", "a", "b"], {"a": 2, "b": 1, "c": 0, "d": 0})
        0.5

    Reference: Buckley and Voorhees, Retrieval evaluation with incomplete information, SIGIR 2004.
    """

    name: ClassVar[str] = "bpref"
    limits: ClassVar[tuple[float, float] | None] = SHARE
    failure: ClassVar[str] = NOT_FOUND
    needs: ClassVar[frozenset[str]] = frozenset({"irrelevant"})

    rel: float | None = None
    """The lowest grade that is relevant; above 0 where not given."""

    def values(self, matches: Matches) -> Column:
        """Score every query of a batch."""
        relevant = matches.relevant_units(self.rel)
        irrelevant = matches.per_query(matches.units.query[self._irrelevant(matches, matches.units.lowest)])
        credited = binary_credit(matches, self.rel)
        # Several hits may reach one irrelevant target, so that more stand above than there are targets.
        most = np.minimum(relevant, irrelevant)
        above = np.minimum(
            self._irrelevant_above(matches, credited.query, credited.rank), most[credited.query]
        )
        share = ratio(above, most[credited.query])
        defined = (relevant > 0) & matches.suite_judges_irrelevant(self.rel)
        return Column(ratio(matches.per_query(credited.query, 1 - share), relevant), defined)

    def _irrelevant(self, matches: Matches, grade: Floats) -> Bools:
        judged = grade >= 0 if matches.trec else np.ones(len(grade), dtype=bool)
        return ~is_relevant(grade, self.rel) & judged

    def _irrelevant_above(self, matches: Matches, query: Ints, rank: Ints) -> Floats:
        """Count, for each credited hit, the hits above it that reach irrelevant targets only."""
        pairs = matches.pairs.take(~matches.pairs.repeat)
        width = int(matches.returned.max(initial=0)) + 1
        place = pairs.query * width + pairs.rank
        bad = np.unique(place[self._irrelevant(matches, pairs.grade)])
        bad = bad[~np.isin(bad, place[is_relevant(pairs.grade, self.rel)])]
        before_query = np.searchsorted(bad, query * width)
        return (np.searchsorted(bad, query * width + rank) - before_query).astype(np.float64)
