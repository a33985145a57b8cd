"""The model of relevance learns from judgments what high ranks, votes and queries are worth."""

from __future__ import annotations

import numpy as np
import pytest

from rankgate.judging.order.relevance import Features, RelevanceModel
from support.drawn_candidates import drawn_candidates


def features_of(seed: int, **how: int) -> tuple[Features, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    one = drawn_candidates(seed, **how)
    units = one.candidates
    return Features.of(units.query, units.ranks, units.size), one.grades


def test_before_any_judgment_high_ranks_in_several_systems_are_likeliest() -> None:
    ranks = np.array([[1, 1], [1, 0], [10, 0], [10, 10]])
    model = RelevanceModel(Features.of(np.zeros(4, dtype=np.int64), ranks, 1))
    chance = model.fit(np.zeros(4, dtype=bool), np.zeros(4, dtype=bool)).chance
    assert chance[0] > chance[1] > chance[2]
    assert chance[3] > chance[2]
    assert 0.02 < chance.min() < chance.max() < 0.8


def test_what_is_judged_in_a_query_says_something_of_the_rest_of_it() -> None:
    query = np.repeat([0, 1], 10)
    ranks = np.tile(np.arange(1, 11), 2)[:, None]
    judged = np.tile(np.arange(10) < 5, 2)
    fit = RelevanceModel(Features.of(query, ranks, 2)).fit(judged, judged & (query == 0))
    assert fit.chance[7] > 2 * fit.chance[17]


def test_the_chances_of_many_judged_units_come_true() -> None:
    features, grades = features_of(1, queries=60, units=20)
    rng = np.random.default_rng(2)
    judged = rng.random(len(grades)) < 0.5
    fit = RelevanceModel(features).fit(judged, judged & (grades > 0))
    open_ = ~judged
    assert fit.chance[open_].mean() == pytest.approx((grades[open_] > 0).mean(), abs=0.04)
    likely = fit.chance > np.median(fit.chance[open_])
    assert (grades[open_ & likely] > 0).mean() > 1.5 * (grades[open_ & ~likely] > 0).mean()


def test_the_fit_is_where_the_posterior_is_highest() -> None:
    features, grades = features_of(3)
    judged = np.arange(len(grades)) % 3 == 0
    model = RelevanceModel(features)
    for _ in range(40):  # the variance between queries settles
        fit = model.fit(judged, judged & (grades > 0))
    again = model.fit(judged, judged & (grades > 0))
    assert again.chance == pytest.approx(fit.chance, abs=1e-4)


def test_what_is_not_known_of_the_model_is_less_the_more_is_judged() -> None:
    features, grades = features_of(4, queries=30)
    effect = np.linspace(-1.0, 1.0, len(grades))
    few, many = np.arange(len(grades)) % 20 == 0, np.arange(len(grades)) % 2 == 0
    found = [
        RelevanceModel(features).fit(judged, judged & (grades > 0)).carried(np.where(many, 0.0, effect))[0]
        for judged in (few, many)
    ]
    assert found[0] > found[1] > 0


def test_a_models_grade_counts_from_the_first_and_by_what_people_say_of_it() -> None:
    query, ranks = np.zeros(40, dtype=np.int64), np.tile([[5, 0]], (40, 1))
    opinions = np.where(np.arange(40) % 2 == 0, 1.0, 0.0)
    opinions[:4] = np.nan
    features = Features.of(query, ranks, 1, opinions)
    none = np.zeros(40, dtype=bool)
    first = RelevanceModel(features).fit(none, none).chance
    assert first[5] < first[0] < first[4]
    judged = np.arange(40) >= 20
    for right in (True, False):
        fit = RelevanceModel(features).fit(judged, judged & ((opinions == 1.0) == right))
        assert (fit.chance[4] > fit.chance[5]) == right


def test_without_a_models_grades_nothing_is_other_than_before() -> None:
    query, ranks = np.zeros(3, dtype=np.int64), np.array([[1, 2], [0, 1], [3, 0]])
    plain = Features.of(query, ranks, 1)
    assert np.array_equal(plain.values, Features.of(query, ranks, 1, np.full(3, np.nan)).values)
    assert len(plain.expected) == plain.values.shape[1] == 4
