"""The randomisation test gives the p values of SciPy's permutation test."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.scoring.paired.paired import Paired
from rankgate.scoring.paired.randomisation import Randomisation, randomisation
from rankgate.scoring.paired.subsets import Subsets

SIDES = {"two-sided": "p", "greater": "p_greater", "less": "p_less"}


def flipped(
    differences: Any, weights: Any = None, *, seed: int = 0, resamples: int = 10_000
) -> Randomisation:
    paired = Paired.of(differences, weights)
    return randomisation(paired, Subsets.drawn(paired, seed=seed, resamples=resamples))


def by_scipy(values: Any, side: str, resamples: float, seed: int = 0) -> float:
    from scipy.stats import permutation_test

    return float(
        permutation_test(
            (values, np.zeros(len(values))),
            lambda one, other, axis: np.sum(one - other, axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=resamples,
            alternative=side,
            rng=np.random.default_rng(seed),
        ).pvalue
    )


@pytest.mark.parametrize("side", SIDES)
@given(values=st.lists(st.integers(-20, 20), min_size=2, max_size=12))
def test_few_queries_give_the_exact_p_of_scipy(side: str, values: list[int]) -> None:
    eighths = np.array(values) / 8  # SciPy takes 0.1 + 0.2 - 0.3 for a difference
    found = flipped(eighths)
    assert found.exact
    assert getattr(found, SIDES[side]) == pytest.approx(by_scipy(eighths, side, math.inf), abs=1e-12)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("cases", [30, 48, 127])
def test_many_queries_give_the_p_of_scipy_within_four_standard_errors(side: str, cases: int) -> None:
    values = np.random.default_rng(cases).normal(0.03, 0.2, cases)
    found = flipped(values, seed=5)
    assert not found.exact
    p, other = getattr(found, SIDES[side]), by_scipy(values, side, 9_999, seed=6)
    middle = (p + other) / 2
    assert abs(p - other) <= 4 * math.sqrt(2 * middle * (1 - middle) / 10_000)


def test_a_weight_is_a_factor_of_the_difference() -> None:
    values, weights = np.array([0.3, -0.1, 0.2, 0.4, -0.05, 0.6, 0.1]), np.array([1, 2, 3, 1, 5, 1, 0.5])
    assert flipped(values, weights).p == pytest.approx(
        by_scipy(values * weights, "two-sided", math.inf), abs=1e-12
    )


def test_paraphrases_are_swapped_together() -> None:
    """Eight cases in four groups have sixteen ways, not 256."""
    paired = Paired.of([0.1, 0.2] * 4, groups=[number // 2 for number in range(8)])
    assert randomisation(paired, Subsets.drawn(paired, seed=0)).p == 2 / 16


def test_three_of_48_queries_lost_is_a_quarter_and_cannot_be_significant() -> None:
    found = flipped([-1.0] * 3 + [0.0] * 45)
    assert (found.p, found.p_less, found.p_greater) == (0.25, 0.125, 1.0)
    assert (found.exact, found.differing, found.can_be_significant) == (True, 3, False)
    assert found.words == "cannot be significant"


@pytest.mark.parametrize(("differing", "able"), [(0, False), (1, False), (5, False), (6, True), (60, True)])
def test_six_differing_queries_are_the_fewest_that_can_be_significant(differing: int, able: bool) -> None:
    found = flipped([-0.5] * differing + [0.0] * 20)
    assert (found.p <= 0.05) is found.can_be_significant is able
    assert bool(found.words) is not able


def test_nothing_different_is_no_evidence() -> None:
    found = flipped([0.0] * 48)
    assert (found.p, found.p_greater, found.p_less, found.differing) == (1, 1, 1, 0)


def test_a_drawn_p_is_never_zero() -> None:
    found = flipped([0.5] * 40, resamples=999)
    assert found.p == found.p_greater == 1 / 1000
    assert found.p_less == 1


def test_thirteen_differing_queries_are_counted_and_fourteen_drawn() -> None:
    assert flipped([0.1] * 13 + [0.0] * 100).exact
    assert not flipped([0.1] * 14).exact


def test_a_seed_is_repeatable_and_another_gives_other_draws() -> None:
    values = np.random.default_rng(1).normal(0.03, 0.2, 60)
    assert flipped(values, seed=7) == flipped(values, seed=7)
    assert flipped(values, seed=7).p != flipped(values, seed=8).p


def test_equal_outcomes_count_whatever_the_rounding() -> None:
    """The sums of 0.1, 0.2 and 0.3 in two orders differ in the last bit."""
    found = flipped([0.1, 0.2, -0.3])
    assert found.p == 1
