"""How often the 95 % interval has the true mean, over simulated sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from support.paired_sets import STATED, coverage, grouped, lost, normal, real_values, skewed, swapped, tied

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
LATTICE = [
    *(lost(f"{rate:.0%} of 127", ONES, rate=rate, cases=127) for rate in (0.02, 0.05, 0.1)),
    *(lost(f"{rate:.0%} of 48", ONES, rate=rate) for rate in (0.15, 0.2)),
]
"""All or nothing: the number lost is a whole number, and coverage jumps from one rate to the next."""
OTHERS = [
    *(normal(cases) for cases in (20, 50, 127)),
    *(skewed(cases) for cases in (20, 50, 127)),
    *(tied(cases) for cases in (20, 50, 127)),
    grouped(30),
]
EACH = pytest.mark.parametrize("scenario", [*SPARSE, *LATTICE, *OTHERS], ids=lambda scenario: scenario.name)


@EACH
def test_the_interval_has_the_true_mean(scenario: Scenario) -> None:
    found = coverage(scenario, 300, resamples=999)
    assert found.both >= 0.915
    assert found.below >= 0.915
    assert found.above >= 0.9


@pytest.mark.parametrize("scenario", SPARSE[:4], ids=lambda scenario: scenario.name)
def test_by_what_was_seen_alone_too_many_would_miss_it(scenario: Scenario) -> None:
    """Else the allowance would be for nothing."""
    found = coverage(scenario, 300, resamples=999)
    assert found.seen < 0.955
    assert found.both >= 0.98


@pytest.mark.long
@EACH
def test_the_interval_has_the_true_mean_in_full(scenario: Scenario, record_property: Any) -> None:
    found = coverage(scenario, 2000)
    record_property("figures", f"{scenario.name}: {found.both:.4f}, by what was seen {found.seen:.4f}")
    least = 0.92 if scenario in LATTICE else 0.935
    assert found.both >= least
    assert found.below >= least
    assert found.above >= least


@pytest.mark.long
def test_losses_among_real_differences_are_covered_at_the_level(
    shared_data: Path, record_property: Any
) -> None:
    whole, titles = real_values(shared_data)
    found = coverage(swapped("real", titles - whole, whole, rate=0.05), 2000)
    told = f"{found.both:.4f}, by what was seen {found.seen:.4f}"
    record_property("figures", f"5 % of 48 lost among real differences: {told}")
    assert found.seen == pytest.approx(0.95, abs=0.015)
    assert found.both >= 0.935
