"""How well the search finds what people look for."""

import pytest
from app import search


@pytest.fixture(scope="module")
def results(rankgate):
    return rankgate("../search.yaml", system=search)


def test_the_right_section_comes_early(results):
    assert results.ndcg(10) >= 0.85


def test_little_is_missed(results):
    assert results.recall(5) >= 0.9
    assert results["rr"] >= 0.8


def test_rotation_comes_before_revocation(results):
    rotate = results.query("rotate an API key")
    assert rotate.rank_of("api-keys.md#Rotate a key") < rotate.rank_of("api-keys.md#Revoke a key")


def test_a_leaked_key_is_revoked(results):
    leaked = results.query("my key leaked")
    assert leaked.rank_of("api-keys.md#Revoke a key") == 1
    assert "api-keys.md#Rotate a key" in leaked.top(5)
