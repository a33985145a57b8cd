"""Average precision: over all that is relevant, found or not."""

from __future__ import annotations

import pytest

from support.builders import at, graded, place_targets, scored


def test_the_example_of_the_decision() -> None:
    targets = place_targets(("q", "f.py", 1, 10, 1), ("q", "f.py", 11, 20, 1), ("q", "g.py", 1, 10, 1))
    hits = [at("f.py", 1, 20), at("f.py", 1, 4), at("f.py", 5, 8), at("f.py", 1, 4)]
    ap, ndcg = scored(targets, hits, "ap", "ndcg@5")
    assert ap == pytest.approx(2 / 3, abs=1e-15)
    assert f"{ndcg:.4f}" == "0.7654"


def test_a_cut_drops_hits_and_not_targets() -> None:
    assert scored(graded({"a": 1, "b": 1}), ["a", "x", "b"], "ap@2", "ap") == [
        0.5, pytest.approx((1 + 2 / 3) / 2, abs=1e-15),
    ]  # fmt: skip


def test_a_repeat_keeps_its_rank_and_gains_nothing() -> None:
    (value,) = scored(graded({"a": 1, "b": 1}), ["a", "a", "b"], "ap")
    assert value == pytest.approx((1 + 2 / 3) / 2, abs=1e-15)


def test_nothing_relevant_judged_is_undefined_and_nothing_returned_is_0() -> None:
    assert scored(graded({"a": 0}), ["a"], "ap") == [None]
    assert scored(graded({"a": 1}), [], "ap") == [0]
    assert scored(graded({"a": 1}), ["a"], "ap@1000") == [1]
