"""How far the means of equal runs lie apart."""

from __future__ import annotations

import numpy as np
import pytest

from rankgate.errors import InputError
from rankgate.scoring.paired.noise import noise


def test_the_spread_is_that_of_the_weighted_means() -> None:
    found = noise([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]], [3.0, 1.0])
    assert found.means == (0.75, 0.25, 0.5)
    assert found.spread == 0.5
    assert found.deviation == pytest.approx(np.std(found.means, ddof=1))


def test_a_drop_no_larger_than_the_spread_lies_inside_it() -> None:
    found = noise([[0.8, 0.6], [0.7, 0.6]])
    assert found.covers(-0.05)
    assert found.covers(0.05)
    assert not found.covers(-0.051)


def test_equal_runs_cover_no_drop_at_all() -> None:
    found = noise([[0.8, 0.6]] * 3)
    assert found.spread == 0
    assert found.deviation == pytest.approx(0, abs=1e-15)
    assert found.covers(0)
    assert not found.covers(-0.001)


@pytest.mark.parametrize("repeats", [[[0.5, 0.5]], [], [0.5, 0.5], [[], []], [[0.1], [float("nan")]]])
def test_one_run_has_no_noise_to_measure(repeats: list[list[float]]) -> None:
    with pytest.raises(InputError, match="two runs"):
        noise(repeats)
