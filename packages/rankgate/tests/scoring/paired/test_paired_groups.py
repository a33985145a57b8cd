"""Differences are summed by group, and neither order nor names change anything."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.errors import InputError
from rankgate.scoring.paired.compare import compare_paired
from rankgate.scoring.paired.paired import Paired

if TYPE_CHECKING:
    import random

cases = st.lists(
    st.tuples(st.floats(-1, 1), st.floats(0.01, 100), st.sampled_from("abcdefgh")), min_size=1, max_size=40
)


def test_a_group_is_the_sum_of_its_cases() -> None:
    paired = Paired.of([0.5, -1.0, 0.25], [2.0, 1.0, 4.0], ["x", "y", "x"])
    assert paired.sums.tolist() == [-1.0, 2.0]
    assert paired.sizes.tolist() == [1.0, 6.0]
    assert paired.mean == 1 / 7


def test_cases_that_cancel_are_a_tie_whatever_the_rounding() -> None:
    assert 0.3 - 0.1 - 0.2 != 0
    paired = Paired.of([0.3, -0.1, -0.2, 0.1 + 0.2 - 0.3], groups=["x", "x", "x", "y"])
    assert paired.sums.tolist() == [0.0, 0.0]
    assert paired.differing == 0


@given(cases, st.randoms(use_true_random=False))
def test_no_order_of_the_cases_changes_a_bit_of_the_result(
    rows: list[tuple[float, float, str]], chance: random.Random
) -> None:
    before = compare_paired(*columns(rows), seed=3, resamples=200)
    chance.shuffle(rows)
    assert compare_paired(*columns(rows), seed=3, resamples=200) == before


@given(cases)
def test_names_of_groups_do_not_matter(rows: list[tuple[float, float, str]]) -> None:
    differences, weights, groups = columns(rows)
    renamed = [("group", -ord(name)) for name in groups]
    assert compare_paired(differences, weights, groups, resamples=200) == compare_paired(
        differences, weights, renamed, resamples=200
    )


def columns(rows: list[tuple[float, float, str]]) -> tuple[list[float], list[float], list[str]]:
    return [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]


def test_a_case_of_its_own_is_a_group_of_its_own() -> None:
    differences = np.linspace(-0.4, 0.5, 30)
    assert compare_paired(differences) == compare_paired(differences, np.ones(30), list(range(30)))


def test_the_mean_is_rounded_once() -> None:
    values = [0.1] * 10 + [1e16, -1e16]
    assert Paired.of(values).mean == math.fsum(values) / 12


@pytest.mark.parametrize(
    ("differences", "weights", "groups", "words"),
    [
        ([], None, None, "no cases"),
        ([[1.0]], None, None, "no cases"),
        ([0.1, math.nan], None, None, "no number"),
        ([0.1, math.inf], None, None, "no number"),
        ([0.1, 0.2], [1.0], None, "different lengths"),
        ([0.1, 0.2], None, ["x"], "different lengths"),
        ([0.1, 0.2], [1.0, 0.0], None, "not above 0"),
        ([0.1, 0.2], [1.0, math.nan], None, "not above 0"),
        ([1e300, 0.2], None, None, "out of reach"),
        ([0.1, 0.2], [1.0, 1e300], None, "out of reach"),
        ([0.1, 0.2], [1.0, 1e-300], None, "out of reach"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    differences: list[float], weights: list[float] | None, groups: list[str] | None, words: str
) -> None:
    with pytest.raises(InputError, match=words):
        Paired.of(differences, weights, groups)


@given(
    st.lists(st.tuples(st.floats(-1e60, 1e60), st.floats(1e-59, 1e60)), min_size=1, max_size=30),
    st.none() | st.floats(1e-60, 1e60),
)
def test_any_numbers_within_reach_give_a_result(rows: list[tuple[float, float]], scale: float | None) -> None:
    found = compare_paired([row[0] for row in rows], [row[1] for row in rows], scale=scale, resamples=200)
    assert 0 < found.p <= 1
    bounds = (found.low, found.high, found.detectable, found.effect)
    assert all(bound is None or math.isfinite(bound) for bound in bounds)


@pytest.mark.parametrize("scale", [0.0, -1.0, math.nan, math.inf])
def test_a_scale_that_is_none_is_refused(scale: float) -> None:
    with pytest.raises(InputError, match="scale"):
        compare_paired([0.1, 0.2], scale=scale)
