"""The power that a plan states is reached; more suites and more stored comparisons in bench-plan."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankgate.scoring.paired.change import DropModel
from rankgate.scoring.paired.drop import Capacity
from rankgate.scoring.paired.paired import Paired
from rankgate.scoring.paired.power import detectable
from support.planned import POINTS, SETTINGS, Setting, lost_whole, populations, stored_plans

SUITES = 120


def slack(suites: int) -> float:
    """Give three standard errors of a share of so many."""
    return 3 * 0.5 / math.sqrt(suites)


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_the_power_that_is_stated_is_reached(setting: Setting) -> None:
    stated, low, high = setting.stated(populations()[setting.population].model())
    assert low <= stated <= high
    assert abs(stated - setting.reached(SUITES)) <= POINTS + slack(SUITES)


def test_plans_from_stored_comparisons_are_right_on_average_and_their_intervals_say_how_far_off_one_is() -> (
    None
):
    setting = Setting("small moves", 150, 0.03)
    reached, _, _ = setting.stated(populations()["small moves"].model())
    found = stored_plans(setting, 100, 20, reached)
    assert abs(found.mean - reached) <= POINTS
    assert found.covered >= 0.8


@pytest.mark.parametrize("name", ["whole losses", "what each had", "small moves", "broad moves"])
def test_so_many_queries_as_are_needed_see_the_drop_and_half_of_them_do_not(name: str) -> None:
    model = populations()[name].model()
    needed = model.needed(0.08)
    assert needed is not None
    for queries, right in ((needed, 0.8), (needed // 2, 0.5)):
        found = model.seen(queries, 0.08)
        assert found is not None
        assert abs(found.share - right) <= POINTS or (queries < needed and found.share < 0.6)


def test_what_is_detectable_where_nothing_differs_is_the_same_in_a_plan_and_in_a_comparison() -> None:
    for queries in (20, 48, 300):
        assert lost_whole(queries).smallest(queries) == detectable(Paired.of(np.zeros(queries)))


def test_what_is_stored_of_few_queries_has_a_wider_interval() -> None:
    rng, population = np.random.default_rng(1), populations()["broad moves"]
    few, many = (population.stored(queries, rng).seen(150, 0.05) for queries in (20, 2000))
    assert few is not None
    assert many is not None
    assert few.high - few.low > 2 * (many.high - many.low)


def test_what_is_assumed_is_counted_and_has_no_interval() -> None:
    found = lost_whole(48).seen(48, 0.1)
    assert found is not None
    assert found.low == found.share == found.high


def test_a_mean_drops_no_further_than_there_is_to_lose() -> None:
    model = DropModel.of(np.zeros(4), np.array([0.5, 0.5, 0.0, 0.0]), np.ones(4), range(4), 1.0)
    assert model.rate(0.25) == 1.0
    assert (model.rate(0.3), model.seen(48, 0.3), model.decided(48, 0.3, 0.1), model.needed(0.3)) == (
        None,
    ) * 4


@pytest.mark.parametrize("moved", [0.0, 0.5])
def test_a_system_that_finds_nothing_has_nothing_to_lose(moved: float) -> None:
    model = DropModel.of(np.full(9, moved), np.zeros(9), np.ones(9), range(9), 1.0)
    assert (model.rate(0.1), model.needed(0.1), model.smallest(9)) == (None,) * 3
    found = model.decided(9, 0.0, 0.5)
    assert found is not None
    assert found.fails.share <= 0.05


def test_fewer_than_six_queries_see_nothing() -> None:
    model = lost_whole(5)
    found = model.seen(5, 0.9)
    assert found is not None
    assert (found.share, model.smallest(5)) == (0.0, None)


@pytest.mark.parametrize(
    ("queries", "forgiven"),
    [
        (20, [None, None, None]),
        (48, [None, None, 1]),
        (100, [None, 1, 4]),
        (149, [0, 2, 8]),
        (300, [1, 8, 21]),
        (1000, [12, 38, 84]),
    ],
)
def test_how_many_whole_losses_a_margin_forgives(queries: int, forgiven: list[int | None]) -> None:
    assert [Capacity.of(queries).forgives(margin) for margin in (0.02, 0.05, 0.1)] == forgiven


@pytest.mark.parametrize("weights", [[1.0] * 60, [5.0] * 6 + [1.0] * 54], ids=["equal", "a tenth weigh five"])
def test_one_loss_more_than_is_forgiven_does_not_pass_and_what_fails_fails(weights: list[float]) -> None:
    from rankgate.scoring.paired.bounds import lower_bound, upper_bound

    capacity = Capacity.of(60, weights=weights)
    for margin in (0.1, 0.15, 0.2, 0.3):
        forgiven, failing = capacity.forgives(margin), capacity.fails_at(margin)
        for lost in range(60):
            drops = [1.0] * lost + [0.0] * (60 - lost)
            passes = upper_bound(drops, 1.0, weights=weights) < margin
            assert passes == (forgiven is not None and lost <= forgiven)
            fails = lower_bound(drops, -1.0, weights=weights) > margin
            assert fails == (failing is not None and lost >= failing)
