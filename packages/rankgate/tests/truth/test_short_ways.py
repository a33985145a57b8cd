"""The short ways that most hits take find what the long ways find."""

from __future__ import annotations

import json
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import jmespath
import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from rankgate.errors import Problem, SystemFailedError
from rankgate.locations import Lines, normal_path, surely_normal
from rankgate.model import ColumnRanking, Hit, Ranking
from rankgate.runs.store.columns import hits_and_texts
from rankgate.systems.adapter import answers, mapping
from rankgate.truth.locate import GivenHit, Locator, Placer
from support.memory_corpus import MemoryCorpus

if TYPE_CHECKING:
    import pytest

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


LIKELY: dict[str, st.SearchStrategy[Any]] = {
    "id": st.sampled_from(["a", "b:1-2", "é", "", None, 3]),
    "path": st.sampled_from(["a/b.py", "c.md", "./c.md", "/c.md", None, np.str_("c.md")]),
    "start": st.sampled_from([1, 2, 3, 0, None, True, np.int64(2)]),
    "end": st.sampled_from([2, 3, 9, 1 << 31, None]),
    "score": st.sampled_from([1.0, 0.5, 2, None, float("nan"), float("inf"), 1e308]),
    "text": st.sampled_from(["a", "", None, "\ud800", 5]),
}


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


ALIKE = st.sets(st.sampled_from(["id", "path", "start", "end", "score", "text"]), min_size=1).flatmap(
    lambda names: st.lists(
        st.fixed_dictionaries({name: LIKELY[name] for name in sorted(names)}), min_size=1, max_size=4
    )
)


@given(st.one_of(st.lists(ITEMS, max_size=4), ALIKE), st.integers(0, 5))
@example([{"path": "a", "start": 1, "end": 2}, {"path": "a", "start": 1, "end": 2, "score": 1.0}], 5)
@example([{"path": "a", "start": 2, "end": 1}, {"path": "a", "start": 1, "end": 2}], 5)
@example([{"id": "a", "score": 1e308}, {"id": "b", "score": 1e308}], 5)
@example([{"path": None, "text": "a"}, {"path": None, "text": "b"}], 5)
@example([{"score": 1.0}], 5)
@example([{"id": "a", "end": 3}], 5)
def test_an_answer_read_by_columns_is_the_one_read_hit_by_hit(items: list[Any], k: int) -> None:
    # A list of another class is never read by columns.
    assert answered(items, k) == answered(HitByHit(items), k)


class HitByHit(list[Any]):
    """A list that is read hit by hit."""


def answered(items: list[Any], k: int) -> object:
    try:
        ranking, over = answers.ranking_of(items, k)
    except SystemFailedError as error:
        return error.problems
    return ranking.hits, ranking.tokens, over


def test_ordinary_answers_are_read_by_columns() -> None:
    place = {"path": "a/b.py", "start": 1, "end": 9, "score": 0.5}
    for answer in (["a", "b"], [place, place], [{"id": "a", "text": "b"}], [{"id": "a", "path": None}]):
        ranking, _ = answers.ranking_of(answer, 10)
        assert type(ranking) is ColumnRanking
    assert type(answers.ranking_of([place, "a"], 10)[0]) is Ranking


def test_an_answer_that_is_changed_later_stays_as_it_was() -> None:
    place: dict[str, Any] = {"path": "a/b.py", "start": 1, "end": 9}
    answer: list[Any] = [place]
    ids = ["a", "b"]
    ranking, of_ids = answers.ranking_of(answer, 10)[0], answers.ranking_of(ids, 10)[0]
    place["path"], ids[0] = "c.md", "z"
    answer.clear()
    assert (ranking.hits[0].path, of_ids.hits[0].id) == ("a/b.py", "a")


def test_a_ranking_by_columns_is_like_any_other() -> None:
    ranking = ColumnRanking.of({"id": ["a", "b"], "path": ["x.md", "y.md"], "score": (2.0, 1.0)}, 2)
    same = Ranking((Hit("a", "x.md", score=2.0), Hit("b", "y.md", score=1.0)))
    assert ranking == same
    assert same == ranking
    assert hash(ranking) == hash(same)
    assert replace(ranking, tokens=5) == Ranking(same.hits, 5)
    assert ranking != Ranking(same.hits[:1])
    assert type(ranking.hits) is tuple


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


FILES = {"a/b.py": "1\n2\n3\n", "c.md": "1\n2", "d%e.md": "1\n"}
IDS = st.one_of(
    st.builds(
        "{}:{}{}".format,
        st.sampled_from([*FILES, "./c.md", "no.md", "c.md#x", "c.md:", "d%25e.md"]),
        st.sampled_from(["0", "1", "2", "02", "+1", " 1", "4", "4294967296", "99999999999", "x", ""]),
        st.sampled_from(["", "-1", "-2", "-3", "-03", "-4", "-99", "-x", "-", "-1-2"]),
    ),
    st.sampled_from([*FILES, "c.md#Title", "a/b.py::f", "", ":", "c.md:1:2"]),
    STORABLE,
)


@given(st.lists(IDS.filter(bool), max_size=6))
@example(["c.md:1-2", "c.md:2"])
@example(["c.md:1-2", "c.md:02"])
def test_ids_that_are_lines_are_placed_as_by_the_long_way(ids: list[str]) -> None:
    corpus = MemoryCorpus(FILES)
    rows, _ = hits_and_texts({"q": Ranking(tuple(map(Hit, ids)))}, place=Placer(corpus).place)
    for name, row in zip(ids, rows.iter_rows(named=True), strict=True):
        long = Locator(corpus).locate(GivenHit(name))
        names = ("id", "path", "start", "end", "class", "strategy")
        assert tuple(row[one] for one in names) == (*long[:4], long.hit_class, long.strategy)


def test_an_id_that_is_the_name_of_a_file_with_a_colon_is_that_file() -> None:
    corpus = MemoryCorpus({"c.md": "1\n2\n", "c.md:1": "1\n"})
    rows, _ = hits_and_texts({"q": Ranking((Hit("c.md:1"), Hit("c.md:2")))}, place=Placer(corpus).place)
    assert rows.select("path", "start").rows() == [("c.md:1", None), ("c.md", 2)]


def test_ordinary_ids_that_are_lines_take_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Placer, "_located", None)
    ranking = Ranking((Hit("c.md:1-2"), Hit("a/b.py:3")))
    rows, _ = hits_and_texts({"q": ranking}, place=Placer(MemoryCorpus(FILES)).place)
    assert rows.select("path", "start", "end").rows() == [("c.md", 1, 2), ("a/b.py", 3, 3)]


RULES = st.dictionaries(
    st.sampled_from(["id", "path", "score", "tokens"]), st.sampled_from(["a", "b", "a.b"]), min_size=1
)
FOUND = st.one_of(st.dictionaries(st.sampled_from("ab"), st.sampled_from(["x", 2.0, None, 3])), st.just("x"))


@given(RULES, st.lists(FOUND, max_size=3))
def test_fields_that_are_keys_find_what_expressions_find(rules: dict[str, str], found: list[Any]) -> None:
    raw = json.dumps(found).encode()
    short = mapping.Mapper(mapping.MappingRules(fields=rules), "app")
    long = mapping.Mapper(
        mapping.MappingRules(fields={name: f"{rule} || `null`" for name, rule in rules.items()}), "app"
    )
    assert not long._keys
    assert mapped(short, raw) == mapped(long, raw)


def mapped(mapper: mapping.Mapper, raw: bytes) -> object:
    try:
        found = mapper.mapped(raw, 2)
    except SystemFailedError as error:
        return error.problems
    return found.ranking.hits, found.dropped, found.unmatched_rules


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
