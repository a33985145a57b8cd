"""How well the search finds what people look for."""

import pytest
from app import search


@pytest.fixture(scope="module")
def results(rankgate):
    return rankgate("../search.yaml", system=search)


def test_the_right_section_comes_early(results):
    assert results.ndcg(10) >= 0.8
    assert results["rr"] >= 0.75


def test_nothing_is_missed(results):
    assert results.recall(5) >= 0.9


def test_a_leaked_key_is_revoked_first(results):
    leaked = results.query("my key leaked")
    assert leaked.rank_of("api-keys.md#Revoke a key") == 1
    assert "api-keys.md#Rotate a key" in leaked.top(5)
