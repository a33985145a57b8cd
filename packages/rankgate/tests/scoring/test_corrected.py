"""Means by a model's labels, corrected by people's: right on average, and as uncertain as they say."""

from __future__ import annotations

import numpy as np
import pytest

from rankgate.errors import InputError
from rankgate.scoring.corrected.mean import corrected_mean
from rankgate.truth.model_truth import FEWEST


def test_with_every_query_graded_by_people_it_is_their_mean_with_students_interval() -> None:
    from scipy import stats

    people = np.random.default_rng(1).beta(2, 1, 80)
    found = corrected_mean(np.ones(80), people)
    low, high = stats.t.interval(0.95, 79, people.mean(), stats.sem(people))
    assert found.value == pytest.approx(people.mean(), abs=1e-12)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-5)


def test_a_constant_error_of_the_model_is_taken_out_and_costs_nothing() -> None:
    truth = np.random.default_rng(2).beta(2, 2, 400)
    people = np.where(np.arange(400) < 60, truth, np.nan)
    found = corrected_mean(truth + 0.2, people)
    assert found.value == pytest.approx(truth.mean(), abs=1e-12)
    assert found.rectifier == pytest.approx(-0.2)
    assert found.by_model == pytest.approx(truth.mean() + 0.2)
    # As narrow as if people had graded all 400, but for what is not known of their spread.
    assert found.high - found.low == pytest.approx(4 * truth[:60].std(ddof=1) / 20, rel=0.01)


def test_the_worse_the_model_the_wider_the_interval() -> None:
    chance = np.random.default_rng(3)
    truth = chance.beta(2, 2, 300)
    people = np.where(np.arange(300) < 60, truth, np.nan)
    widths = []
    for noise in (0.0, 0.1, 0.4):
        found = corrected_mean(truth + chance.normal(0, noise, 300), people)
        widths.append(found.high - found.low)
    assert widths[0] < widths[1] < widths[2]


def test_the_interval_covers_the_truth_with_a_model_that_is_wrong_by_query() -> None:
    chance = np.random.default_rng(4)
    covered = 0
    for _ in range(600):
        truth = chance.beta(2, 2, 150)
        model = np.clip(truth + 0.3 * (1 - truth) + chance.normal(0, 0.1, 150), 0, 1)
        people = np.where(chance.permutation(150) < FEWEST, truth, np.nan)
        found = corrected_mean(model, people)
        covered += found.low <= 0.5 <= found.high
    # Within three and a half standard errors of 95 %.
    assert abs(covered / 600 - 0.95) < 3.5 * 0.0089


def test_fewer_than_fifty_queries_by_people_are_refused() -> None:
    people = np.where(np.arange(200) < 49, 0.5, np.nan)
    with pytest.raises(InputError, match="49 queries that people graded whole, expected at least 50"):
        corrected_mean(np.full(200, 0.5), people)


def test_values_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="a value a query"):
        corrected_mean([0.5] * 60, [0.5] * 59)
    with pytest.raises(InputError, match="a value a query"):
        corrected_mean([float("nan")] * 60, [0.5] * 60)
