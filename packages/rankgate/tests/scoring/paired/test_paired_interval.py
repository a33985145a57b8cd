"""The interval is what the randomisation test does not reject, with a floor for what was not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.scoring.paired.compare import compare_paired
from rankgate.scoring.paired.interval import floor, interval, unseen_rate
from rankgate.scoring.paired.paired import Paired
from rankgate.scoring.paired.subsets import Subsets

if TYPE_CHECKING:
    from collections.abc import Callable


def p_at(paired: Paired, subsets: Subsets, truth: float, side: str) -> float:
    """Give the p value of a mean difference, by flipping signs."""
    observed = float((paired.sums - truth * paired.sizes).sum())
    flipped = observed - 2 * (subsets.sums[0] - truth * subsets.sums[1])
    extreme = {
        "two": np.abs(flipped) >= abs(observed) - 1e-13,
        "greater": flipped >= observed - 1e-13,
        "less": flipped <= observed + 1e-13,
    }[side]
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
    found = interval(subsets)

    def kept(side: str) -> Callable[[float], bool]:
        return lambda truth: p_at(paired, subsets, truth, side) > 0.05

    assert found.low == pytest.approx(border(kept("two"), paired.mean, -9), abs=1e-9)
    assert found.high == pytest.approx(border(kept("two"), paired.mean, 9), abs=1e-9)
    assert found.at_least == pytest.approx(border(kept("greater"), 9, -9), abs=1e-9)
    assert found.at_most == pytest.approx(border(kept("less"), -9, 9), abs=1e-9)


@given(st.lists(st.floats(-1, 1), min_size=15, max_size=40))
def test_p_is_above_the_level_exactly_where_the_interval_seen_has_zero(values: list[float]) -> None:
    found = compare_paired(values, resamples=999)
    if found.exact or found.seen_low is None or found.seen_high is None:
        return
    assert (found.p > 0.05) is (found.seen_low <= 1e-12 and found.seen_high >= -1e-12)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=40))
def test_bounds_stand_in_order_and_within_what_is_possible(values: list[float]) -> None:
    found = compare_paired(values, resamples=999)
    assert found.low is not None
    assert found.high is not None
    assert found.drop_upper is not None
    assert found.drop_lower is not None
    assert -1 <= found.low <= -found.drop_upper <= found.mean + 1e-12
    assert found.mean - 1e-12 <= -found.drop_lower <= found.high <= 1
    assert found.low <= max(found.mean - found.floor, -1)
    assert found.high >= min(found.mean + found.floor, 1)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=40))
def test_turning_every_sign_turns_an_exact_interval(values: list[float]) -> None:
    found = compare_paired(values[:12])
    turned = compare_paired([-value for value in values[:12]])
    assert (turned.low, turned.high) == pytest.approx((negative(found.high), negative(found.low)), abs=1e-12)
    assert (turned.p_less, turned.p_greater) == (found.p_greater, found.p_less)


def negative(value: float | None) -> float:
    assert value is not None
    return -value


def test_five_groups_have_no_interval_of_their_own() -> None:
    """No outcome of five is rejected at 0.05, so that every mean is kept."""
    found = compare_paired([0.1, 0.2, 0.3, 0.1, 0.2], scale=None)
    assert (found.low, found.high, found.seen_low, found.seen_high) == (None, None, None, None)
    bounded = compare_paired([0.1, 0.2, 0.3, 0.1, 0.2], scale=1.0)
    assert (bounded.low, bounded.high) == (-1, 1)


def test_no_difference_in_48_queries_may_still_be_one_in_seventeen() -> None:
    found = compare_paired([0.0] * 48)
    assert (found.seen_low, found.seen_high) == (0, 0)
    assert found.floor == 1 - 0.05 ** (1 / 48) == pytest.approx(0.0605, abs=5e-5)
    assert (found.low, found.high) == (-found.floor, found.floor)
    assert (found.drop_upper, found.drop_lower) == (found.floor, -found.floor)
    assert (1 - found.floor) ** 48 == pytest.approx(0.05)


@pytest.mark.parametrize("cases", [8, 12])
def test_half_a_query_more_is_resampled_with_the_others(cases: int) -> None:
    values = np.random.default_rng(cases).choice([-1.0, 0.9, 0.4, -0.7], cases)
    weights = np.append(np.ones(cases), 0.5)
    found = compare_paired(values)
    for sign in (-1, 1):
        more = Paired.of(np.append(values, sign * np.abs(values).max()), weights)
        expected = interval(Subsets.drawn(more, seed=0))
        if sign < 0:
            assert (found.low, found.drop_upper) == pytest.approx((expected.low, -expected.at_least))
        else:
            assert (found.high, found.drop_lower) == pytest.approx((expected.high, -expected.at_most))


def test_where_many_queries_move_the_allowance_is_small() -> None:
    found = compare_paired(np.random.default_rng(1).normal(0, 0.4, 200))
    assert found.low is not None
    assert found.high is not None
    assert found.seen_low is not None
    assert found.seen_high is not None
    assert found.low < found.seen_low < found.seen_high < found.high
    assert found.high - found.low < 1.1 * (found.seen_high - found.seen_low)


def test_the_floor_goes_by_the_scale_and_by_the_largest_difference_where_that_is_larger() -> None:
    paired = Paired.of([0.0] * 19 + [3.0])
    assert floor(paired, 1.0) == floor(paired, None) == 3 * unseen_rate(20)
    assert floor(paired, 50.0) == 50 * unseen_rate(20)


def test_one_group_of_many_paraphrases_does_not_count_as_many() -> None:
    """Of ten groups one has most of the cases: as few as two equal ones would vary as much."""
    paired = Paired.of([0.0] * 29, groups=[0] * 20 + list(range(1, 10)))
    assert floor(paired, 1.0) == unseen_rate(29**2 / (20**2 + 9))
    assert floor(paired, 1.0) > floor(Paired.of([0.0] * 10), 1.0)
