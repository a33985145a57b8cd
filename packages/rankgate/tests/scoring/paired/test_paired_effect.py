"""Wins, losses, ties and the standardised difference, by case."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.scoring.paired.compare import effect
from rankgate.scoring.paired.paired import Paired


@given(st.lists(st.sampled_from((-0.5, -2e-9, -1e-10, 0.0, 1e-10, 2e-9, 0.5)), min_size=1))
def test_every_case_wins_loses_or_ties(values: list[float]) -> None:
    found = effect(Paired.of(values))
    assert found.wins == sum(value > 1e-9 for value in values)
    assert found.losses == sum(value < -1e-9 for value in values)
    assert found.wins + found.losses + found.ties == len(values)


def test_the_effect_is_the_mean_over_the_standard_deviation() -> None:
    values = np.random.default_rng(1).normal(0.1, 0.3, 50)
    assert effect(Paired.of(values)).standardised == pytest.approx(values.mean() / values.std(ddof=1))


def test_equal_weights_of_any_size_give_the_same_effect() -> None:
    values = np.random.default_rng(1).normal(0.1, 0.3, 50)
    one, seven = (effect(Paired.of(values, np.full(50, weight))).standardised for weight in (1.0, 7.0))
    assert one == pytest.approx(seven)


@pytest.mark.parametrize("values", [[0.4], [0.0, 0.0, 0.0], [0.25, 0.25]])
def test_what_does_not_vary_has_no_standardised_effect(values: list[float]) -> None:
    assert effect(Paired.of(values)).standardised is None
