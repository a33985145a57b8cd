"""Holm's adjusted p values are those of statsmodels."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankgate.scoring.paired.compare import holm


@settings(max_examples=15)  # statsmodels collects garbage at every call
@given(st.lists(st.floats(0, 1) | st.sampled_from((0.0, 0.01, 0.05, 1.0)), min_size=1, max_size=30))
def test_adjusted_values_are_those_of_statsmodels(values: list[float]) -> None:
    from statsmodels.stats.multitest import multipletests

    assert holm(values) == pytest.approx(multipletests(values, method="holm")[1].tolist(), abs=1e-12, rel=0)


def test_the_textbook_example() -> None:
    assert holm([0.01, 0.02, 0.03, 0.005]) == pytest.approx([0.03, 0.04, 0.04, 0.02])


def test_one_claim_is_not_adjusted_and_none_gives_none() -> None:
    assert holm([0.04]) == [0.04]
    assert holm([]) == []
