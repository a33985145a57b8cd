"""The same asked several times: means, the worst status, and what counts as found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.model import Answer, Case
from rankgate.scoring.repeats import mean_scores, usual_ranks
from support.evaluations import evaluated, target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.model import Hit
    from rankgate.scoring.scores import Scores

CASES = [Case(name, name, (target("right"),)) for name in ("a", "b", "c")]


def scores(*answers: Sequence[Hit | str] | Answer) -> Scores:
    names = [case.id for case in CASES]
    return evaluated(CASES, dict(zip(names, answers, strict=True)), metrics=["rr", "hit@1"]).scores


def test_a_query_is_worth_its_mean_and_one_that_failed_once_has_failed() -> None:
    each = [scores(["right"], ["x", "right"], ["right"]), scores(["x"], ["x", "right"], Answer.TIMEOUT)]
    mean = mean_scores(each)
    assert mean.per_query("rr") == {"a": 0.5, "b": 0.5, "c": 0.5}
    assert mean.status.to_list() == ["ok", "ok", "timeout"]
    assert mean_scores(each[:1]) is each[0]


@given(st.lists(st.integers(0, 12), min_size=1, max_size=7), st.integers(1, 12))
def test_a_query_is_found_within_a_depth_where_at_least_half_of_the_repeats_find_it(
    ranks: list[int], depth: int
) -> None:
    usual = int(usual_ranks([np.array([rank]) for rank in ranks])[0])
    found = sum(0 < rank <= depth for rank in ranks)
    assert (0 < usual <= depth) == (2 * found >= len(ranks))


def test_a_value_that_one_repeat_does_not_have_is_left_out_of_the_mean() -> None:
    def timed(times: dict[str, float]) -> Scores:
        return evaluated(
            CASES, {case.id: ["right"] for case in CASES}, metrics=["latency"], latency=times
        ).scores

    mean = mean_scores([timed({"a": 10.0, "b": 20.0}), timed({"a": 30.0})])
    assert mean.per_query("latency") == {"a": pytest.approx(20.0), "b": pytest.approx(20.0), "c": None}
