"""The pairs that were labelled blind: that they are what METHOD.md says, and that kappa is kappa."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rankgate as rg
from reference_support.kappa import agreement, quadratic_kappa
from reference_support.labelled_pairs import METHOD, SUITES, agreement_table, read_labels, read_pairs


@given(st.lists(st.lists(st.integers(0, 30), min_size=4, max_size=4), min_size=4, max_size=4))
def test_quadratic_kappa_is_that_of_statsmodels(table: list[list[int]]) -> None:
    from statsmodels.stats.inter_rater import cohens_kappa

    counted = np.array(table)
    assume(np.count_nonzero(counted.sum(axis=0) + counted.sum(axis=1)) > 1)
    assume(np.count_nonzero(counted.sum(axis=0)) > 1 or np.count_nonzero(counted.sum(axis=1)) > 1)
    expected = cohens_kappa(counted, wt="quadratic", return_results=False)
    assert quadratic_kappa(table) == pytest.approx(expected, abs=1e-12)


def test_the_interval_is_near_to_that_of_statsmodels_where_every_pair_is_a_query_of_its_own() -> None:
    from statsmodels.stats.inter_rater import cohens_kappa

    chance = np.random.default_rng(1)
    one = chance.integers(0, 4, 240)
    other = np.clip(one + chance.choice([-1, 0, 0, 0, 1], 240), 0, 3)
    found = agreement(one.tolist(), other.tolist(), [str(at) for at in range(240)])
    table = np.zeros((4, 4))
    np.add.at(table, (one, other), 1)
    expected = cohens_kappa(table, wt="quadratic")
    assert found.low == pytest.approx(expected.kappa_low, abs=0.015)
    assert found.high == pytest.approx(expected.kappa_upp, abs=0.015)


def test_pairs_of_one_query_widen_the_interval() -> None:
    """Copied four times within their queries, labels say no more than before."""
    one, other = [0, 3, 1, 2, 0, 3, 2, 1] * 5, [0, 3, 1, 2, 1, 2, 2, 0] * 5
    apart = agreement(one * 4, other * 4, [str(at) for at in range(160)])
    together = agreement(one * 4, other * 4, [str(at) for at in range(40)] * 4)
    assert together.high - together.low > 1.5 * (apart.high - apart.low)


def test_half_of_the_pairs_were_found_and_not_judged_and_all_are_labelled_twice() -> None:
    pairs = read_pairs()
    assert len(pairs) >= 200
    assert 2 * sum(pair.grade is None for pair in pairs) == len(pairs)
    for who in "ab":
        labels = read_labels(who)
        assert labels.keys() == {pair.pair for pair in pairs}
        assert set(labels.values()) <= {0, 1, 2, 3}


def test_what_was_labelled_still_says_what_it_said() -> None:
    suites = {name: rg.load_suite(SUITES / name / f"{name}.yaml") for name in ("handbook", "operations")}
    opened = {
        name: rg.open_source(suite.corpus, rg.OpenContext(SUITES / name, SUITES / name))
        for name, suite in suites.items()
        if suite.corpus is not None
    }
    cases = {(name, case.id) for name, suite in suites.items() for case in suite.cases}
    for pair in read_pairs():
        assert (pair.suite, pair.case) in cases
        name, _, lines = pair.place.partition(":")
        text = opened[pair.suite].text(name)
        if lines:
            start, end = map(int, lines.split("-"))
            text = "\n".join(text.split("\n")[start - 1 : end])
        assert hashlib.sha256(text.encode()).hexdigest()[:16] == pair.text, pair


def test_the_table_is_that_of_the_labels() -> None:
    assert agreement_table() in METHOD.read_text(encoding="utf-8")
