"""The smallest detectable difference is found in four of five comparisons, and where it is not is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from rankgate.scoring.paired.compare import compare_paired
from rankgate.scoring.paired.paired import Paired
from rankgate.scoring.paired.power import detectable, student
from support.paired_sets import STATED, Drawn, found_rate, printed, standard

if TYPE_CHECKING:
    from support.paired_sets import Draw

SIZES = pytest.mark.parametrize("cases", [20, 50, 127])
KEPT = STATED[STATED > 0]


@pytest.mark.parametrize("freedom", [5, 6, 10, 19, 47, 126, 10_000])
@pytest.mark.parametrize("probability", [0.8, 0.975])
def test_quantiles_are_those_of_student(probability: float, freedom: int) -> None:
    from scipy.stats import t

    assert student(probability, freedom) == pytest.approx(t.ppf(probability, freedom), rel=2e-3)


def test_it_goes_by_the_spread_of_the_groups() -> None:
    from scipy.stats import t

    values = np.random.default_rng(1).normal(0.1, 0.3, 50)
    factor = t.ppf(0.975, 49) + t.ppf(0.8, 49)
    assert printed(values) == pytest.approx(factor * values.std(ddof=1) / 50**0.5, rel=1e-4)


@pytest.mark.parametrize("cases", [6, 20, 48, 127, 50_000])
def test_where_nothing_differs_it_is_the_rate_at_which_six_would(cases: int) -> None:
    from scipy.stats import binom

    rate = printed(np.zeros(cases))
    assert binom.sf(5, cases, rate) == pytest.approx(0.8, abs=1e-9)
    assert detectable(Paired.of(np.zeros(cases)), scale=0.5) == pytest.approx(rate / 2)


@pytest.mark.parametrize("cases", [1, 2, 5])
def test_fewer_than_six_groups_find_nothing(cases: int) -> None:
    assert compare_paired([0.3] * cases).detectable is None
    assert compare_paired([0.3] * 10, groups=[0, 1, 2, 3, 4] * 2).detectable is None


def test_paraphrases_do_not_make_it_smaller() -> None:
    values = np.random.default_rng(1).normal(0.1, 0.3, 30)
    repeated = detectable(Paired.of(np.repeat(values, 4), groups=np.repeat(np.arange(30), 4).tolist()))
    assert repeated == pytest.approx(detectable(Paired.of(values)))


def of_normal(cases: int) -> tuple[float, Draw]:
    figure = printed(standard(cases, 0.3))
    return figure, lambda chance: Drawn(chance.normal(figure, 0.3, cases))


def of_losses(cases: int) -> tuple[float, Draw]:
    """See 6 % of the queries lost and the rest unchanged; then lose as many as the figure says."""
    count = round(0.06 * cases)
    figure = printed(np.append(np.full(count, -KEPT.mean()), np.zeros(cases - count)))
    rate = figure / KEPT.mean()
    return figure, lambda chance: Drawn(
        np.where(chance.random(cases) < rate, -chance.choice(KEPT, cases), 0.0)
    )


@SIZES
@pytest.mark.parametrize("kind", [of_normal, of_losses], ids=["normal", "losses"])
def test_four_of_five_comparisons_find_it(kind: Any, cases: int) -> None:
    _, draw = kind(cases)
    assert found_rate(draw, 400, resamples=999) == pytest.approx(0.8, abs=0.08)


@pytest.mark.long
@SIZES
@pytest.mark.parametrize("kind", [of_normal, of_losses], ids=["normal", "losses"])
def test_four_of_five_comparisons_find_it_in_full(kind: Any, cases: int, record_property: Any) -> None:
    figure, draw = kind(cases)
    power = found_rate(draw, 2000)
    record_property("figures", f"power at {figure:.4f} is {power:.3f}")
    assert power == pytest.approx(0.8, abs=0.05)
