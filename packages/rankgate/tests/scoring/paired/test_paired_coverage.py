"""How often the 95 % interval has the true mean, over simulated sets."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from support.paired_sets import (
    STATED,
    coverage,
    grouped,
    inverted_coverage,
    lost,
    normal,
    real_values,
    skewed,
    swapped,
    tied,
)

if TYPE_CHECKING:
    from pathlib import Path

    from support.paired_sets import Scenario

ONES = np.ones(1)
SPARSE = [
    lost("from first to absent", ONES),
    lost("from first to absent, the others moving", ONES, moving=0.02),
    lost("from nDCG@10 as on SciFact", STATED),
    lost("from nDCG@10 as on SciFact, the others moving", STATED, moving=0.02),
    lost("one in ten", ONES, rate=0.1),
    lost("just more than the floor", ONES, rate=0.062),
]
COUNTED = [
    *(lost(f"{rate:.0%} of 127", ONES, rate=rate, cases=127) for rate in (0.02, 0.05, 0.1)),
    *(lost(f"{rate:.0%} of 48", ONES, rate=rate) for rate in (0.15, 0.2)),
]
"""All or nothing: the number lost is a whole number, and what inverts the test is at its worst."""
OTHERS = [
    *(normal(cases) for cases in (20, 50, 127)),
    *(skewed(cases) for cases in (20, 50, 127)),
    *(tied(cases) for cases in (20, 50, 127)),
    grouped(30),
]
EACH = pytest.mark.parametrize("scenario", [*SPARSE, *COUNTED, *OTHERS], ids=lambda scenario: scenario.name)


def least(sets: int) -> float:
    """Give the share that so many sets reach but for once in a thousand."""
    return 0.95 - 3 * math.sqrt(0.05 * 0.95 / sets)


@EACH
def test_the_interval_has_the_true_mean(scenario: Scenario) -> None:
    found = coverage(scenario, 100)
    assert min(found.both, found.below, found.above) >= least(100)


@pytest.mark.parametrize("scenario", SPARSE[:4], ids=lambda scenario: scenario.name)
def test_by_inverting_the_test_too_many_would_miss_it(scenario: Scenario) -> None:
    """Else a range would be for nothing."""
    share, _ = inverted_coverage(scenario, 300, resamples=999)
    assert share < 0.955
    assert coverage(scenario, 100).both >= 0.98


@pytest.mark.long
@EACH
def test_the_interval_has_the_true_mean_in_full(scenario: Scenario, record_property: Any) -> None:
    found = coverage(scenario, 2000)
    record_property("figures", f"{scenario.name}: {found.both:.4f}")
    assert min(found.both, found.below, found.above) >= least(2000)


@pytest.mark.long
def test_losses_among_real_differences_are_covered_at_the_level(
    shared_data: Path, record_property: Any
) -> None:
    whole, titles = real_values(shared_data)
    scenario = swapped("real", titles - whole, whole, rate=0.05)
    found, (share, _) = coverage(scenario, 2000), inverted_coverage(scenario, 2000)
    told = f"{found.both:.4f}, by inverting {share:.4f}"
    record_property("figures", f"5 % of 48 lost among real differences: {told}")
    assert share == pytest.approx(0.95, abs=0.015)
    assert found.both >= least(2000)
