"""What is expected of a metric given one unit, beside brute force over everything the others may be."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from rankgate.judging.order.expected import Prospects, of_first, of_sum
from rankgate.scoring.expressions import parse

RANKS = np.array([1, 3, 2, 5])
CHANCE = np.array([0.3, 0.6, 0.1, 0.5])


def prospects() -> Prospects:
    return Prospects(np.zeros(4, dtype=np.int64), np.stack([1 - CHANCE, CHANCE], axis=1), np.array([1.0]), 1)


def brute_force(metric: str, given: tuple[int, int] | None) -> float:
    """Average over all gradings that have one unit as it is given."""
    total = weight = 0.0
    for grades in product((0, 1), repeat=4):
        if given is not None and grades[given[0]] != given[1]:
            continue
        chance = float(np.prod(np.where(grades, CHANCE, 1 - CHANCE)))
        found = sorted(rank for rank, grade in zip(RANKS, grades, strict=True) if grade)
        value = {"rr": 1 / found[0] if found else 0.0, "p@5": len(found) / 5}[metric]
        total, weight = total + chance * value, weight + chance
    return total / weight


@pytest.mark.parametrize("metric", ["rr", "p@5"])
def test_values_and_what_each_unit_makes_of_them_are_exact(metric: str) -> None:
    worth = parse(metric).worth
    assert worth is not None
    weight, nothing = worth.weight(RANKS, np.full(4, 5)), np.zeros(1)
    if worth.first_only:
        found = of_first(worth, prospects(), weight, nothing)
    else:
        found = of_sum(worth, prospects(), weight, nothing, np.zeros((1, 1)))
    assert found.value[0] == pytest.approx(brute_force(metric, None))
    for unit, grade in product(range(4), (0, 1)):
        assert found.given[unit, grade] == pytest.approx(brute_force(metric, (unit, grade)))


def test_a_first_relevant_hit_that_is_known_leaves_those_below_without_effect() -> None:
    worth = parse("rr").worth
    assert worth is not None
    found = of_first(worth, prospects(), worth.weight(RANKS, RANKS), np.array([0.5]))
    assert found.given[1].tolist() == found.given[2].tolist() == [found.value[0]] * 2
    assert found.given[0] == pytest.approx([0.5, 1.0])


def test_a_ratio_comes_near_its_expectation_and_a_known_ideal_is_kept() -> None:
    worth = parse("ndcg@10").worth
    assert worth is not None
    weight, known = worth.weight(RANKS, RANKS), np.array([[10.0]])
    found = of_sum(worth, prospects(), weight, np.zeros(1), known)
    ideal = float((1 / np.log2(np.arange(1, 11) + 1.0)).sum())
    assert found.value[0] == pytest.approx(float(CHANCE @ weight) / ideal)
    sparse = of_sum(worth, prospects(), weight, np.zeros(1), np.zeros((1, 1)))
    assert 0 < sparse.given[0, 0] < sparse.value[0] < sparse.given[0, 1] <= 1
