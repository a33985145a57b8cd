"""Penalised nDCG: what is wrong costs, what is said twice does not, and nothing is clamped."""

from __future__ import annotations

from math import log2

import pytest

from support.builders import graded, scored

EXHAUSTIVE = graded({"A": 3, "B": 1}, exhaustive=True)


def test_the_example_of_the_decision() -> None:
    names = ("ndcg@3", "pndcg@3", "pndcg(c=0.5)@3")
    assert scored(EXHAUSTIVE, ["A", "X", "B"], *names) == pytest.approx([0.9639, 0.4426, 0.7033], abs=5e-5)
    assert scored(EXHAUSTIVE, [f"x{n}" for n in range(10)], "pndcg@10") == pytest.approx([-3.7540], abs=5e-5)


def test_an_absolute_cost_takes_the_place_of_the_share() -> None:
    ideal = 3 + 1 / log2(3)
    (value,) = scored(EXHAUSTIVE, ["A", "X"], "pndcg(cost=0.5)@2")
    assert value == pytest.approx((3 - 0.5 / log2(3)) / ideal, abs=1e-12)
    assert scored(EXHAUSTIVE, ["A", "X"], "pndcg(cost=0)@2", "ndcg@2") == [pytest.approx(3 / ideal)] * 2


def test_a_case_that_is_not_exhaustive_has_no_penalty_and_no_value() -> None:
    assert scored(graded({"A": 3}), ["A", "X"], "pndcg@5", "ndcg@5") == [None, 1]


def test_a_case_with_nothing_relevant_has_no_value() -> None:
    assert scored(graded({"A": 0}, exhaustive=True), ["A"], "pndcg@5") == [None]


def test_what_is_judged_irrelevant_costs_as_what_is_unlisted_does() -> None:
    judged = graded({"A": 1, "bad": 0, "worse": -2}, exhaustive=True)
    values = [scored(judged, ["A", other], "pndcg@2")[0] for other in ("bad", "worse", "unlisted")]
    assert values == [pytest.approx(1 - 1 / log2(3), abs=1e-12)] * 3


def test_what_is_scored_beside_it_changes_nothing() -> None:
    """`judged` has irrelevant targets joined too, which must not pass for matched."""
    judged = graded({"A": 1, "bad": 0}, exhaustive=True)
    alone, beside = (
        scored(judged, ["bad", "A"], "pndcg@2"),
        scored(judged, ["bad", "A"], "pndcg@2", "judged@2"),
    )
    assert alone[0] == beside[0] == pytest.approx(1 / log2(3) - 1, abs=1e-12)


def test_a_target_found_again_gains_nothing_and_costs_nothing() -> None:
    assert scored(graded({"A": 1}, exhaustive=True), ["A", "A", "A"], "pndcg@5", "pndcg") == [1, 1]


def test_hits_below_the_cut_cost_nothing() -> None:
    assert scored(graded({"A": 1}, exhaustive=True), ["A", "X", "Y"], "pndcg@1") == [1]


def test_nothing_returned_costs_nothing() -> None:
    assert scored(EXHAUSTIVE, [], "pndcg@5", "pndcg") == [0, 0]


def test_a_cut_beyond_the_end_charges_only_what_was_returned() -> None:
    assert scored(EXHAUSTIVE, ["A", "X"], "pndcg@2") == scored(EXHAUSTIVE, ["A", "X"], "pndcg@1000")
