"""Fingerprints and anchors: names that stay the same for as long as the content does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.locations import Lines, Location
from rankgate.model import Case, Matching, Suite, Target, anchor, canonical_json, fingerprint

SUITE = Suite(
    name="handbook",
    cases=(
        Case(
            "rotate-key",
            "rotate an API key",
            targets=(
                Target(Location(path="auth/keys.md", lines=Lines(40, 62)), grade=2.0),
                Target(Location.of_id("doc-17"), grade=0.0, group="g", reviewed=False),
            ),
            tags=frozenset({"b", "a", "c"}),
            weight=2.0,
        ),
        Case("nothing", "blockchain", expect_empty=True),
    ),
    matching=Matching(min_fraction=0.5),
    max_grade=3.0,
)


def test_the_fingerprint_of_a_suite_is_the_one_that_runs_were_stored_with() -> None:
    """Another digest makes every stored run a run of another suite: it needs a new schema version."""
    assert SUITE.fingerprint == "feb1b32c17679e9071be241cf462fb56e336f3932d7f97f879aad8b6b2f2bf8c"


def test_the_anchor_of_a_text_is_the_one_that_suites_were_stored_with() -> None:
    assert anchor("def f():\n    return 1\n") == "8795b1c438f59538"


@pytest.mark.parametrize(
    "change",
    [
        Suite("other", SUITE.cases, matching=SUITE.matching, max_grade=3.0),
        Suite("handbook", SUITE.cases[:1], matching=SUITE.matching, max_grade=3.0),
        Suite("handbook", SUITE.cases[::-1], matching=SUITE.matching, max_grade=3.0),
        Suite("handbook", SUITE.cases, max_grade=3.0),
        Suite("handbook", SUITE.cases, matching=SUITE.matching),
        Suite("handbook", SUITE.cases, metrics=("rr",), matching=SUITE.matching, max_grade=3.0),
    ],
)
def test_a_change_changes_the_fingerprint(change: Suite) -> None:
    assert change.fingerprint != SUITE.fingerprint


def test_the_order_of_keys_and_tags_is_no_content() -> None:
    assert fingerprint({"a": 1, "b": {"c": 2, "d": 3}}) == fingerprint({"b": {"d": 3, "c": 2}, "a": 1})
    one, other = (Case("i", "q", tags=frozenset(tags)) for tags in ("abcdefgh", "hgfedcba"))
    assert fingerprint(one) == fingerprint(other)


def test_where_a_case_was_written_is_no_content() -> None:
    assert fingerprint(Case("i", "q", where="a.yaml:1:1")) == fingerprint(Case("i", "q", where="b.yaml:9:9"))


def test_nan_has_no_spelling() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json({"a": float("nan")})


def test_characters_are_written_as_they_are() -> None:
    assert canonical_json({"ü": ("é", None, True, 1.5)}) == '{"ü":["é",null,true,1.5]}'


@given(
    st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029")))
)
def test_line_ends_and_space_at_the_ends_of_lines_do_not_move_an_anchor(lines: list[str]) -> None:
    plain = anchor("\n".join(lines))
    assert anchor("\r\n".join(line + " \t" for line in lines)) == anchor(
        "\n".join(lines + [""] * bool(lines))
    )
    assert plain == anchor("\r".join(lines))


@pytest.mark.parametrize("other", ["x = 2", " x = 1", "x  = 1", "\nx = 1", "X = 1"])
def test_every_other_change_moves_an_anchor(other: str) -> None:
    assert anchor(other) != anchor("x = 1")


def test_a_field_that_has_its_default_does_not_count() -> None:
    """So that a later version can add one without renaming every suite."""
    assert fingerprint(Target(Location.of_id("a"))) == fingerprint(
        Target(Location.of_id("a"), 1.0, group=None)
    )
    assert fingerprint(Target(Location.of_id("a"))) != fingerprint(Target(Location.of_id("a"), group="g"))
