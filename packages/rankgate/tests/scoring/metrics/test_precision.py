"""Precision and R-precision: credited hits, over k and not over what came back."""

from __future__ import annotations

import pytest

from support.builders import at, graded, place_targets, scored

THREE = place_targets(("q", "f.py", 1, 10, 1), ("q", "f.py", 11, 20, 1), ("q", "g.py", 1, 10, 1))
CHUNKS = [at("f.py", 1, 20), at("f.py", 1, 4), at("f.py", 5, 8), at("f.py", 1, 4)]


def test_the_example_of_the_decision() -> None:
    """Two hits are credited; three reach something and repeat no location; four came back."""
    names = ("p@5", "p(any)@5", "p", "p(any)", "f1@5")
    expected = [2 / 5, 3 / 5, 2 / 4, 3 / 4, 2 * (2 / 5) * (2 / 3) / (2 / 5 + 2 / 3)]
    assert scored(THREE, CHUNKS, *names) == pytest.approx(expected, abs=1e-15)


def test_a_short_answer_is_still_divided_by_k() -> None:
    assert scored(graded({"a": 1}), ["a"], "p@5", "p@1", "p") == [0.2, 1, 1]


def test_r_precision_is_precision_at_the_number_of_relevant_targets() -> None:
    assert scored(THREE, CHUNKS, "rprec", "p@3") == [pytest.approx(2 / 3)] * 2
    assert scored(graded({"a": 1, "b": 2}), ["x", "a", "b"], "rprec", "rprec(rel=2)") == [0.5, 0]


def test_only_grades_that_are_high_enough_count() -> None:
    assert scored(graded({"a": 1, "b": 2}), ["a", "b"], "p@2", "p(rel=2)@2", "p(any, rel=2)@2") == [
        1, 0.5, 0.5,
    ]  # fmt: skip


def test_nothing_relevant_judged_is_undefined_and_nothing_returned_is_0() -> None:
    assert scored(graded({"a": 0}), ["a"], "p@5", "p(any)@5", "rprec", "f1") == [None] * 4
    assert scored(graded({"a": 1}), [], "p@5", "p", "p(any)", "rprec", "f1") == [0] * 5
