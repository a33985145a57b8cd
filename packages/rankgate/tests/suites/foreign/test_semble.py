"""Queries with lists of places by relevance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.errors import FormatError
from support.formats import judged, read

if TYPE_CHECKING:
    from pathlib import Path

RECORDS = [
    {
        "query": "Axios",
        "relevant": [{"path": "lib/Axios.js", "start_line": 22, "end_line": 61}],
        "secondary": ["lib/core.js"],
        "related": ["lib/core.js"],
        "category": "symbol",
        "seed": {"path": "lib/Axios.js", "line": 46},
    }
]


def test_the_names_of_the_lists_are_labels_that_the_reader_grades(tmp_path: Path) -> None:
    suite = read(tmp_path / "a.json", RECORDS, grades={"relevant": 2, "secondary": 1, "related": 1})
    assert judged(suite) == {"Axios": {"lib/Axios.js:22-61": 2, "lib/core.js": 1}}
    assert suite.cases[0].category == "symbol"
    assert suite.notes == ("1 repeated judgment, merged", "field 'seed' left out 1 time")


def test_without_grades_the_labels_found_are_listed(tmp_path: Path) -> None:
    with pytest.raises(FormatError) as error:
        read(tmp_path / "a.json", RECORDS)
    (problem,) = error.value.problems
    assert problem.found == "the labels relevant (1), secondary (1), related (1)"
    assert problem.fix == "say what each is worth: --grades relevant=3,secondary=2,related=1"


def test_a_list_that_is_not_graded_is_refused_or_skipped(tmp_path: Path) -> None:
    grades = {"relevant": 2, "secondary": 1}
    with pytest.raises(FormatError, match=r"the labels related \(1\)"):
        read(tmp_path / "a.json", RECORDS, grades=grades)
    suite = read(tmp_path / "a.json", RECORDS, grades=grades, skip="related")
    assert judged(suite) == {"Axios": {"lib/Axios.js:22-61": 2, "lib/core.js": 1}}
    assert "1 location of the list 'related' skipped" in suite.notes


def test_one_place_in_two_lists_of_another_worth_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        FormatError, match=r"lib/core.js with grade 0 for 'Axios', expected one grade; it has 1"
    ):
        read(tmp_path / "a.json", RECORDS, grades={"relevant": 2, "secondary": 1, "related": 0})


def test_places_that_are_none_are_told_with_their_path(tmp_path: Path) -> None:
    wrong = [{"query": "q", "relevant": [{"path": "a", "start_line": 3}, 7, "../a"], "secondary": "x"}]
    with pytest.raises(FormatError) as error:
        read(tmp_path / "a.json", wrong, grades={"relevant": 1})
    assert [problem.where.removeprefix(f"{tmp_path}/") for problem in error.value.problems] == [
        "a.json: [0].relevant[0]",
        "a.json: [0].relevant[1]",
        "a.json: [0].relevant[2]",
        "a.json: [0].secondary",
    ]
