"""The interval has the differences that the randomisation test does not reject."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.scoring.paired.compare import compare_paired
from rankgate.scoring.paired.interval import inverted
from rankgate.scoring.paired.paired import Paired
from rankgate.scoring.paired.subsets import Subsets

if TYPE_CHECKING:
    from collections.abc import Callable


def p_at(paired: Paired, subsets: Subsets, truth: float) -> float:
    """Give the two-sided p value of a mean difference, by flipping signs."""
    observed = float((paired.sums - truth * paired.sizes).sum())
    flipped = observed - 2 * (subsets.sums[0] - truth * subsets.sums[1])
    extreme = np.abs(flipped) >= abs(observed) - 1e-13
    return subsets.tail(int(extreme.sum()))


def border(kept: Callable[[float], bool], inside: float, outside: float) -> float:
    """Find by bisection where a value stops to be kept."""
    for _ in range(80):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if kept(middle) else (inside, middle)
    return inside


@pytest.mark.parametrize("groups", [7, 10, 13, 14, 30, 48])
@pytest.mark.parametrize("resamples", [10_000, 999])
def test_the_bounds_are_those_of_bisecting_the_p_value(groups: int, resamples: int) -> None:
    chance = np.random.default_rng(groups)
    paired = Paired.of(chance.normal(0.1, 0.3, groups), chance.uniform(0.5, 3, groups))
    subsets = Subsets.drawn(paired, seed=1, resamples=resamples)
    found = inverted(subsets)

    def kept(truth: float) -> bool:
        return p_at(paired, subsets, truth) > 0.05

    assert found.low == pytest.approx(border(kept, paired.mean, -9), abs=1e-9)
    assert found.high == pytest.approx(border(kept, paired.mean, 9), abs=1e-9)


@given(st.lists(st.floats(-1, 1), min_size=15, max_size=40))
def test_p_is_above_the_level_exactly_where_the_interval_has_zero(values: list[float]) -> None:
    found = compare_paired(values, resamples=999)
    if found.exact or found.low is None or found.high is None:
        return
    assert (found.p > 0.05) is (found.low <= 1e-12 and found.high >= -1e-12)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=40))
def test_turning_every_sign_turns_an_exact_interval(values: list[float]) -> None:
    found = compare_paired(values[:12])
    turned = compare_paired([-value for value in values[:12]])
    assert (turned.low, turned.high) == pytest.approx((negative(found.high), negative(found.low)), abs=1e-12)
    assert (turned.p_less, turned.p_greater) == (found.p_greater, found.p_less)


def negative(value: float | None) -> float | None:
    return None if value is None else -value


def test_five_groups_have_no_interval() -> None:
    """No outcome of five is rejected at 0.05, so that every mean is kept."""
    for unchanged in (0, 40):
        found = compare_paired([0.1, 0.2, 0.3, 0.1, 0.2] + [0.0] * unchanged)
        assert (found.low, found.high) == (None, None)
    found = compare_paired([0.1, 0.2, 0.3, 0.1, 0.2, 0.4])
    assert (found.low, found.high) == pytest.approx((0.1, 0.4))


def test_differences_that_are_all_alike_have_no_interval() -> None:
    """Flipping signs rejects every other mean: the interval would have no width."""
    for number in (10, 40):
        found = compare_paired([0.25] * number)
        assert (found.low, found.high, found.can_be_significant) == (None, None, True)


@pytest.mark.parametrize("scale", [1.0, None])
def test_the_interval_does_not_depend_on_the_scale(scale: float | None) -> None:
    found = compare_paired([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7], scale=scale)
    assert (found.low, found.high) == pytest.approx((0.2, 0.6))
