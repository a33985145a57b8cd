"""A model judge beside people: what is drawn, how it is weighted back, and who passes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_worlds import JUDGES, World
from rankgate.errors import InputError
from rankgate.judging.calibration.calibrate import BIAS_BAR, KAPPA_BAR, Calibration, calibrate
from rankgate.judging.calibration.drawing import LEAST, allocated, draw_pairs
from rankgate.judging.calibration.pool import CalibrationPool
from rankgate.judging.calibration.sample import PairSample

NAMED = {judge.name: judge for judge in JUDGES}


def world_and_pool(judge: str, seed: int = 1, queries: int = 100) -> tuple[World, CalibrationPool]:
    world = World.drawn(np.random.default_rng(seed), queries)
    return world, world.pool(NAMED[judge].grades(np.random.default_rng((seed, 1)), world))


def measured(judge: str, pairs: int, seed: int = 1) -> Calibration:
    world, pool = world_and_pool(judge, seed)
    people = np.full(len(pool.keys), np.nan)
    drawn = draw_pairs(pool, pairs, seed)
    people[drawn] = world.truth[drawn]
    return calibrate(pool, people)


@given(st.lists(st.integers(1, 500), min_size=1, max_size=20), st.integers(0, 2000))
def test_as_many_are_drawn_as_wanted_and_some_of_every_stratum(sizes: list[int], pairs: int) -> None:
    many, importance = np.array(sizes), np.array(sizes) * 0.7
    least = np.minimum(many, LEAST)
    if pairs < least.sum():
        with pytest.raises(InputError, match="at least"):
            allocated(many, importance, pairs)
        return
    found = allocated(many, importance, pairs)
    assert found.sum() == min(pairs, many.sum())
    assert (found >= least).all()
    assert (found <= many).all()


def test_pairs_are_drawn_once_by_the_seed_from_every_stratum() -> None:
    _, pool = world_and_pool("good, kappa 0.85")
    drawn = draw_pairs(pool, 100, seed=3)
    assert len(set(drawn.tolist())) == 100
    assert drawn.tolist() == draw_pairs(pool, 100, seed=3).tolist()
    assert drawn.tolist() != draw_pairs(pool, 100, seed=4).tolist()
    assert set(pool.strata[drawn].tolist()) == set(pool.strata.tolist())


def test_what_was_drawn_stays_drawn_when_more_pairs_are_wanted_or_the_pool_grows() -> None:
    _, pool = world_and_pool("good, kappa 0.85")
    few, more = (set(draw_pairs(pool, pairs).tolist()) for pairs in (100, 200))
    assert few <= more
    half = np.flatnonzero(pool.queries < 90)
    smaller = CalibrationPool(
        tuple(pool.keys[row] for row in half),
        pool.queries[half],
        pool.grades[half],
        pool.systems,
        pool.ranks[half],
    )
    before = {smaller.keys[row] for row in draw_pairs(smaller, 100).tolist()}
    after = {pool.keys[row] for row in draw_pairs(pool, 111).tolist()}
    assert len(before & after) >= 90


def test_what_only_one_system_returned_is_drawn_twice_as_often() -> None:
    _, pool = world_and_pool("good, kappa 0.85")
    drawn = draw_pairs(pool, 300)
    shared, lowest = pool.returned.all(axis=1), pool.grades == 0
    rates = [(shared & lowest)[drawn].sum() / (shared & lowest).sum()]
    rates.append((~shared & lowest)[drawn].sum() / (~shared & lowest).sum())
    assert rates[1] / rates[0] == pytest.approx(2, rel=0.1)


def test_shares_of_the_models_grades_are_those_of_the_pool_whatever_was_drawn() -> None:
    world, pool = world_and_pool("good, kappa 0.85")
    found = measured("good, kappa 0.85", 120)
    shares = [float((pool.grades == grade).mean()) for grade in found.scale]
    assert [sum(row) for row in found.confusion] == pytest.approx(shares, abs=1e-12)
    assert sum(map(sum, found.counts)) == found.pairs == 120
    assert found.pool == len(world.truth)


def test_with_the_whole_pool_graded_kappa_is_that_of_statsmodels() -> None:
    from statsmodels.stats.inter_rater import cohens_kappa

    world, pool = world_and_pool("good, kappa 0.85")
    table = np.zeros((4, 4))
    np.add.at(table, (pool.grades.astype(int), world.truth), 1)
    found = calibrate(pool, world.truth.astype(np.float64))
    expected = cohens_kappa(table, wt="quadratic", return_results=False)
    assert found.kappa.value == pytest.approx(float(expected), abs=1e-9)
    apart = pool.grades - world.truth
    means = [float(apart[world.ranks[:, system] > 0].mean()) for system in (0, 1)]
    assert [estimate.value for _, estimate in found.bias] == pytest.approx(means, abs=1e-9)
    assert found.between[0].bias.value == pytest.approx(means[0] - means[1], abs=1e-9)


def test_drawn_pairs_estimate_the_pool_without_bias() -> None:
    world, pool = world_and_pool("biased to a system")
    whole = calibrate(pool, world.truth.astype(np.float64))
    found = []
    for seed in range(150):
        people = np.full(len(pool.keys), np.nan)
        drawn = draw_pairs(pool, 150, seed)
        people[drawn] = world.truth[drawn]
        one = calibrate(pool, people)
        found.append((one.kappa.value or 0.0, one.between[0].bias.value or 0.0))
    means, errors = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(len(found))
    expected = (whole.kappa.value, whole.between[0].bias.value)
    assert abs(means[1] - (expected[1] or 0.0)) < 4 * errors[1]
    # Kappa is a ratio, and so a little off in small samples.
    assert abs(means[0] - (expected[0] or 0.0)) < 4 * errors[0] + 0.01


def test_a_good_judge_passes_and_bad_ones_are_refused_by_name_of_what_is_wrong() -> None:
    assert measured("perfect", 150).passed
    assert sum(measured("good, kappa 0.85", 400, seed).passed for seed in range(20)) >= 16
    assert "it favours one" in " ".join(measured("biased to a system", 400).reasons)
    assert "the lower bound of quadratic kappa is" in measured("lazy", 100).reasons[0]
    assert "the lower bound of quadratic kappa is" in measured("random", 100).reasons[0]
    assert "it favours rank 1 by at least" in measured("sycophantic to rank 1", 100).reasons[-1]


def test_with_few_pairs_it_is_said_that_more_would_tell() -> None:
    reasons = measured("good, kappa 0.85", 100).reasons
    assert [reason for reason in reasons if "draw more pairs" in reason]


def test_a_judge_who_never_differed_has_an_interval_all_the_same() -> None:
    found = measured("perfect", 60)
    assert found.kappa.value == pytest.approx(1.0)
    assert found.kappa.low is not None
    assert found.kappa.low < 0.97
    between = found.between[0].bias
    assert between.value == 0
    assert between.low is not None
    assert between.low < -0.01


def test_pairs_of_one_query_widen_the_interval() -> None:
    """The same pairs, told to be of ten queries whose passages the model misjudges together."""
    world, pool = world_and_pool("good, kappa 0.85")
    people = world.truth.astype(np.float64)
    order = np.argsort(pool.grades - people, kind="stable")
    lumped = np.empty_like(pool.queries)
    lumped[order] = np.arange(len(order)) * 10 // len(order)
    apart = calibrate(pool, people).kappa
    together = calibrate(replace(pool, queries=lumped), people).kappa
    assert None not in (apart.low, apart.high, together.low, together.high)
    assert together.high - together.low > 2 * (apart.high - apart.low)  # type: ignore[operator]


def test_pairs_that_people_left_out_are_made_up_for_by_their_neighbours() -> None:
    world, pool = world_and_pool("good, kappa 0.85")
    people = np.full(len(pool.keys), np.nan)
    drawn = draw_pairs(pool, 100)
    drawn = drawn[pool.grades[drawn] != 3]
    people[drawn] = world.truth[drawn]
    sample = PairSample.of(pool, people)
    assert sample.weights.sum() == pytest.approx(1.0)
    assert calibrate(pool, people).kappa.low is not None


def test_without_pairs_or_with_one_grade_it_is_undefined_and_does_not_pass() -> None:
    _, pool = world_and_pool("good, kappa 0.85")
    nothing = calibrate(pool, np.full(len(pool.keys), np.nan))
    assert (nothing.kappa.value, nothing.between[0].bias.value, nothing.passed) == (None, None, False)
    same = calibrate(replace(pool, grades=np.zeros(len(pool.keys))), np.zeros(len(pool.keys)))
    assert same.kappa.value is None
    assert "undefined" in same.reasons[0]


def test_what_people_graded_for_another_reason_does_not_count() -> None:
    _, pool = world_and_pool("good, kappa 0.85")
    everything = dict.fromkeys(pool.keys, 1.0)
    drawn = draw_pairs(pool, 50)
    assert (~np.isnan(pool.people(everything, drawn.tolist()))).sum() == 50


def test_a_pool_is_made_of_what_the_model_graded_and_a_system_returned() -> None:
    grades = {("q", "a"): 2.0, ("q", "b"): 0.0, ("p", "a"): 1.0}
    pool = CalibrationPool.of(grades, {("q", "a"): {"x": 1}, ("p", "a"): {"x": 2, "y": 1}}, ["x", "y"])
    assert pool.keys == (("q", "a"), ("p", "a"))
    assert pool.ranks.tolist() == [[1, 0], [2, 1]]
    assert pool.first.tolist() == [True, True]


def test_four_systems_are_told_apart_by_whether_all_returned_a_passage() -> None:
    keys = tuple(("q", str(at)) for at in range(16))
    ranks = np.array([[(at >> system) & 1 for system in range(4)] for at in range(16)])
    pool = CalibrationPool(keys, np.arange(16), np.zeros(16), ("a", "b", "c", "d"), ranks)
    assert len(set(pool.strata.tolist())) == 2
    assert len(calibrate(pool, np.zeros(16)).between) == 6


def test_the_bar_is_what_the_documents_say() -> None:
    assert (KAPPA_BAR, BIAS_BAR) == (0.6, 0.1)
