"""Binary preference: judged irrelevant hits above relevant ones, unjudged ones passed over."""

from __future__ import annotations

from rankgate.scoring.evaluate import score
from rankgate.truth.judgments.table import Judgments
from support.builders import graded, id_targets, run_of, scored


def test_the_example_of_the_decision() -> None:
    judgments = graded({"A": 1, "B": 1, "M": 0, "N": 0})
    assert scored(judgments, ["x", "A", "N", "y", "B"], "bpref") == [0.75]


def test_a_negative_grade_is_irrelevant_and_under_the_trec_rules_unjudged() -> None:
    judgments = Judgments.of(id_targets(("q", "A", 1), ("q", "N", -1)))
    run = run_of({"q": ["N", "A"]})
    assert score(judgments, run, ["bpref"])["bpref"] == 0
    assert score(judgments, run, ["bpref"], trec=True)["bpref"] == 1


def test_unjudged_hits_are_passed_over() -> None:
    judgments = graded({"A": 1, "N": 0})
    unjudged = [f"x{number}" for number in range(50)]
    assert scored(judgments, [*unjudged, "A", "N"], "bpref") == [1]


def test_a_relevant_target_that_was_not_found_counts_as_missed() -> None:
    assert scored(graded({"A": 1, "B": 1, "N": 0}), ["A"], "bpref") == [0.5]


def test_without_anything_judged_irrelevant_or_relevant_it_is_undefined() -> None:
    assert scored(graded({"A": 1}), ["A"], "bpref") == [None]
    assert scored(graded({"N": 0}), ["N"], "bpref") == [None]


def test_the_line_of_relevance_can_be_moved() -> None:
    assert scored(graded({"A": 2, "B": 1}), ["B", "A"], "bpref(rel=2)") == [0]
