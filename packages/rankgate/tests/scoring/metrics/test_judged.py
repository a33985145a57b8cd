"""Judged: how much of what was returned anybody has looked at."""

from __future__ import annotations

from rankgate.scoring.evaluate import score
from rankgate.truth.judgments.table import Judgments
from support.builders import graded, id_targets, run_of, scored

DECISION = graded({"A": 1, "B": 1, "M": 0, "N": 0})


def test_the_example_of_the_decision() -> None:
    hits = ["x", "A", "N", "y", "B"]
    assert scored(DECISION, hits, "judged@5", "judged@10", "judged", "p@5") == [0.6, 0.6, 0.6, 0.4]


def test_with_positive_judgments_alone_it_is_undefined() -> None:
    assert scored(graded({"A": 1}), ["A"], "judged@5") == [None]


def test_the_trec_rules_take_that_guard_away() -> None:
    judgments = Judgments.of(id_targets(("q", "A", 1)))
    assert score(judgments, run_of({"q": ["A", "x"]}), ["judged@5"], trec=True)["judged@5"] == 0.5


def test_on_an_exhaustive_case_everything_is_judged() -> None:
    assert scored(graded({"A": 1}, exhaustive=True), ["x", "y"], "judged@5") == [1]


def test_nothing_returned_is_0() -> None:
    assert scored(DECISION, [], "judged@5", "judged") == [0, 0]


def test_a_repeat_of_a_judged_hit_is_judged() -> None:
    assert scored(DECISION, ["A", "A", "x"], "judged@3") == [2 / 3]
