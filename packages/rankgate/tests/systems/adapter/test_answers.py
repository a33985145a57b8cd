"""Answers of user code: every shape that is documented, and an error in words for every other."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankgate.errors import SystemFailedError
from rankgate.locations import Characters, Lines, Unit
from rankgate.model import Hit, Ranking
from rankgate.runs.store.tables import Shard
from rankgate.systems.adapter.answers import ranking_of

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.mark.parametrize(
    ("item", "hit"),
    [
        ("a", Hit(id="a")),
        (7, Hit(id="7")),
        (np.int64(7), Hit(id="7")),
        (np.str_("a"), Hit(id="a")),
        (("a", 0.5), Hit(id="a", score=0.5)),
        (["a", 2], Hit(id="a", score=2.0)),
        ((3, np.float32(0.5)), Hit(id="3", score=0.5)),
        (("a", None), Hit(id="a")),
        (Hit(path="./a.md"), Hit(path="a.md")),
        ({"id": "a", "score": float("inf")}, Hit(id="a", score=float("inf"))),
        ({"path": "a.md", "lines": "10-50"}, Hit(path="a.md", lines=Lines(10, 50))),
        ({"path": "a.md", "lines": [10, 50]}, Hit(path="a.md", lines=Lines(10, 50))),
        ({"path": "a.md", "lines": "10"}, Hit(path="a.md", lines=Lines(10, 10))),
        ({"path": "a.md", "start": 10, "end": 50}, Hit(path="a.md", lines=Lines(10, 50))),
        ({"path": "a.md", "start": 10, "end": None}, Hit(path="a.md", lines=Lines(10, 10))),
        ({"text": "found", "tokens": 2}, Hit(text="found", tokens=2)),
        (Hit(id="a", tokens=3), Hit(id="a", tokens=3)),
        ({"id": "a", "fields": {"price": 1}}, Hit(id="a", fields={"price": 1})),
    ],
)
def test_a_hit_is_taken_in_every_documented_shape(item: object, hit: Hit) -> None:
    assert ranking_of([item], 10) == (Ranking((hit,)), 0)


@pytest.mark.parametrize(
    ("answer", "where", "words"),
    [
        (None, "answer", "found None, expected a list of hits.*an empty list"),
        ("doc-1", "answer", "str 'doc-1'.*with one hit in it"),
        ({"hits": []}, "answer", "return the list inside it"),
        ({"a", "b"}, "answer", "a set has no order"),
        (Hit(id="a"), "answer", "with one hit in it"),
        (3, "answer", "found int 3"),
        (pl.DataFrame({"id": ["a"]}), "answer", "one of its columns"),
        (["a", 0.3], "answer[1]", "found float 0.3, expected an id, an"),
        ([True], "answer[0]", "found bool True"),
        ([None], "answer[0]", "found None"),
        ([b"a"], "answer[0]", "found bytes b'a'"),
        ([("a", 1, 2)], "answer[0]", "found tuple"),
        ([("a", "b")], "answer[0][1]", "expected a number or None"),
        ([("a", float("nan"))], "answer[0][1]", "found NaN"),
        ([("a", 10**400)], "answer[0][1]", "no float can hold"),
        ([("a", Decimal(1))], "answer[0][1]", "found Decimal"),
        ([""], "answer[0]", "an empty id"),
        (["\ud800"], "answer[0]", "UTF-8"),
        ([{"source": "a.md"}], "answer[0]", "found the key str 'source', expected the keys id, path, start"),
        ([{"scor": 1, "id": "a"}], "answer[0]", "did you mean score"),
        ([{}], "answer[0]", "at least one of them"),
        ([{"score": 1}], "answer[0]", "a hit without id, path and text"),
        ([{"path": 5}], "answer[0].path", "a path as a string"),
        ([{"path": "a", "lines": "x"}], "answer[0].lines", "'10-50'"),
        ([{"path": "a", "lines": [5, 1]}], "answer[0].lines", "lines count from 1"),
        ([{"path": "a", "end": 3}], "answer[0]", "an end without a start"),
        ([{"path": "a", "start": 1, "lines": "1"}], "answer[0]", "one way to name them"),
        ([{"path": "a", "start": 1.5}], "answer[0].start", "a whole number"),
        ([{"path": "a", "start": 1 << 40}], "answer[0].start", "from 0 to 2147483647"),
        ([{"id": "a", "text": 3}], "answer[0].text", "a string"),
        ([{"id": "a", "tokens": -1}], "answer[0].tokens", "a whole number from 0"),
        ([{"id": "a", "tokens": 1.5}], "answer[0].tokens", "a whole number"),
        ([Hit(id=5.5)], "answer[0].id", "found float 5.5"),  # type: ignore[arg-type]
        (Ranking(("a", Hit(id="b")), tokens=-1), "answer.tokens", "a whole number from 0"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_answer_is_refused_with_its_place_and_advice(
    answer: object, where: str, words: str
) -> None:
    with pytest.raises(SystemFailedError) as caught:
        ranking_of(answer, 10)
    (problem,) = caught.value.problems
    assert problem.where == where
    assert re.search(words, str(problem)), str(problem)


def test_hits_over_k_are_cut_and_counted() -> None:
    ranking, dropped = ranking_of(["a", "b", "c", 0.5], 2)
    assert [hit.id for hit in ranking.hits] == ["a", "b"]
    assert dropped == 2


def test_a_stream_without_end_is_read_for_k_hits() -> None:
    def numbers() -> Iterator[int]:
        number = 0
        while True:
            yield number
            number += 1

    ranking, dropped = ranking_of(numbers(), 3)
    assert ([hit.id for hit in ranking.hits], dropped) == (["0", "1", "2"], 0)


class Rude:
    """Raises from every method that is called on it."""

    def __getattr__(self, name: str) -> Any:
        raise ZeroDivisionError(name)

    def __iter__(self) -> Iterator[object]:
        raise ZeroDivisionError("iter")

    def __repr__(self) -> str:
        raise ZeroDivisionError("repr")

    def __len__(self) -> int:
        raise ZeroDivisionError("len")


class RudeText(str):
    __slots__ = ()

    def __str__(self) -> str:
        raise ZeroDivisionError

    def __len__(self) -> int:
        raise ZeroDivisionError


leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.just(5000).map(lambda digits: 10**digits)
    | st.floats()
    | st.complex_numbers()
    | st.text(alphabet=st.characters(), max_size=6)
    | st.sampled_from(["a.md", "../a", "1-3", "0", "3-1", "\x1b[31m", "a\0b"])
    | st.text(max_size=4).map(RudeText)
    | st.binary(max_size=4)
    | st.decimals()
    | st.builds(Rude)
    | st.sampled_from([Rude, object(), len, iter([1, 2]), range(3), np.arange(3), np.float64("nan")])
    | st.builds(Lines, st.just(1), st.integers(1, 9))
)
fields = st.sampled_from(["id", "path", "start", "end", "lines", "score", "text", "tokens", "rubbish"])
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(fields, inner, max_size=4)
        | st.dictionaries(st.integers() | st.none(), inner, max_size=2)
        | st.builds(Hit, id=inner, path=inner, lines=inner, score=inner, text=inner, tokens=inner)
        | st.builds(Ranking, inner, tokens=inner)
        | st.lists(inner, max_size=3).map(iter)
    ),
    max_leaves=8,
)


@given(values, st.integers(0, 3))
@settings(deadline=None, max_examples=400)
def test_any_value_becomes_a_ranking_that_can_be_stored_or_an_error_of_the_system(
    answer: object, k: int
) -> None:
    try:
        ranking, dropped = ranking_of(answer, k)
    except SystemFailedError as error:
        told = str(error)
    else:
        told = "a ranking"
        assert len(ranking.hits) <= k
        assert dropped >= 0
        Shard.of_rankings({"q": ranking}, texts="snippet")
    assert told.isprintable()


def test_a_path_that_is_none_and_a_start_of_0_are_left_to_whoever_places_the_hit() -> None:
    for path in ("/etc/passwd", "../a", "https://docs.example.org/keys/"):
        assert ranking_of([{"path": path}], 1)[0].hits[0].path == path
    hit = ranking_of([{"path": "a", "start": 0, "end": 812}], 1)[0].hits[0]
    assert (hit.lines, hit.characters) == (None, Characters(0, 812, "unknown"))


def test_offsets_are_read_in_three_units() -> None:
    rows = [
        {"path": "a", "start_char": 3, "end_char": 9},
        {"path": "a", "start_char": 3, "text": "six six"},
        {"path": "a", "start_byte": 3, "end_byte": 9},
        {"path": "a", "start_utf16": 3, "end_utf16": 9},
    ]
    found = [hit.characters for hit in ranking_of(rows, 9)[0].hits]
    units: tuple[Unit, ...] = ("characters", "bytes", "utf16")
    assert found == [Characters(3, 9), Characters(3, 10), *(Characters(3, 9, unit) for unit in units[1:])]
    for wrong in ({"start_char": 3}, {"end_char": 3}, {"start_char": 9, "end_char": 3}):
        with pytest.raises(SystemFailedError):
            ranking_of([{"path": "a", **wrong}], 1)
