"""Reciprocal rank: the first hit that reaches something relevant."""

from __future__ import annotations

import pytest

from support.builders import at, graded, place_targets, scored


def test_the_example_of_the_decision_on_relevance() -> None:
    assert scored(graded({"a": 1, "b": 2}), ["a", "b"], "rr", "rr(rel=2)") == [1, 0.5]


def test_a_fraction_of_a_grade_is_relevant_unless_more_is_asked() -> None:
    assert scored(graded({"a": 0.5, "b": 1}), ["a", "b"], "rr", "rr(rel=1)", "rr(rel=0.5)") == [1, 0.5, 1]


def test_a_negative_grade_is_relevant_only_where_that_is_asked() -> None:
    assert scored(graded({"n": -1, "a": 1}), ["n", "a"], "rr", "rr(rel=-1)", "rr(rel=0)") == [0.5, 1, 0.5]


def test_hits_below_the_cut_do_not_count() -> None:
    assert scored(graded({"a": 1}), ["x", "y", "a"], "rr@2", "rr@3", "rr@99") == [0, 1 / 3, 1 / 3]


def test_one_hit_on_several_targets_counts_once() -> None:
    targets = place_targets(("q", "f.py", 1, 9, 1), ("q", "f.py", 10, 19, 1))
    assert scored(targets, [at("g.py", 1, 9), at("f.py", 1, 19)], "rr") == [0.5]


@pytest.mark.parametrize(("grade", "hits", "value"), [(0, ["a"], None), (1, [], 0), (1, ["x"], 0)])
def test_nothing_relevant_judged_is_undefined_and_nothing_found_is_0(
    grade: float, hits: list[str], value: float | None
) -> None:
    assert scored(graded({"a": grade}), hits, "rr") == [value]
