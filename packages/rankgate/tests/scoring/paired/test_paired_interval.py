"""The interval is that of Gaffke on the range of a metric, and what the test does not reject without one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.scoring.paired.bounds import lower_bound, upper_bound
from rankgate.scoring.paired.compare import compare_paired
from rankgate.scoring.paired.drop import DropBounds
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
def test_p_is_above_the_level_exactly_where_the_interval_without_a_range_has_zero(
    values: list[float],
) -> None:
    found = compare_paired(values, scale=None, resamples=999)
    if found.exact or found.low is None or found.high is None:
        return
    assert (found.p > 0.05) is (found.low <= 1e-12 and found.high >= -1e-12)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=40))
def test_bounds_stand_in_order_and_within_what_is_possible(values: list[float]) -> None:
    found, drop = (
        compare_paired(values, resamples=999),
        DropBounds.of(Paired.of([-one for one in values]), 1.0),
    )
    assert found.low is not None
    assert found.high is not None
    assert drop is not None
    assert -1 <= found.low <= -drop.at_most <= found.mean + 1e-12
    assert found.mean - 1e-12 <= -drop.at_least <= found.high <= 1
    assert drop.mean == pytest.approx(-found.mean)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=40))
def test_turning_every_sign_turns_an_exact_interval(values: list[float]) -> None:
    found = compare_paired(values[:12])
    turned = compare_paired([-value for value in values[:12]])
    assert (turned.low, turned.high) == pytest.approx((negative(found.high), negative(found.low)), abs=1e-12)
    assert (turned.p_less, turned.p_greater) == (found.p_greater, found.p_less)


def negative(value: float | None) -> float:
    assert value is not None
    return -value


def test_five_groups_have_no_interval_without_a_range() -> None:
    """No outcome of five is rejected at 0.05, so that every mean is kept."""
    found = compare_paired([0.1, 0.2, 0.3, 0.1, 0.2], scale=None)
    assert (found.low, found.high) == (None, None)
    bounded = compare_paired([0.1, 0.2, 0.3, 0.1, 0.2])
    assert bounded.low == pytest.approx(lower_bound([0.1, 0.1, 0.2, 0.2, 0.3], -1, level=0.025))
    assert bounded.high == pytest.approx(upper_bound([0.1, 0.1, 0.2, 0.2, 0.3], 1, level=0.025))


def test_no_difference_in_48_queries_may_still_be_one_in_seventeen() -> None:
    drop, found = DropBounds.of(Paired.of([0.0] * 48), 1.0), compare_paired([0.0] * 48)
    assert drop is not None
    assert drop.at_most == -drop.at_least == pytest.approx(1 - 0.05 ** (1 / 48))
    assert (1 - drop.at_most) ** 48 == pytest.approx(0.05)
    assert found.high == negative(found.low) == pytest.approx(1 - 0.025 ** (1 / 48))


def test_a_query_that_moves_by_more_than_the_scale_has_no_bound() -> None:
    """The scale is the wrong one then, and the interval goes by what was seen."""
    moved = [3.0, *([0.1, -0.1] * 20)]
    assert DropBounds.of(Paired.of(moved), 1.0) is None
    assert compare_paired(moved, scale=1.0) == compare_paired(moved, scale=None)


def test_a_group_counts_once_however_many_paraphrases_it_has() -> None:
    """Ten groups, one of which has twenty of the 29 cases, and is the only one that fell."""
    groups = [0] * 20 + list(range(1, 10))
    paired = Paired.of([0.5] * 20 + [0.0] * 9, groups=groups)
    drop = DropBounds.of(paired, 1.0)
    assert drop is not None
    assert (paired.group_mean, drop.mean, drop.capacity.queries) == (0.05, 0.05, 10)
    assert drop.at_most == pytest.approx(upper_bound([0.5] + [0.0] * 9, 1.0))
    assert paired.mean == pytest.approx(10 / 29)
    assert compare_paired(paired.differences, groups=groups).by_group
    assert not compare_paired(paired.differences, groups=groups, scale=None).by_group
    assert not compare_paired([0.5] * 10).by_group
