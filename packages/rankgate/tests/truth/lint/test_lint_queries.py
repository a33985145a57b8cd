"""Near duplicates, beside an oracle that compares all queries with all."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.model import Case, Suite
from rankgate.truth.lint import Finding, lint
from rankgate.truth.lint.queries import ComparedQuery, NearDuplicates
from support.timing import least_seconds

WORDS = [
    "rotate",
    "rotaet",
    "rotates",
    "key",
    "keys",
    "secret",
    "token",
    "toxen",
    "tokens",
    "expire",
    "cloud",
]


def near(*cases: Case) -> list[Finding]:
    return [each for each in lint(Suite("s", cases)) if each.rule == "near-duplicate-query"]


def pair(one: str, other: str, **more: object) -> list[Finding]:
    return near(Case("a", one), Case("b", other, **more))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rotate an API key", "how to rotate API keys"),
        ("rotating keys", "key rotation"),
        ("revoke a token", "revoke a tokne"),
        ("revoke a token", "revoke a tokken"),
        ("retry failed webhook deliveries", "retry failed webhook deliveries automatically"),
    ],
)
def test_queries_that_are_nearly_the_same_are_told_with_a_group_to_give_them(one: str, other: str) -> None:
    (told,) = pair(one, other)
    assert told.case == "b"
    assert "give both group: a" in told.message


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rotate an API key", "revoke an API key"),
        ("error 404 page", "error 403 page"),
        ("python 3.10 release", "python 3.11 release"),
        ("read the file", "lead the file"),
        ("rotate a key", "rotate a key in production"),
        ("rotate keys", "do not rotate keys"),
        ("Rotate a key", "rotate a key?"),
    ],
)
def test_queries_that_ask_for_something_else_are_left_alone(one: str, other: str) -> None:
    assert pair(one, other) == []


def test_of_long_queries_what_differs_is_shown() -> None:
    words = "articles published in open access format are said to be cited by other authors in the field"
    (told,) = pair(f"{words} more often", f"{words} often")
    assert "nearly the query (with 'more') of case a" in told.message
    (told,) = pair(f"{words} often", f"{words} not often")
    assert "nearly the query (without 'not') of case a" in told.message


def test_cases_of_one_group_are_known_to_be_alike_and_two_groups_are_not() -> None:
    first = Case("a", "rotate an API key", group="g")
    assert near(first, Case("b", "rotating API keys", group="g")) == []
    assert len(near(first, Case("b", "rotating API keys", group="h"))) == 1
    (told,) = near(first, Case("b", "rotating API keys"))
    assert "give both group: g" in told.message


def test_cases_of_other_slices_and_filters_are_not_compared() -> None:
    assert pair("rotate keys", "rotating keys", category="x") == []
    assert pair("rotate keys", "rotating keys", filters={"language": "go"}) == []


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0


def distance(one: str, other: str) -> int:
    """Damerau-Levenshtein (optimal string alignment), by the textbook."""
    rows = {(row, -1): row + 1 for row in range(-1, len(one))}
    rows |= {(-1, column): column + 1 for column in range(-1, len(other))}
    for row, a in enumerate(one):
        for column, b in enumerate(other):
            best = min(
                rows[row - 1, column] + 1,
                rows[row, column - 1] + 1,
                rows[row - 1, column - 1] + (a != b),
            )
            if row and column and a == other[column - 1] and one[row - 1] == b:
                best = min(best, rows[row - 2, column - 2] + 1)
            rows[row, column] = best
    return rows[len(one) - 1, len(other) - 1]


def slip(one: str, other: str) -> bool:
    left, right = one.split(" "), other.split(" ")
    if len(left) != len(right):
        return False
    unlike = [(a, b) for a, b in zip(left, right, strict=True) if a != b]
    return (
        len(unlike) == 1
        and max(map(len, unlike[0])) >= 5
        and all(word.isalpha() for word in unlike[0])
        and distance(*unlike[0]) == 1
    )


def oracle(queries: list[ComparedQuery]) -> list[tuple[int, int]]:
    found = []
    for second, one in enumerate(queries):
        for first, other in enumerate(queries[:second]):
            if (
                one.apart == other.apart
                and one.folded != other.folded
                and (one.group is None or one.group != other.group)
                and (jaccard(one.stems, other.stems) >= 0.8 or slip(one.folded, other.folded))
            ):
                found.append((first, second))
                break
    return found


def asked(words: list[str], apart: int, group: str | None) -> ComparedQuery:
    stems = frozenset(word.removesuffix("s") for word in words)
    return ComparedQuery(" ".join(words), stems, apart, group)


@given(
    st.lists(
        st.builds(
            asked,
            st.lists(st.sampled_from(WORDS), min_size=1, max_size=8),
            st.integers(0, 1),
            st.sampled_from([None, None, "g", "h"]),
        ),
        max_size=30,
    )
)
def test_the_index_finds_what_comparing_all_with_all_finds(queries: list[ComparedQuery]) -> None:
    alike = NearDuplicates(queries)
    assert list(alike.pairs()) == oracle(queries)
    assert alike.unfinished is None


@given(st.lists(st.text("abc", min_size=3, max_size=7), max_size=40))
def test_slips_of_single_words_are_found_as_by_comparing_all_with_all(words: list[str]) -> None:
    queries = [ComparedQuery(word, frozenset([word]), None, None) for word in words]
    assert list(NearDuplicates(queries).pairs()) == oracle(queries)


def test_the_index_agrees_with_the_oracle_on_long_random_queries() -> None:
    draw = random.Random(4)
    vocabulary = [f"word{letter}" for letter in "abcdefghijklmnopqrst"]
    queries = [asked(draw.sample(vocabulary, draw.randint(9, 14)), 0, None) for _ in range(300)]
    expected = oracle(queries)
    assert len(expected) > 20
    assert list(NearDuplicates(queries).pairs()) == expected


def test_ten_thousand_queries_take_far_less_than_all_pairs_would() -> None:
    draw = random.Random(5)
    vocabulary = ["".join(draw.choices("abcdefghijklmnop", k=7)) for _ in range(4000)]
    queries = [asked(draw.sample(vocabulary, draw.randint(3, 7)), 0, None) for _ in range(10_000)]
    assert least_seconds(lambda: list(NearDuplicates(queries).pairs()), enough=3) < 10


def test_queries_that_all_share_their_words_do_not_hang_and_the_rest_is_counted() -> None:
    draw = random.Random(6)
    vocabulary = [f"word{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    queries = [" ".join(draw.sample(vocabulary, 18)) for _ in range(4000)]
    cases = [Case(str(number), query) for number, query in enumerate(queries)]
    start = time.process_time()
    told = near(*cases)
    assert time.process_time() - start < 20
    assert told[-1].message.startswith("found too many queries alike to compare: ")
