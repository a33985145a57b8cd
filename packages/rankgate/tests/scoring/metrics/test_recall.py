"""Recall and hit rate: every target reached, and whether any was."""

from __future__ import annotations

import polars as pl

from support.builders import at, graded, id_targets, place_targets, scored


def test_a_hit_over_two_targets_reaches_both() -> None:
    targets = place_targets(("q", "f.py", 1, 10, 1), ("q", "f.py", 11, 20, 1), ("q", "g.py", 1, 10, 1))
    assert scored(targets, [at("f.py", 1, 20)], "r@5", "hit@5", "r") == [2 / 3, 1, 2 / 3]


def test_recall_divides_by_all_that_is_relevant_and_not_by_k() -> None:
    grades = dict.fromkeys("abcdefghij", 1.0)
    assert scored(graded(grades), ["a", "b"], "r@2", "hit@2") == [0.2, 1]


def test_alternatives_count_once() -> None:
    targets = id_targets(("q", "a", 1), ("q", "b", 1), ("q", "c", 1))
    targets = targets.with_columns(group=pl.Series(["g", "g", None]))
    assert scored(targets, ["a", "b"], "r") == [0.5]
    assert scored(targets, ["b", "c"], "r") == [1]


def test_groups_of_one_name_in_two_queries_are_two_groups() -> None:
    targets = id_targets(("q", "a", 1), ("q", "b", 1), ("r", "a", 1)).with_columns(group=pl.lit("g"))
    assert scored(targets, ["a"], "r", "ap") == [1, 1]


def test_what_is_found_twice_is_found_once() -> None:
    assert scored(graded({"a": 1, "b": 1}), ["a", "a"], "r@2") == [0.5]


def test_only_grades_that_are_high_enough_count() -> None:
    assert scored(graded({"a": 1, "b": 2}), ["a"], "r", "r(rel=2)", "hit(rel=2)", "hit") == [0.5, 0, 0, 1]


def test_nothing_relevant_judged_is_undefined_and_nothing_returned_is_0() -> None:
    assert scored(graded({"a": 0}), ["a"], "r@5", "hit@5") == [None, None]
    assert scored(graded({"a": 1}), [], "r@5", "hit@5") == [0, 0]
    assert scored(graded({"a": 1}), ["a"], "r(rel=2)", "hit(rel=2)") == [None, None]


def test_all_requires_every_target_within_the_cut() -> None:
    two = graded({"a": 2, "b": 1})
    names = ("all@1", "all@2", "all@3", "all(rel=2)@2")
    assert scored(two, ["x", "a", "b"], *names) == [0, 0, 1, 1]
    both = place_targets(("q", "a.py", 1, 5, 1), ("q", "a.py", 6, 9, 1))
    assert scored(both, [at("a.py", 4, 7)], "all@1", "p@1") == [1, 1]
    assert scored(graded({"x": 0}), ["a"], "all@3") == [None]
