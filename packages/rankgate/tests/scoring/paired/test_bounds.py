"""The bound of a mean is that of Clopper and Pearson for whole losses, and as it is defined for others."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.errors import InputError
from rankgate.scoring.paired import bounds
from rankgate.scoring.paired.bounds import chance, lower_bound, upper_bound
from rankgate.scoring.paired.drop import Capacity
from support.timing import least_seconds

if TYPE_CHECKING:
    import random

    from rankgate.scoring.matches import Floats

RNG = np.random.default_rng(1)
SAMPLES: dict[str, tuple[Floats, Floats | None]] = {
    "normal": (np.clip(RNG.normal(0.02, 0.2, 48), -1, 1), None),
    "ties, moves and losses": (
        np.concatenate([np.zeros(60), RNG.normal(0, 0.08, 30), [1, 1, 0.63, -0.5]]),
        None,
    ),
    "weighted": (np.clip(RNG.normal(0, 0.3, 60), -1, 1), RNG.integers(1, 6, 60).astype(float)),
    "three": (np.array([-0.4, 0.1, 0.3]), None),
    "one": (np.array([0.2]), None),
}
EACH = pytest.mark.parametrize(("values", "weights"), SAMPLES.values(), ids=list(SAMPLES))
drops = st.lists(st.one_of(st.sampled_from([-1.0, 0.0, 1.0]), st.floats(-1, 1)), min_size=1, max_size=30)


def losses(queries: int) -> list[int]:
    return sorted({0, 1, 2, queries // 20, queries // 4, queries // 2, queries - 1} & set(range(queries)))


@pytest.mark.parametrize("queries", [1, 2, 5, 20, 48, 149, 200, 1000, 2000])
def test_whole_losses_have_the_bounds_of_clopper_and_pearson(queries: int) -> None:
    from scipy.stats import beta, binom

    for lost in losses(queries):
        values = np.repeat([1.0, 0.0], [lost, queries - lost])
        for level in (0.05, 0.025, 0.01):
            expected = beta.ppf(1 - level, lost + 1, queries - lost)
            assert upper_bound(values, 1.0, level=level) == pytest.approx(expected, abs=1e-9)
            expected = beta.ppf(level, queries - lost, lost + 1)
            assert lower_bound(1 - values, 0.0, level=level) == pytest.approx(expected, abs=1e-9)
        for margin in (0.02, 0.1, 0.5):
            expected = binom.cdf(lost, queries, margin)
            assert chance(values, margin, 1.0) == pytest.approx(expected, abs=1e-9)


@EACH
def test_so_many_exponential_draws_are_above_at_the_bound(values: Floats, weights: Floats | None) -> None:
    bound = upper_bound(values, 1.0, weights=weights)
    sizes = np.ones(len(values)) if weights is None else weights
    gains = np.append(sizes * (values - bound), sizes.max() * (1 - bound))
    rng, draws, above = np.random.default_rng(2), 200_000, 0
    for _ in range(10):
        above += int(np.count_nonzero(rng.standard_exponential((draws // 10, len(gains))) @ gains > 0))
    assert above / draws == pytest.approx(0.05, abs=4 * math.sqrt(0.05 * 0.95 / draws))


@EACH
def test_half_the_step_gives_the_same(
    values: Floats, weights: Floats | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def both() -> tuple[float, float]:
        return upper_bound(values, 1.0, weights=weights), lower_bound(values, -1.0, weights=weights)

    expected = both()
    monkeypatch.setattr(bounds, "_nodes", bounds._nodes.__wrapped__)
    monkeypatch.setattr(bounds, "_STEP", bounds._STEP / 2)
    assert both() == pytest.approx(expected, abs=1e-10)


@given(drops, st.randoms(use_true_random=False))
def test_no_order_changes_a_bit(values: list[float], shuffle: random.Random) -> None:
    weights = [1.0 + at % 3 for at in range(len(values))]
    rows = list(zip(values, weights, strict=True))
    before = upper_bound(values, 1.0, weights=weights)
    shuffle.shuffle(rows)
    assert upper_bound([row[0] for row in rows], 1.0, weights=[row[1] for row in rows]) == before


@given(drops, st.floats(0.02, 0.9))
def test_a_margin_passes_exactly_where_the_bound_is_under_it(values: list[float], margin: float) -> None:
    bound = upper_bound(values, 1.0)
    if abs(bound - margin) > 1e-9:
        assert (chance(values, margin, 1.0) < 0.05) is (bound < margin)


@given(drops, st.integers(0, 29), st.floats(0, 1))
def test_a_larger_drop_never_lowers_the_bound(values: list[float], at: int, more: float) -> None:
    at %= len(values)
    larger = [*values[:at], min(1.0, values[at] + more), *values[at + 1 :]]
    assert upper_bound(larger, 1.0) >= upper_bound(values, 1.0) - 1e-9


@given(drops, st.floats(0.1, 50), st.floats(-3, 3))
def test_scale_and_shift_go_through(values: list[float], scale: float, shift: float) -> None:
    moved = [scale * value + shift for value in values]
    expected = scale * upper_bound(values, 1.0) + shift
    assert upper_bound(moved, scale + shift) == pytest.approx(expected, abs=1e-7 * scale + 1e-8)


@given(drops)
def test_equal_weights_of_any_size_change_nothing(values: list[float]) -> None:
    weighted = upper_bound(values, 1.0, weights=[0.1] * len(values))
    assert weighted == pytest.approx(upper_bound(values, 1.0), abs=1e-10)


@given(
    st.lists(st.tuples(st.floats(-1e60, 1e60), st.floats(1e-59, 1e60)), min_size=1, max_size=30),
    st.floats(1, 1e6),
)
def test_any_numbers_within_reach_have_a_bound_between_the_mean_and_the_top(
    rows: list[tuple[float, float]], factor: float
) -> None:
    values, weights = [row[0] for row in rows], [row[1] for row in rows]
    top = max(max(map(abs, values)) * factor, 1e-50)
    found = upper_bound(values, top, weights=weights)
    mean = math.fsum(v * (w / max(weights)) for v, w in rows) / math.fsum(w / max(weights) for w in weights)
    assert mean - 1e-9 * top <= found <= top


def test_the_ends() -> None:
    assert upper_bound([1.0] * 5, 1.0) == 1
    assert lower_bound([-1.0] * 5, -1.0) == -1
    assert upper_bound([], 1.0) == 1
    assert chance([0.0, 0.5], 1.0, 1.0) == 0
    assert chance([0.5, 0.5], 0.1, 1.0) == 1
    assert upper_bound([1e-12] * 48, 1.0) == upper_bound([0.0] * 48, 1.0)


@pytest.mark.parametrize(
    ("values", "options", "words"),
    [
        ([1.5], {}, "none above 1"),
        ([math.nan], {}, "no number"),
        ([0.1, 0.2], {"weights": [1.0]}, "different lengths"),
        ([0.1], {"weights": [0.0]}, "weight out of range"),
        ([0.1], {"weights": [2.0], "top_weight": 1.0}, "weight out of range"),
        ([0.1], {"level": 0.4}, "1/e"),
    ],
)
def test_what_has_no_bound_is_refused(
    values: list[float], options: dict[str, float | list[float]], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        upper_bound(values, 1.0, **options)  # type: ignore[arg-type]


def test_ten_thousand_queries_take_milliseconds() -> None:
    values = np.clip(np.random.default_rng(3).normal(0, 0.2, 10_000), -1, 1)
    assert least_seconds(partial(upper_bound, values, 1.0), enough=0.02, times=20) < 0.05


@pytest.mark.parametrize(("margin", "queries"), [(0.01, 299), (0.02, 149), (0.05, 59), (0.1, 29)])
def test_so_many_ties_are_needed_for_a_margin(margin: float, queries: int) -> None:
    assert Capacity.of(10).needed(margin) == queries
    assert Capacity.of(queries).smallest_margin < margin <= Capacity.of(queries - 1).smallest_margin


def test_what_weights_need_is_what_passes() -> None:
    weights = [10.0, *[1.0] * 9]
    needed = Capacity.of(10, weights=weights).needed(0.05)
    assert needed is not None
    enough, few = (weights * math.ceil((needed + more) / 10) for more in (10, -10))
    assert upper_bound([0.0] * len(enough), 1.0, weights=enough) < 0.05
    assert upper_bound([0.0] * len(few), 1.0, weights=few) >= 0.05
    assert Capacity.of(10, weights=weights).needed(0.0) is None
    assert Capacity.of(10, weights=weights).needed(1.0) == 1
