"""Words of queries beside those of targets."""

from __future__ import annotations

import pytest

from rankgate.truth.facts.words import Spelling, compare_words
from rankgate.truth.words import Stems


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("crete", "create"),
        ("ceate", "create"),
        ("craete", "create"),
        ("createe", "create"),
        ("xreate", "create"),
        ("creates", None),
        ("cret", None),
        ("cta", None),
        ("isue", "issue"),
        ("créate", "create"),
    ],
)
def test_a_word_one_slip_away_is_recognised(word: str, meant: str | None) -> None:
    assert Spelling(["create", "issue", "cat"]).correction(word) == meant


def test_a_form_is_no_slip_and_a_slip_no_form() -> None:
    found = compare_words("rotating sekrets daily", "Rotate secrets once a day.", Stems())
    assert found.forms == {"rotating": "rotate"}
    assert found.slips == {"sekrets": "secrets"}
    assert found.with_words(found.slips) == "rotating secrets daily"


@pytest.mark.parametrize(
    ("query", "target", "shared"),
    [
        ("cancel my plan", "End a subscription.", False),
        ("how do I do this", "End a subscription.", True),  # nothing but words that say nothing: left open
        ("subscriptions", "End a subscription.", True),
        ("rotate", "def rotateKeys(): ...", True),
        ("鍵を交換する", "secrets are exchanged", True),  # words are not parted: left open
    ],
)
def test_that_no_word_is_shared_is_said_only_where_it_is_certain(
    query: str, target: str, *, shared: bool
) -> None:
    assert compare_words(query, target, Stems()).shared is shared
