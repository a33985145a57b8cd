"""Precision at a cut, at the number of relevant targets, and of returning nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rankgate.scoring.credit import binary_credit
from rankgate.scoring.matches import Column, Cut, is_relevant, ratio
from rankgate.scoring.metric import NOT_FOUND, SHARE, Metric
from rankgate.scoring.metrics.recall import ended

if TYPE_CHECKING:
    from rankgate.scoring.matches import Floats, Matches, Pairs


def precision(matches: Matches, rel: float | None, cut: Cut | None, *, every_hit: bool = False) -> Floats:
    """Divide the good hits above the cut by the cut, or by the hits returned where there is none."""
    good = _reaching(matches, rel) if every_hit else binary_credit(matches, rel)
    found = matches.per_query(matches.within(good, cut).query)
    return ratio(found, matches.depth(cut).astype(np.float64))


def _reaching(matches: Matches, rel: float | None) -> Pairs:
    """Return one pair for each hit that reaches a relevant target and repeats no earlier location."""
    pairs = matches.pairs.take(is_relevant(matches.pairs.grade, rel) & ~matches.pairs.repeat)
    return pairs.take(pairs.new_hit())


@dataclass(frozen=True)
class Precision(Metric):
    """Precision: which part of the first k hits is good.

    What it measures: credited hits among the first k, divided by k. ``p(any)`` counts every hit that
        reaches a relevant target, so three chunks of one function count three times.
    Use it when: the reader looks at a fixed number of hits.
    Edge cases: undefined where nothing relevant is judged. A short answer is still divided by k.
        Without a cut it divides by the hits returned. A query with 2 relevant targets cannot pass 0.4
        at 5.

    Example:
        >>> from rankgate.scoring.evaluate import score_ranking
        >>> score_ranking("p@5", ["c", "a", "b"], {"a": 2, "b": 1})
        0.4

    Reference: van Rijsbergen, Information Retrieval, chapter 7, 1979.
    """

    name: ClassVar[str] = "p"
    whole_answer: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float] | None] = SHARE
    failure: ClassVar[str] = NOT_FOUND
    within_cut = True
    cut_by: ClassVar[tuple[str, ...]] = ("rank",)

    rel: float | None = None
    """The lowest grade that is relevant; above 0 where not given."""
    any: bool = False
    """True to count every hit that reaches a relevant target."""
    cut: Cut | None = None

    def values(self, matches: Matches) -> Column:
        """Score every query of a batch."""
        values = precision(matches, self.rel, self.cut, every_hit=self.any)
        return Column(values, matches.relevant_units(self.rel) > 0)


@dataclass(frozen=True)
class RPrecision(Metric):
    """R-precision: precision at R, where R is the number of relevant targets.

    What it measures: credited hits among the first R, divided by R.
    Use it when: queries differ much in how many relevant targets they have.
    Edge cases: undefined where nothing relevant is judged.

    Example:
        >>> from rankgate.scoring.evaluate import score_ranking
        >>> score_ranking("rprec", ["c", "a", "b"], {"a": 2, "b": 1})
        0.5

    Reference: Buckley and Voorhees, Evaluating evaluation measure stability, SIGIR 2000.
    """

    name: ClassVar[str] = "rprec"
    depth: ClassVar[str] = "as many hits as there are relevant targets, of those asked for"
    limits: ClassVar[tuple[float, float] | None] = SHARE
    failure: ClassVar[str] = NOT_FOUND

    rel: float | None = None
    """The lowest grade that is relevant; above 0 where not given."""

    def values(self, matches: Matches) -> Column:
        """Score every query of a batch."""
        relevant = matches.relevant_units(self.rel)
        credited = binary_credit(matches, self.rel)
        found = matches.per_query(credited.query[credited.rank <= relevant[credited.query]])
        return Column(ratio(found, relevant), relevant > 0)


@dataclass(frozen=True)
class AbstentionPrecision(Metric):
    """Abstention precision: of the queries that came back empty, which part should have.

    What it measures: for each query without a hit, 1 where the right answer is no hit (``expect: empty``),
        else 0.
    Use it when: a system may decline to answer, and should do so only where nothing is right.
    Edge cases: undefined for queries with a hit, for errors, and where neither targets nor ``expect: empty``
        say what is right. Without any empty answer it has no value, and a gate on it is inconclusive. A
        figure of the suite: which queries count depends on the answers, so `drop` does not take it.
    Example: 4 queries came back without a hit, 3 of them have ``expect: empty``: 0.75.
    Reference: Chow, On optimum recognition error and reject tradeoff, 1970; El-Yaniv and Wiener, 2010.
    """

    name: ClassVar[str] = "abstention_p"
    needs: ClassVar[frozenset[str]] = frozenset({"answers"})
    limits: ClassVar[tuple[float, float] | None] = SHARE
    depth: ClassVar[str] = "1 hit"
    hits: ClassVar[int | None] = 1
    paired: ClassVar[bool] = False
    failure: ClassVar[str] = "0 for no hit where there should be one"

    def values(self, matches: Matches) -> Column:
        """Score every query of a batch."""
        answers = ended(self, matches)
        known = answers.expect_empty | (matches.relevant_units(None) > 0)
        values = (answers.expect_empty & answers.given).astype(np.float64)
        return Column(values, known & ~answers.failed & answers.empty)
