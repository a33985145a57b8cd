"""One figure from many values: exact, weighted, nearest-rank, and nothing dropped without a count."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from operator import add
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.model import Answer
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.evaluate import score
from rankgate.scoring.metric import aggregate
from rankgate.truth.judgments.table import Judgments
from support.builders import graded, id_targets, run_of

if TYPE_CHECKING:
    import random

numbers = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30)


def mean(values: list[float], weights: list[float] | None = None) -> float | None:
    return aggregate(np.array(values), np.array(weights or [1.0] * len(values)), "mean")


def test_the_example_of_the_decision_is_the_same_in_every_order() -> None:
    assert (0.8 + 0.9 + 0.1) / 3 == 0.6000000000000001
    assert mean([0.8, 0.9, 0.1]) == mean([0.1, 0.8, 0.9]) == mean([0.9, 0.1, 0.8]) == 0.6


@given(numbers)
def test_a_sum_is_rounded_once(values: list[float]) -> None:
    exact = float(sum(map(Fraction, values)))
    assert mean(values) == exact / len(values)


@given(numbers, st.randoms(use_true_random=False), st.data())
def test_no_order_changes_a_bit_of_a_weighted_mean(
    values: list[float], chance: random.Random, data: st.DataObject
) -> None:
    weights = data.draw(
        st.lists(st.floats(1e-3, 1e3), min_size=len(values), max_size=len(values)), label="weights"
    )
    pairs = list(zip(values, weights, strict=True))
    before = mean(values, weights)
    chance.shuffle(pairs)
    assert mean([value for value, _ in pairs], [weight for _, weight in pairs]) == before


def test_a_large_value_does_not_swallow_the_small_ones() -> None:
    assert mean([1e16, 1.0, -1e16]) == 1 / 3
    assert reduce(add, [1e16, 1.0, -1e16]) == 0  # `sum` compensates from Python 3.12 on


def test_a_weight_is_a_share() -> None:
    assert mean([1.0, 0.0], [3.0, 1.0]) == 0.75
    assert mean([1.0, 0.0], [2.0, 2.0]) == mean([1.0, 0.0]) == 0.5


def test_a_mean_of_nothing_is_none_whatever_the_statistic() -> None:
    nothing = np.zeros(0)
    assert [aggregate(nothing, nothing, name) for name in ("mean", "max", "p95")] == [None] * 3


@given(
    st.lists(st.floats(0, 1e4), min_size=1, max_size=250),
    st.integers(1, 100) | st.sampled_from((0.1, 2.5, 99.5, 99.9)),
)
def test_a_percentile_is_a_value_that_was_observed(values: list[float], percent: float) -> None:
    array = np.array(values)
    expected = np.percentile(array, percent, method="inverted_cdf")
    assert aggregate(array, np.ones(len(array)), f"p{percent}") == expected
    assert expected in values


def test_the_largest_value_is_the_maximum_and_the_hundredth_percentile() -> None:
    array = np.array([3.0, 9.0, 1.0])
    assert aggregate(array, np.ones(3), "max") == aggregate(array, np.ones(3), "p100") == 9


def test_the_means_of_the_decision_on_undefined_queries() -> None:
    """One perfect query, one that finds nothing, one with nothing relevant."""
    judgments = Judgments.of(id_targets(("1", "a", 1), ("2", "b", 1), ("3", "c", 0)))
    run = run_of({"1": ["a"], "2": ["x"], "3": ["c"]})
    default, trec = score(judgments, run, ["ap"]), score(judgments, run, ["ap"], trec=True)
    assert (default["ap"], default.counts("ap").scored, default.counts("ap").undefined) == (0.5, 2, 1)
    assert (trec["ap"], trec.counts("ap").scored, trec.counts("ap").undefined) == (1 / 3, 3, 0)


def test_the_time_out_of_the_decision_lowers_the_mean_and_is_counted() -> None:
    """Nine queries of ten score 0.8, and one times out: 0.72 and not 0.8."""
    queries = [f"q{number}" for number in range(10)]
    judgments = Judgments.of(id_targets(*((query, name, 1) for query in queries for name in "abcd")))
    hits = pl.DataFrame(
        [(query, rank, name) for query in queries[:9] for rank, name in enumerate("abcdx", 1)],
        schema=["query", "rank", "id"],
        orient="row",
    )
    statuses = ["ok"] * 9 + ["timeout"]
    run = MemoryRun("s", [Shard.of(pl.DataFrame({"query": queries, "status": statuses}), hits)])
    scores = score(judgments, run, ["p@5"])
    assert scores["p@5"] == pytest.approx(0.72, abs=1e-15)
    assert (scores.counts("p@5").scored, scores.counts("p@5").errored) == (10, 1)


def half_answered(status: Answer) -> Shard:
    """Two queries whose hits are all right; the second ended with a status."""
    hits = pl.DataFrame(
        {
            "query": ["good", "bad", "bad"],
            "rank": [1, 1, 2],
            "id": ["a", "a", "n"],
            "path": ["f.py"] * 3,
            "start": [1] * 3,
            "end": [5] * 3,
            "tokens": [10] * 3,
        }
    )
    return Shard.of(pl.DataFrame({"query": ["good", "bad"], "status": ["ok", status.value]}), hits)


@pytest.mark.parametrize("status", [Answer.ERROR, Answer.TIMEOUT, Answer.MISSING])
def test_hits_of_a_query_that_failed_do_not_count(status: Answer) -> None:
    metrics = ["ndcg@5", "ap", "rr", "p@5", "p(any)@5", "r@5", "hit@5", "f1@5", "rprec", "rbp", "dcg"]
    metrics += ["err(max=1)", "bpref", "judged@5", "p", "f1", "ndcg(judged_only)@5"]
    targets = id_targets(("good", "a", 1), ("good", "n", 0), ("bad", "a", 1), ("bad", "n", 0))
    scores = score(Judgments.of(targets), MemoryRun("s", [half_answered(status)]), metrics)
    for metric in metrics:
        assert scores.per_query(metric)["bad"] == 0, metric
        assert scores.per_query(metric)["good"] != 0, metric
        counts = scores.counts(metric)
        assert counts.scored == 2
        assert (counts.errored, counts.missing) == ((0, 1) if status is Answer.MISSING else (1, 0))


def test_a_ranking_of_nothing_scores_zero_and_is_no_error() -> None:
    scores = score(graded({"a": 1}), run_of({"q": []}), ["ndcg", "p", "f1", "rbp"])
    assert [scores[name] for name in ("ndcg", "p", "f1", "rbp")] == [0, 0, 0, 0]
    assert scores.counts("ndcg").errored == scores.counts("ndcg").missing == 0
