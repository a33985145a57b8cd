"""NDCG and DCG: linear gain, an ideal over all judgments, and never above 1."""

from __future__ import annotations

from math import log2

import pytest

from support.builders import graded, scored


def test_the_example_of_the_decision_on_gain() -> None:
    names = ("dcg", "ndcg", "dcg(gain=exp)", "ndcg(gain=exp)")
    assert scored(graded({"A": 3, "B": 1}), ["B", "A"], *names) == pytest.approx(
        [2.8928, 0.7967, 5.4165, 0.7098], abs=5e-5
    )


def test_the_example_of_the_decision_on_the_ideal() -> None:
    (value,) = scored(graded({"A": 3, "B": 2, "C": 1}), ["X", "B", "Y"], "ndcg@3")
    assert value == pytest.approx(0.2650, abs=5e-5)


def test_a_perfect_top_is_1_however_much_more_there_is_to_find() -> None:
    grades = {f"d{number}": 1.0 for number in range(50)}
    assert scored(graded(grades), ["d3", "d7"], "ndcg@2", "ndcg@1") == [1, 1]


def test_a_negative_grade_gains_nothing_and_costs_nothing() -> None:
    names = ("ndcg@5", "ndcg(gain=exp)@5")
    assert scored(graded({"a": 1, "bad": -3}), ["a", "bad"], *names) == [1, 1]


def test_grades_of_a_scale_of_millions_are_sorted_as_grades() -> None:
    grades = {"a": 5e6, "b": 3e6, "c": 0.5}
    assert scored(graded(grades), ["a", "b", "c"], "ndcg") == [pytest.approx(1, abs=1e-15)]


def test_judged_only_takes_unjudged_hits_out_first() -> None:
    judged = graded({"a": 2, "b": 1, "n": 0})
    hits = ["x", "n", "y", "a", "b"]
    (value,) = scored(judged, hits, "ndcg(judged_only)@3")
    assert value == scored(judged, ["n", "a", "b"], "ndcg@3")[0]
    assert value == pytest.approx((2 / log2(3) + 1 / 2) / (2 + 1 / log2(3)), abs=1e-12)


def test_judged_only_changes_nothing_on_an_exhaustive_case() -> None:
    judged = graded({"a": 2}, exhaustive=True)
    assert scored(judged, ["x", "a"], "ndcg(judged_only)@3", "ndcg@3") == [pytest.approx(1 / log2(3))] * 2


def test_nothing_relevant_judged_is_undefined_and_nothing_returned_is_0() -> None:
    assert scored(graded({"a": 0}), ["a"], "ndcg", "dcg") == [None, None]
    assert scored(graded({"a": 1}), [], "ndcg", "dcg") == [0, 0]


def test_a_cut_beyond_the_end_is_no_cut() -> None:
    judged = graded({"a": 2, "b": 1})
    assert scored(judged, ["x", "b"], "ndcg@1000") == scored(judged, ["x", "b"], "ndcg")
