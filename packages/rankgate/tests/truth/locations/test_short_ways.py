"""The short ways that most hits take find what the long ways find."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Any

import jmespath
import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from rankgate.errors import Problem, SystemFailedError
from rankgate.model.locations import Lines, normal_path, surely_normal
from rankgate.model.search import Hit, Ranking
from rankgate.runs.store.tables import hits_and_texts
from rankgate.systems.adapter import answers, mapping
from rankgate.truth.locations.locate import GivenHit, Locator
from rankgate.truth.locations.placing import Placer

TEXTS = st.text(st.sampled_from("ab/.\\\0é e\u0301\ud800"), max_size=8)
NUMBERS = st.sampled_from([None, 0, 1, 2, 7, -1, True, 1.5, "3", 1 << 31, 1 << 33])
ITEMS = st.one_of(
    TEXTS,
    st.fixed_dictionaries(
        {},
        optional={
            "id": st.one_of(st.none(), TEXTS, st.integers(0, 3)),
            "path": st.one_of(st.none(), TEXTS, st.sampled_from(["a/b.py", "c.md"])),
            "start": NUMBERS,
            "end": NUMBERS,
            "score": st.one_of(st.none(), st.floats(), st.integers(0, 3), st.booleans()),
            "text": st.one_of(st.none(), TEXTS, st.integers(0, 3)),
            "more": st.just(1),
        },
    ),
)


@given(TEXTS)
def test_a_path_that_is_surely_normal_is_left_as_it_is_by_the_whole_rule(text: str) -> None:
    if surely_normal(text):
        # The dot keeps the whole rule from being cut short.
        assert normal_path(f"./{text}") == text


def test_ordinary_paths_take_the_short_way() -> None:
    assert all(map(surely_normal, ["a", "a/b.py", "docs/part 1/x-y_z.md"]))
    assert not any(map(surely_normal, ["", "/a", "a/", "a//b", "./a", "a/../b", "..", "a\\b", "a\0", "é"]))


@given(ITEMS)
@example({"id": "a", "score": float("nan")})
@example({"id": "a", "score": True})
@example({"path": "a", "start": True, "end": 2})
@example({"path": "a", "start": 2})
@example({"start": 1, "end": 2})
@example({"start": 1, "end": 1 << 31, "text": ""})
@example({"path": "a", "start": 1 << 31})
def test_a_dict_is_taken_or_refused_as_any_other_mapping_is(item: Any) -> None:
    other = MappingProxyType(item) if isinstance(item, dict) else np.str_(item)
    assert taken(item) == taken(other)


def taken(item: object) -> Hit | Problem:
    try:
        return answers.ranking_of([item], 1)[0].hits[0]
    except SystemFailedError as error:
        return replace(error.problems[0], found="")


def test_ordinary_hits_are_taken_as_they_are() -> None:
    place = {"path": "a/b.py", "start": 1, "end": 9, "score": 0.5}
    assert taken(place) == Hit(None, "a/b.py", Lines(1, 9), 0.5)
    assert taken("doc-1") == Hit("doc-1")


STORABLE = st.text(st.sampled_from("ab/.\\\0é e\u0301"), min_size=1, max_size=8)
HITS = st.builds(
    Hit,
    id=st.one_of(st.none(), STORABLE),
    path=st.one_of(st.none(), STORABLE, st.just("a/b.py")),
    lines=st.sampled_from([None, Lines(1, 2)]),
    text=st.one_of(st.none(), TEXTS),
)


@given(st.lists(HITS, max_size=4))
def test_hits_with_nothing_left_to_find_are_placed_as_by_the_long_way(hits: list[Hit]) -> None:
    rows, _ = hits_and_texts({"q": Ranking(tuple(hits))}, place=Placer(None).place)
    for hit, row in zip(hits, rows.iter_rows(named=True), strict=True):
        long = Locator(None).locate(GivenHit(hit.id, hit.path, hit.lines, hit.text))
        names = ("id", "path", "start", "end", "class", "strategy")
        assert tuple(row[name] for name in names) == (*long[:4], long.hit_class, long.strategy)


VALUES = st.recursive(
    st.one_of(st.none(), st.integers(), st.just("a")),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.sampled_from("ab"), inner)),
    max_leaves=6,
)


@given(st.lists(st.sampled_from(["a", "b", '"a b"']), min_size=1, max_size=3), VALUES)
def test_an_expression_of_names_finds_what_jmespath_finds(names: list[str], value: Any) -> None:
    text = ".".join(names)
    rule = mapping.compiled(text, "fields.id")
    assert isinstance(rule, mapping._Names)
    assert rule.search(value) == jmespath.search(text, value)


def test_other_expressions_are_left_to_jmespath() -> None:
    for text in ("@", "a[0].b", "a[*].b", "a || b", "length(a)", "a.*", "[a, b]"):
        assert not isinstance(mapping.compiled(text, "hits"), mapping._Names)
