"""Queries with the ids they expect."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.errors import FormatError, InputError
from rankgate.suites.foreign.expected_ids import KEYS
from support.formats import judged, lines, read

if TYPE_CHECKING:
    from pathlib import Path


def test_an_object_of_queries_and_ids_is_read(tmp_path: Path) -> None:
    suite = read(tmp_path / "a.json", {"create issue": ["createIssue", "createIssues"], "go": ["x"]})
    assert judged(suite) == {"create issue": {"createIssue": 1, "createIssues": 1}, "go": {"x": 1}}
    assert [case.id for case in suite.cases] == ["create-issue", "go"]


def test_the_order_is_no_grade_unless_the_reader_says_so(tmp_path: Path) -> None:
    written = {"q": ["a", "b"]}
    (note,) = read(tmp_path / "a.json", written).notes
    assert note.startswith("the order of the ids is no grade")
    suite = read(tmp_path / "a.json", written, grades={"1": 3, "2": 1})
    assert judged(suite) == {"q": {"a": 3, "b": 1}}
    assert suite.notes == ()
    with pytest.raises(FormatError, match=r"the labels 2 \(1\), expected labels that --grades names"):
        read(tmp_path / "a.json", written, grades={"1": 3})


@pytest.mark.parametrize("key", KEYS)
def test_records_hold_their_ids_under_one_of_few_names(tmp_path: Path, key: str) -> None:
    records = [{"query": "q", key: ["a", 7], "id": "first", "category": "c", "extra": 1}]
    for name, text in (("a.json", records), ("a.jsonl", lines(records))):
        suite = read(tmp_path / name, text)
        assert judged(suite) == {"q": {"a": 1, "7": 1}}
        assert (suite.cases[0].id, suite.cases[0].category) == ("first", "c")
        assert "field 'extra' left out 1 time" in suite.notes


def test_an_empty_list_is_left_out_and_counted_or_means_no_hit(tmp_path: Path) -> None:
    written = {"q": ["a"], "r": []}
    suite = read(tmp_path / "a.json", written)
    assert list(judged(suite)) == ["q"]
    assert suite.notes == ("1 query without judgments left out",)
    suite = read(tmp_path / "a.json", written, empty="nothing")
    assert [case.expect_empty for case in suite.cases] == [False, True]
    with pytest.raises(InputError, match="option empty"):
        read(tmp_path / "a.json", written, empty="x")


def test_what_is_wrong_is_told_where_it_stands(tmp_path: Path) -> None:
    with pytest.raises(FormatError) as error:
        read(tmp_path / "a.json", [{"query": "q"}, {"query": "r", "ids": [None, "a"]}], "expected")
    assert [problem.where.removeprefix(f"{tmp_path}/") for problem in error.value.problems] == [
        "a.json: [0]",
        "a.json: [1].ids[0]",
    ]


def test_a_key_written_twice_is_a_problem(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="the key 'q' twice"):
        read(tmp_path / "a.json", '{"q": ["a"], "q": ["b"]}')
