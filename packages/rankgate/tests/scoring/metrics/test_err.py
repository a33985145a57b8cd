"""ERR: on the declared scale, never on the grades at hand."""

from __future__ import annotations

import pytest

from rankgate.errors import InputError
from rankgate.scoring.evaluate import score
from rankgate.truth.judgments.table import Judgments
from support.builders import graded, id_targets, run_of, scored


def test_the_example_of_the_decision() -> None:
    assert scored(graded({"a": 2}), ["a"], "err(max=3)", "err(max=2)") == [0.375, 0.75]


def test_a_reader_who_is_satisfied_stops() -> None:
    """3/8 at rank 1, then (1 - 3/8) × 7/8 / 2 at rank 2."""
    assert scored(graded({"a": 2, "b": 3}), ["a", "b"], "err(max=3)@2", "err(max=3)@1") == [
        3 / 8 + 5 / 8 * 7 / 8 / 2,
        3 / 8,
    ]


def test_the_scale_is_the_suite_s_unless_the_metric_names_one() -> None:
    judgments = Judgments.of(id_targets(("q", "a", 2)), max_grade=3)
    assert scored(judgments, ["a"], "err", "err(max=2)") == [0.375, 0.75]


def test_without_a_declared_scale_there_is_no_err() -> None:
    with pytest.raises(InputError) as caught:
        scored(graded({"a": 2}), ["a"], "err@20")
    (problem,) = caught.value.problems
    assert (problem.where, problem.found) == ("err@20", "no declared grade scale")


def test_a_grade_above_the_scale_is_refused_even_if_nobody_returned_it() -> None:
    judgments = Judgments.of(id_targets(("q", "a", 1), ("r", "b", 4)))
    with pytest.raises(InputError, match="found a grade of 4, expected grades of at most 3"):
        score(judgments, run_of({"q": ["a"]}), ["err(max=3)"])


def test_nothing_relevant_judged_is_undefined_and_nothing_returned_is_0() -> None:
    assert scored(graded({"a": 0}), ["a"], "err(max=3)") == [None]
    assert scored(graded({"a": 1}), [], "err(max=3)") == [0]
