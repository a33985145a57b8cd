"""What unjudged hits may do to a comparison, over queries with weights, and asked several times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from rankgate.scoring.comparison import compare
from rankgate.scoring.repeats import score_all
from rankgate.truth.judgments.table import Judgments
from support.builders import id_targets, run_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.runs.store.tables import Run
    from rankgate.scoring.unjudged.hits import UnjudgedEffect

TARGETS = id_targets(*((query, name, grade) for query in ("a", "b") for name, grade in (("r", 1), ("w", 0))))
RIGHT, UNJUDGED, BOTH = ["r", "w"], ["w", "x"], ["x", "r"]


def effect(
    before: Sequence[Run],
    after: Sequence[Run],
    metric: str = "p@2",
    weights: tuple[float, float] = (1.0, 1.0),
) -> UnjudgedEffect:
    judgments = Judgments.of(TARGETS, pl.DataFrame({"query": ["a", "b"], "weight": list(weights)}))
    scores = [score_all(judgments, runs, [metric]) for runs in (before, after)]
    compared = compare(
        judgments,
        (before[0], scores[0]),
        (after[0], scores[1]),
        repeats=(before[1:], after[1:]),
    )
    found = compared.unjudged(metric, np.ones(2, dtype=bool))
    assert found is not None
    return found


def answers(a: list[str], b: list[str]) -> Run:
    return run_of({"a": a, "b": b})


def test_means_go_by_the_weights_of_the_queries() -> None:
    found = effect([answers(RIGHT, RIGHT)], [answers(RIGHT, UNJUDGED)], weights=(3.0, 1.0))
    assert found.judged == (1.0, 0.875)
    assert found.before == (0.5, 0.5)
    assert found.after == (0.375, 0.5)
    assert found.difference == (-0.125, 0.0)
    assert found.shares.apart


def test_what_is_asked_several_times_has_the_mean_of_all_times() -> None:
    once, again = answers(RIGHT, RIGHT), answers(UNJUDGED, UNJUDGED)
    found = effect([once], [once, again])
    assert found.judged == (1.0, 0.75)
    assert found.after == (0.25, 0.5)
    assert found.difference == (-0.25, 0.0)


def test_a_hit_that_both_have_moves_no_difference_of_precision() -> None:
    found = effect([answers(BOTH, BOTH)], [answers(["x", "w"], BOTH)])
    assert found.before == (0.5, 1.0)
    assert found.difference == pytest.approx((-0.25, -0.25))
    assert not found.turns(-0.25)


def test_a_query_without_a_hit_has_none_unjudged() -> None:
    found = effect([answers(RIGHT, RIGHT)], [answers(RIGHT, [])])
    assert found.judged == (1.0, 1.0)
    assert not found.open


def test_a_sign_that_turns_is_seen() -> None:
    found = effect([answers(["x", "y", "r"], RIGHT)], [answers(["w", "r"], RIGHT)], "rr@3")
    assert found.alone == pytest.approx(-0.25)
    assert found.turns(0.1)
    assert not found.turns(-0.1)
    assert not found.turns(0.0)


def test_a_metric_of_the_share_itself_has_no_bounds() -> None:
    judgments = Judgments.of(TARGETS)
    run = answers(RIGHT, UNJUDGED)
    scores = score_all(judgments, [run], ["judged@2", "ndcg@2"])
    compared = compare(judgments, (run, scores), (run, scores))
    assert compared.unjudged("judged@2", np.ones(2, dtype=bool)) is None
    assert compared.unjudged("ndcg@2", np.ones(2, dtype=bool)) is not None
