"""Recall, and whether anything was found at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rankgate.scoring.matches import Column, Cut, ratio
from rankgate.scoring.metric import SHARE, Metric

if TYPE_CHECKING:
    from rankgate.scoring.matches import Floats, Matches


def recall(matches: Matches, rel: float | None, cut: Cut | None) -> Floats:
    """Divide the relevant units reached above the cut by all relevant units."""
    found = matches.per_query(matches.within(matches.reached(rel), cut).query)
    return ratio(found, matches.relevant_units(rel))


@dataclass(frozen=True)
class Recall(Metric):
    """Recall: which part of what is relevant was found.

    What it measures: relevant targets reached by the first k hits, divided by all relevant targets.
        A hit that spans two targets reaches both.
    Use it when: something downstream reads all hits, such as a reranker or a language model.
    Edge cases: undefined where nothing relevant is judged. ``r@4000tokens`` reads as many hits as fit
        into 4,000 tokens; the first that does not fit ends the list. Not to be confused with
        `hit`, which some call recall.

    Example:
        >>> from rankgate.scoring.evaluate import score_ranking
        >>> score_ranking("r@2", ["c", "a", "b"], {"a": 2, "b": 1})
        0.5

    Reference: van Rijsbergen, Information Retrieval, chapter 7, 1979.
    """

    name: ClassVar[str] = "r"
    limits: ClassVar[tuple[float, float] | None] = SHARE
    cut_by: ClassVar[tuple[str, ...]] = ("rank", "tokens")

    rel: float | None = None
    """The lowest grade that is relevant; above 0 where not given."""
    cut: Cut | None = None

    def values(self, matches: Matches) -> Column:
        """Score every query of a batch."""
        return Column(recall(matches, self.rel, self.cut), matches.relevant_units(self.rel) > 0)


@dataclass(frozen=True)
class HitRate(Metric):
    """Hit rate: whether anything relevant is among the first k. Also known as success.

    What it measures: 1 where a relevant target is reached by the first k hits, else 0.
    Use it when: one good answer is enough and its exact rank is not important.
    Edge cases: undefined where nothing relevant is judged. Some libraries call it recall@k.

    Example:
        >>> from rankgate.scoring.evaluate import score_ranking
        >>> score_ranking("hit@2", ["c", "a", "b"], {"a": 2, "b": 1})
        1.0

    Reference: trec_eval, measure ``success``.
    """

    name: ClassVar[str] = "hit"
    limits: ClassVar[tuple[float, float] | None] = SHARE
    cut_by: ClassVar[tuple[str, ...]] = ("rank", "tokens")
    estimable: ClassVar[bool] = True

    rel: float | None = None
    """The lowest grade that is relevant; above 0 where not given."""
    cut: Cut | None = None

    def values(self, matches: Matches) -> Column:
        """Score every query of a batch."""
        found = matches.within(matches.reached(self.rel), self.cut)
        values = (matches.per_query(found.query) > 0).astype(np.float64)
        return Column(values, matches.relevant_units(self.rel) > 0)
