"""One call says everything, soon and in little memory; false alarms are as rare as promised."""

from __future__ import annotations

import math
import tracemalloc
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from rankgate.scoring.paired.compare import compare_paired
from support.paired_sets import false_positives, real_values
from support.timing import least_seconds

if TYPE_CHECKING:
    from pathlib import Path

SIZES = pytest.mark.parametrize("cases", [20, 50, 127])


def test_three_of_48_queries_lost_in_all_figures() -> None:
    found = compare_paired([-1.0] * 3 + [0.0] * 45)
    assert (found.cases, found.groups, found.mean, found.p, found.exact) == (48, 48, -0.0625, 0.25, True)
    assert (found.differing, found.can_be_significant, found.words) == (3, False, "cannot be significant")
    assert (found.wins, found.losses, found.ties) == (0, 3, 45)
    assert (found.low, found.high) == (None, None)
    assert found.detectable == pytest.approx(0.1597, abs=1e-4)


def test_a_clear_gain_is_told_as_one() -> None:
    found = compare_paired(np.random.default_rng(1).normal(0.2, 0.3, 100))
    assert found.p == found.p_greater == 1 / 10_001
    assert found.p_less == 1
    assert found.low is not None
    assert found.low > 0.1
    assert found.low < found.mean


def test_everything_is_repeatable() -> None:
    values = np.random.default_rng(1).normal(0.02, 0.3, 100)
    assert compare_paired(values, seed=4) == compare_paired(values, seed=4)
    assert compare_paired(values, seed=4) != compare_paired(values, seed=5)


def test_48_queries_take_milliseconds() -> None:
    values = np.random.default_rng(1).normal(0.02, 0.3, 48)
    assert least_seconds(partial(compare_paired, values), enough=0.01, times=20) < 0.05


def test_fifty_thousand_queries_take_seconds() -> None:
    values = np.random.default_rng(1).normal(0.02, 0.3, 50_000)
    assert least_seconds(partial(compare_paired, values), enough=15) < 15


def test_memory_does_not_grow_with_what_is_drawn_for_each_query() -> None:
    """All subsets at once would be 100 MB of bits."""
    values = np.random.default_rng(1).normal(0.02, 0.3, 50_000)
    tracemalloc.start()
    compare_paired(values, resamples=2_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16e6


@SIZES
def test_swapped_labels_of_two_real_runs_are_seldom_significant(shared_data: Path, cases: int) -> None:
    whole, titles = real_values(shared_data)
    rate = false_positives(titles - whole, cases, 1000, resamples=999)
    assert 0.01 < rate <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / 1000)


@pytest.mark.long
@SIZES
def test_swapped_labels_are_seldom_significant_in_full(
    shared_data: Path, cases: int, record_property: Any
) -> None:
    whole, titles = real_values(shared_data)
    rate = false_positives(titles - whole, cases, 10_000)
    record_property("figures", f"false positives {rate:.4f} at n = {cases}")
    assert rate <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 10_000)
