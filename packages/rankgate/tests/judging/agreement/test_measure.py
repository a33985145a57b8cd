"""What figures of agreement are, where they are undefined, and how queries make their intervals."""

from __future__ import annotations

import time

import numpy as np
import pytest

from rankgate.errors import InputError
from rankgate.judging.agreement.kappa import confusion_sums
from rankgate.judging.agreement.measure import group_agreement, pair_agreement
from rankgate.judging.agreement.ratings import Rating, Ratings


def two(one: list[float], other: list[float], queries: list[str]) -> Ratings:
    rows = []
    for at, (a, b, query) in enumerate(zip(one, other, queries, strict=True)):
        rows += [Rating("ada", f"u{at}", query, a), Rating("bo", f"u{at}", query, b)]
    return Ratings.of(rows)


def test_kappa_of_a_table_worked_by_hand() -> None:
    """20 both yes, 15 both no, 10 and 5 apart: 0.7 observed, 0.5 by chance."""
    one = [1.0] * 25 + [0.0] * 25
    other = [1.0] * 20 + [0.0] * 5 + [1.0] * 10 + [0.0] * 15
    found = pair_agreement(two(one, other, [f"q{at}" for at in range(50)]))
    assert found.same.value == pytest.approx(0.7)
    assert found.kappa.value == pytest.approx(0.4)
    assert found.cuts[0].kappa == found.kappa


def test_pairs_of_one_query_widen_the_interval() -> None:
    """Copied four times within their queries, grades say no more than before."""
    one, other = [0.0, 3, 1, 2, 0, 3, 2, 1] * 5, [0.0, 3, 1, 2, 1, 2, 2, 0] * 5
    apart = pair_agreement(two(one * 4, other * 4, [str(at) for at in range(160)])).quadratic
    together = pair_agreement(two(one * 4, other * 4, [str(at) for at in range(40)] * 4)).quadratic
    assert None not in (apart.low, apart.high, together.low, together.high)
    assert together.high - together.low > 1.5 * (apart.high - apart.low)  # type: ignore[operator]


def test_where_all_said_the_same_kappa_and_alpha_are_none_and_raw_agreement_is_whole() -> None:
    table = two([2.0] * 10, [2.0] * 10, [str(at) for at in range(10)])
    found, several = pair_agreement(table), group_agreement(table)
    assert found.same.value == 1.0
    undefined = (found.kappa, found.linear, found.quadratic, found.cuts[0].kappa, several.fleiss)
    assert [one.value for one in (*undefined, several.nominal, several.ordinal, several.interval)] == [
        None
    ] * 8
    assert [one.low for one in undefined] == [None] * 5


def test_no_unit_in_common_is_no_figure() -> None:
    table = Ratings.of([Rating("ada", "u1", "q", 1), Rating("bo", "u2", "q", 1)])
    found = pair_agreement(table)
    assert (found.units, found.same.value, found.quadratic.value) == (0, None, None)
    assert group_agreement(table).fleiss.value is None


def test_one_query_has_figures_and_no_interval() -> None:
    found = pair_agreement(two([0.0, 1, 2, 3], [0.0, 1, 2, 2], ["q"] * 4))
    assert found.quadratic.value is not None
    assert found.quadratic.low is None


def test_an_interval_that_hangs_on_single_units_is_none() -> None:
    """One unit of thirty is not 0: a third of the resamples are without it, and have no kappa."""
    found = pair_agreement(two([0.0] * 29 + [1], [0.0] * 29 + [1], [str(at) for at in range(30)]))
    assert found.kappa.value == 1.0
    assert found.kappa.low is None


def test_who_never_disagreed_has_a_kappa_of_1_and_no_interval() -> None:
    found = pair_agreement(two([0.0, 1, 2, 3] * 8, [0.0, 1, 2, 3] * 8, [str(at) for at in range(32)]))
    assert (found.quadratic.value, found.quadratic.low, found.quadratic.high) == (1.0, None, None)


def test_a_grade_that_was_given_later_counts_and_an_unsure_one_is_a_gap() -> None:
    table = Ratings.of(
        [
            Rating("ada", "u1", "q", 1),
            Rating("ada", "u1", "q", 3),
            Rating("bo", "u1", "q", 2),
            Rating("bo", "u1", "q", None),
        ]
    )
    assert table.grades[0, 0] == 3
    assert np.isnan(table.grades[0, 1])


def test_the_same_location_under_two_queries_is_two_units() -> None:
    table = Ratings.of([Rating("ada", "a.md:1-9", "q1", 1), Rating("ada", "a.md:1-9", "q2", 2)])
    assert table.grades[:, 0].tolist() == [1.0, 2.0]


def test_distances_are_those_of_grades_and_not_of_their_numbers() -> None:
    """A scale of 0, 1 and 10: from 1 to 10 is nine times as far as from 0 to 1."""
    near = pair_agreement(two([0.0, 0, 1, 10] * 5, [0.0, 1, 1, 10] * 5, [str(at) for at in range(20)]))
    far = pair_agreement(two([0.0, 1, 1, 10] * 5, [0.0, 10, 1, 10] * 5, [str(at) for at in range(20)]))
    assert near.quadratic.value is not None
    assert far.quadratic.value is not None
    assert near.quadratic.value > far.quadratic.value + 0.1


def test_a_cut_parts_grades_as_the_metric_with_it_does() -> None:
    table = two([0.0, 1, 2, 3], [0.0, 2, 1, 3], ["a", "b", "c", "d"])
    found = pair_agreement(table, (None, 2.0))
    assert [(one.words, one.same.value) for one in found.cuts] == [("grade > 0", 1.0), ("grade >= 2", 0.5)]


def test_cohens_kappa_is_of_two_judges() -> None:
    table = Ratings.of([Rating(who, "u", "q", 1) for who in ("ada", "bo", "cy")])
    with pytest.raises(InputError, match="found 3 judges, expected two judges"):
        confusion_sums(table)


def test_the_interval_is_the_same_every_time() -> None:
    table = two([0.0, 1, 2, 3] * 8, [0.0, 1, 3, 3] * 8, [str(at) for at in range(32)])
    assert pair_agreement(table) == pair_agreement(table)


def test_ten_thousand_units_of_a_thousand_queries_take_seconds() -> None:
    chance = np.random.default_rng(3)
    one = chance.integers(0, 4, 10_000).astype(float)
    other = np.clip(one + chance.choice([-1, 0, 0, 1], 10_000), 0, 3)
    table = two(one.tolist(), other.tolist(), [str(at % 1000) for at in range(10_000)])
    start = time.perf_counter()
    pair_agreement(table, (None, 2.0))
    assert time.perf_counter() - start < 10
