"""The interval of a mean, beside SciPy's bootstrap."""

from __future__ import annotations

import doctest

import numpy as np
import pytest

import bootstrap
from bootstrap import LEVEL, RESAMPLES, mean_interval


def _scipy(sums: object, sizes: object) -> tuple[float, float]:
    from scipy import stats

    found = stats.bootstrap(
        (sums, sizes),
        lambda one, other, axis: one.sum(axis=axis) / other.sum(axis=axis),
        paired=True,
        vectorized=True,
        method="percentile",
        n_resamples=RESAMPLES,
        confidence_level=LEVEL,
        rng=np.random.default_rng(7),
    ).confidence_interval
    return float(found.low), float(found.high)


@pytest.mark.parametrize("seed", [0, 1])
def test_it_is_the_interval_that_scipy_gives(seed: int) -> None:
    values = np.random.default_rng(seed).beta(3, 1, 105)
    assert mean_interval(values) == pytest.approx(_scipy(values, np.ones(105)), abs=0.003)


def test_queries_of_one_group_are_drawn_together() -> None:
    rng = np.random.default_rng(3)
    means = rng.beta(3, 1, 60)
    groups = rng.integers(0, 60, 300)
    values = np.clip(means[groups] + rng.normal(0, 0.02, 300), 0, 1)
    kept = np.unique(groups)
    sums = np.array([values[groups == group].sum() for group in kept])
    sizes = np.array([(groups == group).sum() for group in kept])
    low, high = mean_interval(values, groups.tolist())
    assert (low, high) == pytest.approx(_scipy(sums, sizes), abs=0.004)
    # Each by itself would be far too sure.
    alone = mean_interval(values)
    assert high - low > 1.5 * (alone[1] - alone[0])


def test_the_same_seed_gives_the_same_interval_and_its_examples_hold() -> None:
    values = np.linspace(0, 1, 30) ** 2
    assert mean_interval(values) == mean_interval(values)
    assert mean_interval(values, seed=1) != mean_interval(values, seed=2)
    assert doctest.testmod(bootstrap).failed == 0
