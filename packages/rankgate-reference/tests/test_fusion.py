from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankgate as rg
from rankgate_reference.documents.nodes import nodes_of
from rankgate_reference.vectors.fusion import K, by_ranks, by_scores, load_reranker, reranked

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    Fuse = Callable[[list[dict[str, float]], list[float]], dict[str, float]]

SCORES = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0, 100, width=32), max_size=8)
LISTS = st.lists(st.tuples(SCORES, st.floats(0, 1)), min_size=1, max_size=4)
NODES = nodes_of("keys.md", "# Keys\n\n## One\n\nFirst.\n\n## Two\n\nSecond.\n")


@given(LISTS, st.randoms(use_true_random=False))
@pytest.mark.parametrize("fuse", [by_ranks, by_scores])
def test_neither_the_order_of_lists_nor_that_in_them_changes_a_digit(
    fuse: Fuse, lists: list[tuple[dict[str, float], float]], chance: random.Random
) -> None:
    mixed = [(dict(chance.sample(list(one.items()), len(one))), weight) for one, weight in lists]
    chance.shuffle(mixed)
    one, other = (
        fuse([scores for scores, _ in pairs], [weight for _, weight in pairs]) for pairs in (lists, mixed)
    )
    assert one == other


@given(SCORES, SCORES)
@pytest.mark.parametrize("fuse", [by_ranks, by_scores])
def test_weights_of_1_and_0_give_one_list(fuse: Fuse, one: dict[str, float], other: dict[str, float]) -> None:
    found = fuse([one, other], [1.0, 0.0])
    assert found.keys() == one.keys()
    order = sorted(one, key=lambda id_: one[id_])
    assert [found[id_] for id_ in order] == sorted(found.values())
    assert found == fuse([other, one], [0.0, 1.0])


@given(SCORES, SCORES, st.floats(0.125, 0.875))
def test_what_both_lists_place_higher_is_placed_higher(
    one: dict[str, float], other: dict[str, float], share: float
) -> None:
    found = by_ranks([one, other], [share, 1 - share])
    both = one.keys() & other.keys()
    for first in both:
        for second in both:
            if one[first] > one[second] and other[first] > other[second]:
                assert found[first] > found[second]


@given(SCORES)
def test_scores_are_brought_between_0_and_1(scores: dict[str, float]) -> None:
    found = by_scores([scores], [1.0])
    assert all(0 <= value <= 1 for value in found.values())
    if found:
        assert max(found.values()) == 1.0


def test_three_lists_give_the_same_digits_in_any_order() -> None:
    lists: list[dict[str, float]] = [{"a": 1.0}, {"a": 2.0}, {"a": 3.0}]
    assert by_scores(lists, [0.1, 0.2, 0.3]) == by_scores(lists, [0.3, 0.2, 0.1])


def test_ranks_give_their_reciprocals_and_equal_scores_share_a_rank() -> None:
    found = by_ranks([{"a": 3.0, "b": 2.0, "c": 2.0, "d": 1.0}], [1.0])
    assert found == {"a": 1 / (K + 1), "b": 1 / (K + 2), "c": 1 / (K + 2), "d": 1 / (K + 4)}


def test_a_natural_zero_keeps_the_lowest_of_a_list_above_what_it_lacks() -> None:
    found = by_scores([{"a": 10.0, "b": 9.0}, {"a": 1.0, "c": 0.5}], [0.5, 0.5], [0.0, None])
    assert found == {"a": 1.0, "b": 0.45, "c": 0.0}


def test_a_reranker_orders_nodes_and_what_it_leaves_out_follows() -> None:
    assert reranked(load_reranker("reference_support.embedders:backwards"), "x", NODES) == [3, 2, 1, 0]
    assert reranked(load_reranker("reference_support.embedders:second_only"), "x", NODES) == [1, 0, 2, 3]


@pytest.mark.parametrize(
    "name", ["reference_support.embedders:beyond", "reference_support.embedders:NoEmbedder"]
)
def test_a_reranker_that_gives_no_positions_is_refused(name: str) -> None:
    with pytest.raises(rg.SystemFailedError, match="rerank"):
        reranked(load_reranker(name), "x", NODES)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "nowhere",
        "no.such:thing",
        "reference_support.embedders:missing",
        "reference_support.embedders:__doc__",
        ":",
        "a:b:c",
    ],
)
def test_a_reranker_that_is_not_there_is_refused(name: str) -> None:
    with pytest.raises(rg.InputError, match="rerank"):
        load_reranker(name)
