"""Recall, whether anything was found at all, and what returning nothing is worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rankgate.errors import Code, InputError
from rankgate.scoring.matches import Column, Cut, ratio
from rankgate.scoring.metric import NOT_FOUND, SHARE, Metric

if TYPE_CHECKING:
    from rankgate.scoring.matches import Floats, Matches, QueryEnds


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
    failure: ClassVar[str] = NOT_FOUND
    within_cut = True
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
    failure: ClassVar[str] = NOT_FOUND
    within_cut = True
    cut_by: ClassVar[tuple[str, ...]] = ("rank", "tokens")

    rel: float | None = None
    """The lowest grade that is relevant; above 0 where not given."""
    cut: Cut | None = None

    def values(self, matches: Matches) -> Column:
        """Score every query of a batch."""
        found = matches.within(matches.reached(self.rel), self.cut)
        values = (matches.per_query(found.query) > 0).astype(np.float64)
        return Column(values, matches.relevant_units(self.rel) > 0)


@dataclass(frozen=True)
class AllFound(Metric):
    """All found: whether every relevant target is among the first k.

    What it measures: 1 where every relevant target is reached by the first k hits, else 0.
    Use it when: half an answer is no answer, as where a question needs two documents.
    Edge cases: undefined where nothing relevant is judged. A hit that spans two targets reaches both; of
        alternatives (``any_of``) one is enough.

    Example:
        >>> from rankgate.scoring.evaluate import score_ranking
        >>> [score_ranking(f"all@{k}", ["c", "a", "b"], {"a": 2, "b": 1}) for k in (2, 3)]
        [0.0, 1.0]

    Reference: recall of 1; for questions of several steps, Xiong et al., Answering complex open-domain
        questions with multi-hop dense retrieval, ICLR 2021.
    """

    name: ClassVar[str] = "all"
    limits: ClassVar[tuple[float, float] | None] = SHARE
    failure: ClassVar[str] = "0 where a relevant target is not found"
    cut_by: ClassVar[tuple[str, ...]] = ("rank", "tokens")

    rel: float | None = None
    """The lowest grade that is relevant; above 0 where not given."""
    cut: Cut | None = None

    def values(self, matches: Matches) -> Column:
        """Score every query of a batch."""
        found = matches.per_query(matches.within(matches.reached(self.rel), self.cut).query)
        relevant = matches.relevant_units(self.rel)
        return Column((found >= relevant).astype(np.float64), relevant > 0)


@dataclass(frozen=True)
class ZeroResults(Metric):
    """Zero results: whether a query that should find something came back without a hit.

    What it measures: 1 where the answer has no hit, else 0; its mean is the zero-result rate.
    Use it when: an empty page is the worst answer. It needs no judgments.
    Edge cases: undefined for errors and time-outs, which are counted, and where the right answer is no hit
        (``expect: empty``). A query that an imported run lacks has no hit.

    Example:
        >>> from rankgate.scoring.evaluate import score_ranking
        >>> score_ranking("zero", [], {"a": 1}), score_ranking("zero", ["x"], {"a": 1})
        (1.0, 0.0)

    Reference: trec_eval, measure ``num_ret``; known to shops as the zero-result rate.
    """

    name: ClassVar[str] = "zero"
    needs: ClassVar[frozenset[str]] = frozenset({"answers"})
    limits: ClassVar[tuple[float, float] | None] = SHARE
    better: ClassVar[str] = "less"
    depth: ClassVar[str] = "1 hit"
    hits: ClassVar[int | None] = 1
    failure: ClassVar[str] = "1 for an answer without a hit; none for an error, which is counted"

    def values(self, matches: Matches) -> Column:
        """Score every query of a batch."""
        answers = ended(self, matches)
        return Column(answers.empty.astype(np.float64), ~answers.failed & ~answers.expect_empty)


@dataclass(frozen=True)
class AbstentionRecall(Metric):
    """Abstention recall: of the queries that should find nothing, which part came back empty.

    What it measures: 1 where the right answer is no hit (``expect: empty``) and none came, else 0.
    Use it when: a wrong hit does harm, as where an agent believes what it is given.
    Edge cases: undefined for queries that should find something, and for errors. 0 for a query that an
        imported run lacks. A figure of the suite: `drop` does not take it.
    Example: of 4 queries with ``expect: empty``, 3 came back without a hit: 0.75.
    Reference: Chow, On optimum recognition error and reject tradeoff, 1970; El-Yaniv and Wiener, 2010.
    """

    name: ClassVar[str] = "abstention_r"
    needs: ClassVar[frozenset[str]] = frozenset({"answers"})
    limits: ClassVar[tuple[float, float] | None] = SHARE
    depth: ClassVar[str] = "1 hit"
    hits: ClassVar[int | None] = 1
    paired: ClassVar[bool] = False
    failure: ClassVar[str] = "0 for a hit where there should be none"

    def values(self, matches: Matches) -> Column:
        """Score every query of a batch."""
        answers = ended(self, matches)
        empty = answers.given & answers.empty
        return Column(empty.astype(np.float64), answers.expect_empty & ~answers.failed)


def ended(metric: Metric, matches: Matches) -> QueryEnds:
    """Return how the queries of a batch ended.

    Raises:
        InputError: where that was not read.
    """
    if matches.answers is None:
        raise InputError(Code.METRIC_NEEDS(metric.label, "queries without a status", "how each query ended"))
    return matches.answers
