"""Judgments: what is checked, what is merged, and what is read back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from rankgate.errors import FormatError
from rankgate.locations import Lines, Location
from rankgate.model import Case, Matching, Suite, Target
from rankgate.truth.judgments.table import CASES, TARGETS, Judgments, read_judgments

if TYPE_CHECKING:
    from pathlib import Path

names = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=6)
locations = st.one_of(
    names.map(Location.of_id),
    st.builds(
        lambda path, lines: Location(path=path, lines=Lines(*sorted(lines)) if lines else None),
        st.sampled_from(["a.md", "b/c.py", "x y/ü.md", "odd%23:name#.md"]),
        st.none() | st.tuples(st.integers(1, 99), st.integers(1, 99)),
    ),
)
targets = st.builds(
    Target,
    locations,
    grade=st.sampled_from([-1.0, 0.0, 1.0, 2.5]),
    group=st.none() | names,
    source=names,
    reviewed=st.booleans(),
)


@st.composite
def suites(draw: st.DrawFn) -> Suite:
    ids = draw(st.lists(names, unique=True, max_size=4))
    cases = []
    for case in ids:
        found = draw(st.lists(targets, max_size=4, unique_by=lambda target: target.location))
        cases.append(Case(case, draw(names), tuple(found), weight=draw(st.sampled_from([1.0, 0.5]))))
    return Suite("drawn", tuple(cases), matching=Matching(min_fraction=0.5), max_grade=3.0)


def assert_same(left: Judgments, right: Judgments) -> None:
    assert_frame_equal(left.targets, right.targets)
    assert_frame_equal(left.cases, right.cases)
    for name in ("matching", "max_grade", "suite", "corpus", "notes"):
        assert getattr(left, name) == getattr(right, name)


@given(suites())
@settings(deadline=None, max_examples=60)
def test_a_folder_is_read_as_it_was_written(tmp_path_factory: pytest.TempPathFactory, suite: Suite) -> None:
    folder = tmp_path_factory.mktemp("folder")
    judgments = Judgments.from_suite(suite)
    judgments.write(folder)
    assert_same(read_judgments(folder), judgments)


def test_cases_come_from_the_targets_in_order_of_appearance() -> None:
    judgments = Judgments.of(pl.DataFrame({"query": ["b", "a", "b"], "id": ["1", "2", "3"]}))
    assert judgments.cases["query"].to_list() == ["b", "a"]
    assert judgments.targets["id"].to_list() == ["1", "3", "2"]
    assert judgments.targets["target"].to_list() == [0, 1, 0]
    assert judgments.targets.schema == TARGETS.types
    assert judgments.cases.schema == CASES.types


def test_judgments_said_twice_are_merged_and_counted() -> None:
    rows = {"query": ["q", "q", "q"], "id": ["a", "a", "b"], "reviewed": [False, True, False]}
    judgments = Judgments.of(pl.DataFrame(rows))
    assert judgments.notes == ("1 duplicate judgments merged",)
    assert judgments.targets.select("id", "reviewed").rows() == [("a", True), ("b", False)]


def test_one_place_with_two_grades_is_refused_by_name() -> None:
    rows = {"query": ["q", "q"], "path": ["./a.md", "a.md"], "start": [1, 1], "end": [9, 9], "grade": [1, 2]}
    with pytest.raises(FormatError, match=r"query 'q'.*'a.md:1-9' with grades 1, 2"):
        Judgments.of(pl.DataFrame(rows))


def test_alternatives_of_two_groups_may_share_a_place() -> None:
    rows = {"query": ["q", "q"], "id": ["a", "a"], "group": ["g", "h"]}
    assert Judgments.of(pl.DataFrame(rows)).targets.height == 2


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"grade": float("nan"), "id": "a"}, "grade nan"),
        ({"grade": float("inf"), "id": "a"}, "grade inf"),
        ({"id": "a", "path": "b"}, "id 'a' and path 'b'"),
        ({"id": None, "path": None}, "an id or a path"),
        ({"id": ""}, "an empty id"),
        ({"path": "a", "start": 3}, "lines 3-None"),
        ({"path": "a", "start": 0, "end": 3}, "lines 0-3"),
        ({"path": "a", "start": 4, "end": 3}, "lines 4-3"),
        ({"id": "a", "start": 1, "end": 3}, "lines without a path"),
        ({"path": "../a"}, "a relative path"),
    ],
)
def test_a_target_that_cannot_be_is_refused(row: dict[str, object], message: str) -> None:
    with pytest.raises(FormatError) as caught:
        Judgments.of(pl.DataFrame([{"query": "q", **row}]))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("cases", "message"),
    [
        ({"query": ["q", "q"]}, "more than one case"),
        ({"query": ["other"]}, "targets without a case"),
        ({"query": ["q"], "weight": [0.0]}, "weight 0.0"),
        ({"query": ["q"], "expect_empty": [True]}, "expect: empty"),
    ],
)
def test_a_case_that_cannot_be_is_refused(cases: dict[str, list[object]], message: str) -> None:
    with pytest.raises(FormatError) as caught:
        Judgments.of(pl.DataFrame({"query": ["q"], "id": ["a"]}), pl.DataFrame(cases))
    assert message in str(caught.value)


def test_all_problems_come_at_once() -> None:
    rows = {"query": ["q", "r"], "id": ["a", ""], "grade": [float("nan"), 1.0]}
    with pytest.raises(FormatError) as caught:
        Judgments.of(pl.DataFrame(rows))
    assert len(caught.value.problems) == 2


def test_headings_and_symbols_need_the_corpus() -> None:
    suite = Suite(
        "s", (Case("q", "text", (Target(Location.at("a.md#Title")), Target(Location.at("a.py::f")))),)
    )
    with pytest.raises(FormatError, match="resolved against the corpus") as caught:
        Judgments.from_suite(suite)
    assert [problem.where for problem in caught.value.problems] == [
        "cases[0].targets[0]",
        "cases[0].targets[1]",
    ]


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("schema", 2, "has version 2 of its format"),
        ("matching", {"by": 1}, r"`matching\.by` should be"),
        ("kind", "run", "something else"),
    ],
)
def test_a_manifest_that_cannot_be_is_refused(tmp_path: Path, key: str, value: object, message: str) -> None:
    Judgments.of(pl.DataFrame({"query": ["q"], "id": ["a"]})).write(tmp_path)
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), key: value}))
    with pytest.raises(FormatError, match=message):
        read_judgments(tmp_path)


def test_a_lone_table_of_targets_is_read(tmp_path: Path) -> None:
    pl.DataFrame({"query": [1, 1], "id": [7, 8], "grade": [2, 0]}).write_parquet(tmp_path / "mine.parquet")
    judgments = read_judgments(tmp_path / "mine.parquet")
    assert judgments.targets.select("query", "id", "grade").rows() == [("1", "7", 2.0), ("1", "8", 0.0)]
