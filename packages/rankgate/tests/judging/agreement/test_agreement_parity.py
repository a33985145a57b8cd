"""Agreement is that of statsmodels and of the `krippendorff` package, to 1e-9."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rankgate.judging.agreement.alpha import coincidence_sums, krippendorff_alpha
from rankgate.judging.agreement.kappa import cohen_kappa, confusion_sums, fleiss_kappa, fleiss_sums
from rankgate.judging.agreement.measure import group_agreement, pair_agreement
from rankgate.judging.agreement.ratings import Rating, Ratings

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.judging.agreement.alpha import Level
    from rankgate.judging.agreement.kappa import Weights

LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")
WEIGHTS: tuple[tuple[Weights, str | None], ...] = (
    ("none", None),
    ("linear", "linear"),
    ("quadratic", "quadratic"),
)


def table_of(cells: list[list[float | None]]) -> Ratings:
    """Return a table, every unit with a query of its own, gaps where a cell is None."""
    rows = [
        Rating(f"j{judge}", f"u{unit}", f"q{unit}", grade)
        for unit, grades in enumerate(cells)
        for judge, grade in enumerate(grades)
    ]
    return Ratings.of(rows)


def same(found: Any, expected: float) -> bool:
    """Check that two figures are the same to 1e-9, or both undefined."""
    return bool(np.isnan(found)) if np.isnan(expected) else bool(abs(float(found) - expected) <= 1e-9)


def check_alpha(table: Ratings) -> None:
    """Check alpha at every level beside the `krippendorff` package."""
    import krippendorff

    sums = coincidence_sums(table).sum(axis=0)
    for level in LEVELS:
        expected = krippendorff.alpha(reliability_data=table.grades.T, level_of_measurement=level)
        assert same(krippendorff_alpha(sums, table.scale, level), float(expected)), level


def check_fleiss(table: Ratings) -> None:
    """Check Fleiss' kappa of a table without gaps beside statsmodels."""
    from statsmodels.stats.inter_rater import fleiss_kappa as of_statsmodels

    counts = np.stack([(table.grades == grade).sum(axis=1) for grade in table.scale], axis=-1)
    assert same(fleiss_kappa(fleiss_sums(table).sum(axis=0)), float(of_statsmodels(counts)))


def check_cohen(table: Ratings) -> None:
    """Check the kappas of two judges beside statsmodels; the scale is 0, 1, 2, …"""
    from statsmodels.stats.inter_rater import cohens_kappa

    counted = np.zeros((5, 5))
    pairs = table.shared(2).grades.astype(int)
    np.add.at(counted, (pairs[:, 0], pairs[:, 1]), 1)
    used = counted[: int(table.scale.max()) + 1, : int(table.scale.max()) + 1]
    sums = confusion_sums(table).sum(axis=0)
    for weights, theirs in WEIGHTS:
        expected = cohens_kappa(used, wt=theirs, return_results=False)
        assert same(cohen_kappa(sums, table.scale, weights), float(expected)), weights


grades = st.one_of(st.none(), st.integers(0, 4).map(float))


@given(
    st.integers(2, 6).flatmap(
        lambda many: st.lists(st.lists(grades, min_size=many, max_size=many), min_size=2)
    )
)
def test_alpha_of_drawn_tables_with_gaps_is_that_of_the_package(cells: list[list[float | None]]) -> None:
    table = table_of(cells)
    kept = table.shared(2)
    assume(len(kept.scale) > 1)
    # The package counts grades of units with one grade as part of the scale only, as is done here.
    check_alpha(table)


@given(st.lists(st.lists(st.integers(0, 4).map(float), min_size=4, max_size=4), min_size=2, max_size=40))
def test_fleiss_of_drawn_tables_is_that_of_statsmodels(cells: list[list[float]]) -> None:
    table = table_of([list(row) for row in cells])
    assume(len(table.scale) > 1)
    check_fleiss(table)


@given(st.lists(st.tuples(grades, grades), min_size=2, max_size=60))
def test_cohen_of_drawn_pairs_with_gaps_is_that_of_statsmodels(
    cells: list[tuple[float | None, float | None]],
) -> None:
    table = table_of([list(row) for row in cells])
    assume(len(table.shared(2).scale) > 1)
    check_cohen(table)


def test_three_agents_of_chorus_agree_as_both_say(shared_data: Path) -> None:
    path = shared_data / "relevance/chorus-electronics/Broad_Query_Set_individual_ratings.csv"
    with path.open(encoding="utf-8", newline="") as lines:
        read = list(csv.DictReader(lines))
    rows = [
        Rating(
            f"agent {agent}",
            row["docid"],
            row["query"],
            float(said) if (said := row[f"agent_{agent}_rating"]) else None,
        )
        for row in read
        for agent in (1, 2, 3)
    ]
    table = Ratings.of(rows)
    assert len(table.units) > 1000
    assert table.blocks > 50
    check_alpha(table)
    check_fleiss(table.shared(3))
    for one, other in (("agent 1", "agent 2"), ("agent 1", "agent 3"), ("agent 2", "agent 3")):
        check_cohen(table.columns([one, other]))
    for rel in (None, 2.0, 3.0):
        check_alpha(table.cut(rel))
        check_fleiss(table.cut(rel).shared(3))


def test_the_many_judges_of_chorus_with_their_gaps_agree_as_both_say(shared_data: Path) -> None:
    path = shared_data / "relevance/chorus-electronics/haystack_rating_party.pseudonymised.jsonl"
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        pair = json.loads(line)
        for said in pair["judgements"]:
            grade = None if said["unrateable"] or said["judge_later"] else said["rating"]
            rows.append(Rating(said["judge"], pair["doc_id"], pair["query"], grade))
    table = Ratings.of(rows)
    assert len(table.judges) > 10
    assert not table.graded.all()
    check_alpha(table)
    check_alpha(table.cut(2))
    several = group_agreement(table)
    assert several.ordinal.value is not None
    shared = [
        (one, other)
        for at, one in enumerate(table.judges)
        for other in table.judges[at + 1 :]
        if len(table.columns([one, other]).shared(2).units) >= 20
    ]
    assert shared
    for one, other in shared:
        table_of_two = table.columns([one, other]).shared(2)
        if len(table_of_two.scale) > 1:
            check_cohen(table_of_two)


@pytest.mark.parametrize("units", [240])
def test_the_interval_is_near_to_that_of_statsmodels_where_every_pair_is_a_query_of_its_own(
    units: int,
) -> None:
    from statsmodels.stats.inter_rater import cohens_kappa

    chance = np.random.default_rng(1)
    one = chance.integers(0, 4, units)
    other = np.clip(one + chance.choice([-1, 0, 0, 0, 1], units), 0, 3)
    found = pair_agreement(table_of([[float(a), float(b)] for a, b in zip(one, other, strict=True)]))
    table = np.zeros((4, 4))
    np.add.at(table, (one, other), 1)
    expected = cohens_kappa(table, wt="quadratic")
    assert found.quadratic.value == pytest.approx(expected.kappa, abs=1e-9)
    assert found.quadratic.low == pytest.approx(expected.kappa_low, abs=0.015)
    assert found.quadratic.high == pytest.approx(expected.kappa_upp, abs=0.015)
