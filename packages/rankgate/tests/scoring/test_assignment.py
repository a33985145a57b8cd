"""The two assignments: exact, and safe on long chains."""

from __future__ import annotations

from itertools import combinations
from math import fsum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.scoring.assignment import heaviest, most_hits_first

worths = st.sampled_from((0.0, 0.0, 0.25, 0.5, 1.0, 2.0, 3.0)) | st.floats(0, 100, allow_subnormal=False)
tables = st.tuples(st.integers(1, 7), st.integers(1, 7)).flatmap(
    lambda shape: st.lists(
        st.lists(worths, min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]
    )
)
reaches_of = st.lists(st.lists(st.integers(0, 4), unique=True, max_size=5), max_size=6)


@given(tables)
def test_the_heaviest_assignment_weighs_what_scipy_says(table: list[list[float]]) -> None:
    from scipy.optimize import linear_sum_assignment

    weights = np.array(table)
    chosen = heaviest(weights)
    rows, columns = linear_sum_assignment(weights, maximize=True)
    assert fsum(weights[hit, target] for hit, target in chosen.items()) == pytest.approx(
        fsum(weights[rows, columns]), rel=1e-12, abs=1e-12
    )
    assert len(set(chosen.values())) == len(chosen)
    assert all(weights[hit, target] > 0 for hit, target in chosen.items())


def test_the_heaviest_assignment_of_a_large_table_weighs_what_scipy_says() -> None:
    from scipy.optimize import linear_sum_assignment

    chance = np.random.default_rng(7)
    weights = chance.random((60, 90)) * (chance.random((60, 90)) < 0.2)
    rows, columns = linear_sum_assignment(weights, maximize=True)
    chosen = heaviest(weights)
    assert fsum(weights[hit, target] for hit, target in chosen.items()) == pytest.approx(
        fsum(weights[rows, columns]), rel=1e-12
    )


def test_nothing_to_assign_is_nothing_assigned() -> None:
    assert heaviest(np.zeros((0, 3))) == heaviest(np.zeros((3, 0))) == heaviest(np.zeros((2, 2))) == {}
    assert most_hits_first([]) == most_hits_first([[], []]) == {}


def matchable(reaches: list[list[int]], hits: tuple[int, ...]) -> bool:
    """Tell by Hall's condition whether each of the hits can have a target of its own."""
    return all(
        len({target for hit in some for target in reaches[hit]}) >= len(some)
        for size in range(1, len(hits) + 1)
        for some in combinations(hits, size)
    )


@given(reaches_of)
def test_as_many_hits_as_can_be_are_matched_and_of_those_the_earliest(reaches: list[list[int]]) -> None:
    chosen = most_hits_first(reaches)
    everything = range(len(reaches))
    ways = [
        hits for size in everything for hits in combinations(everything, size + 1) if matchable(reaches, hits)
    ]
    # Combinations come in order, so of the longest the first has the earliest hits.
    longest = max(map(len, ways), default=0)
    assert tuple(chosen) == next((hits for hits in ways if len(hits) == longest), ())
    assert all(target in reaches[hit] for hit, target in chosen.items())
    assert len(set(chosen.values())) == len(chosen)


@given(reaches_of, st.integers(0, 6))
def test_the_hits_matched_above_a_cut_do_not_depend_on_what_follows(
    reaches: list[list[int]], cut: int
) -> None:
    above = [hit for hit in most_hits_first(reaches) if hit < cut]
    assert list(most_hits_first(reaches[:cut])) == above


def test_a_chain_of_five_thousand_hits_needs_no_recursion() -> None:
    """Each hit holds what the one before it could have had; the last one moves them all."""
    size = 5000
    reaches = [[hit, hit + 1] for hit in range(size)] + [[0]]
    chosen = most_hits_first(reaches)
    assert len(chosen) == size + 1
    assert chosen[size] == 0
    assert chosen[size - 1] == size


def test_five_thousand_hits_on_one_target_credit_the_first() -> None:
    assert most_hits_first([[0]] * 5000) == {0: 0}
    weights = np.full((300, 1), 1.0) / np.arange(1, 301)[:, None]
    assert heaviest(weights) == {0: 0}
