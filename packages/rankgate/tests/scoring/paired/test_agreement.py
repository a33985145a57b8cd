"""Rank-biased overlap and overlap@k, by hand and by what must hold of any two lists."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.errors import InputError
from rankgate.scoring.paired.agreement import overlap, rank_biased_overlap

lists = st.lists(st.integers(0, 30), max_size=15)


def test_lists_of_equal_length_by_hand() -> None:
    """Shared down to ranks 1, 2, 3: 1, 1 and 3."""
    p = 0.9
    expected = (1 - p) / p * (p + p**2 / 2 + p**3) + p**3
    assert rank_biased_overlap("abc", "acb") == pytest.approx(expected, abs=1e-15)
    assert expected == pytest.approx(0.955)


def test_lists_of_unequal_length_by_hand() -> None:
    """Shared down to ranks 1 to 4: 0, 1, 2 and 2, and 1 at the end of the short list, rank 2."""
    p = 0.8
    shared = p**2 / 2 + p**3 * 2 / 3 + p**4 * 2 / 4
    beyond = p**3 / 6 + p**4 * 2 / 8
    expected = (1 - p) / p * (shared + beyond) + ((2 - 1) / 4 + 1 / 2) * p**4
    assert rank_biased_overlap("ab", "bcad", p=p) == pytest.approx(expected, abs=1e-15)


def test_a_short_list_that_begins_a_long_one_agrees_wholly() -> None:
    assert rank_biased_overlap("ab", "abcdef") == pytest.approx(1.0)


@given(lists, lists, st.floats(0.1, 0.99))
def test_it_lies_between_0_and_1_and_has_no_direction(one: list[int], other: list[int], p: float) -> None:
    found = rank_biased_overlap(one, other, p=p)
    assert 0 <= found <= 1
    assert found == rank_biased_overlap(other, one, p=p)


@given(lists, st.floats(0.1, 0.99))
def test_equal_lists_give_1_and_those_that_share_nothing_0(one: list[int], p: float) -> None:
    assert rank_biased_overlap(one, one, p=p) == pytest.approx(1.0, abs=1e-12)
    assert rank_biased_overlap(one, [-1 - item for item in one], p=p) == (0 if one else 1)
    assert overlap(one, one, 5) == 1


@given(st.permutations(range(12)), st.integers(0, 9))
def test_a_swap_at_the_top_counts_more_than_the_same_swap_below(order: list[int], place: int) -> None:
    def swapped(at: int) -> list[int]:
        return [*order[:at], order[at + 1], order[at], *order[at + 2 :]]

    assert rank_biased_overlap(order, swapped(place)) < rank_biased_overlap(order, swapped(place + 1))


@given(lists, lists, st.integers(1, 20))
def test_overlap_is_the_share_of_the_longer_top(one: list[int], other: list[int], k: int) -> None:
    found = overlap(one, other, k)
    first, second = (list(dict.fromkeys(each))[:k] for each in (one, other))
    common = sum(item in second for item in first)
    assert found == (common / max(len(first), len(second)) if first or second else 1)


def test_a_repeated_item_counts_once() -> None:
    assert rank_biased_overlap("aab", "ab") == rank_biased_overlap("ab", "ab")
    assert overlap("aab", "ab", 2) == 1


def test_an_empty_list_agrees_with_an_empty_one_alone() -> None:
    assert rank_biased_overlap([], []) == overlap([], [], 3) == 1
    assert rank_biased_overlap([], "a") == overlap("a", [], 3) == 0


def test_a_wrong_p_or_k_is_refused() -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        rank_biased_overlap("a", "b", p=1.0)
    with pytest.raises(InputError, match="at least 1"):
        overlap("a", "b", 0)
