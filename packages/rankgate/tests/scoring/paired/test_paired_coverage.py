"""How often the 95 % interval has the true mean, over simulated sets."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from support.paired_sets import (
    coverage,
    grouped,
    normal,
    real_values,
    skewed,
    swapped,
    tied,
)

if TYPE_CHECKING:
    from pathlib import Path

    from support.paired_sets import Scenario

OTHERS = [
    *(normal(cases) for cases in (20, 50, 127)),
    *(skewed(cases) for cases in (50, 127)),
    *(tied(cases) for cases in (50, 127)),
    grouped(30),
]


@pytest.mark.parametrize("scenario", OTHERS, ids=lambda scenario: scenario.name)
def test_the_interval_has_the_true_mean(scenario: Scenario) -> None:
    share, _ = coverage(scenario, 300, resamples=999)
    assert share >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / 300)


@pytest.mark.long
def test_losses_among_real_differences_are_covered_at_the_level(
    shared_data: Path, record_property: Any
) -> None:
    whole, titles = real_values(shared_data)
    share, _ = coverage(swapped("real", titles - whole, whole, rate=0.05), 2000)
    record_property("figures", f"5 % of 48 lost among real differences: {share:.4f}")
    assert share == pytest.approx(0.95, abs=0.015)
