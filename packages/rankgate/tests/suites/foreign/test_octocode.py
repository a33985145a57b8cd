"""CSV with a row a query and a place a cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.errors import FormatError
from rankgate.model import Location
from rankgate.model.suite import Case, Suite, Target
from rankgate.suites.foreign.octocode import write_cells
from rankgate.suites.formats import load_suite
from support.formats import judged, read

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "query,result1,result2\n"


def test_a_cell_is_a_path_lines_and_a_relevance(tmp_path: Path) -> None:
    suite = read(tmp_path / "a.csv", HEAD + "rotate keys,src/keys.rs:10-50:2,docs/a.md:3:1\n")
    assert judged(suite) == {"rotate keys": {"src/keys.rs:10-50": 2, "docs/a.md:3-3": 1}}
    assert suite.cases[0].id == "rotate-keys"
    assert suite.cases[0].where.endswith("a.csv:2")


def test_quotes_empty_cells_and_files_without_lines_are_read(tmp_path: Path) -> None:
    suite = read(tmp_path / "a.csv", HEAD + '"keys, and how",,README.md:1\n\n"says ""no""",a b.md:1-2:0.5,\n')
    assert judged(suite) == {"keys, and how": {"README.md": 1}, 'says "no"': {"a b.md:1-2": 0.5}}


def test_a_path_may_hold_colons(tmp_path: Path) -> None:
    (target,) = read(tmp_path / "a.csv", HEAD + "q,a:b/c.md:7-9:2,\n").cases[0].targets
    assert target.location == Location(path="a:b/c.md", lines=Location.at("x:7-9").lines)


def test_rows_of_one_query_become_one_case(tmp_path: Path) -> None:
    suite = read(tmp_path / "a.csv", HEAD + "q,a.md:1-2:2,\nq,b.md:1-2:1,a.md:1-2:2\n")
    assert judged(suite) == {"q": {"a.md:1-2": 2, "b.md:1-2": 1}}
    assert suite.notes == (
        "1 repeated query, merged with the first of the same text",
        "1 repeated judgment, merged",
    )


def test_words_are_worth_what_the_reader_says(tmp_path: Path) -> None:
    text = HEAD + "q,a.md:1-2:primary,b.md:4-5:2.0\n"
    suite = read(tmp_path / "a.csv", text, grades={"primary": 3, "2": 1})
    assert judged(suite) == {"q": {"a.md:1-2": 3, "b.md:4-5": 1}}


def test_all_that_is_wrong_is_told_with_its_line_and_column(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    text = HEAD + "q,a.md:1-2,b.md\nr,a.md:9-3:1,/etc/a:1\n,a.md:1,\ns,a.md:1-2:1,a.md:1-2:2\n"
    with pytest.raises(FormatError) as error:
        read(path, text, "cells")
    assert [(problem.where.removeprefix(str(path)), problem.found) for problem in error.value.problems] == [
        (":2: result1", "'a.md:1-2', without a relevance"),
        (":2: result2", "'b.md', without a relevance"),
        (":3: result1", "'a.md', 9-3"),
        (":3: result2", "'/etc/a', a path outside the corpus"),
        (":4", "a row without a query"),
        (":5: result2", "a.md:1-2 with grade 2 for 's'"),
    ]


def test_a_row_of_too_many_cells_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"a.csv:2: found 4 cells, expected at most 3"):
        read(tmp_path / "a.csv", HEAD + "q,a.md:1,b.md:1,c.md:1\n")


def test_what_cells_cannot_hold_is_told(tmp_path: Path) -> None:
    cases = (
        Case("one", "q", (Target(Location.of_id("doc-1")), Target(Location.at("a.md#Top")))),
        Case("r", "r", (Target(Location.at("a.md:1-2"), 2), Target(Location(path="b:7"))), category="exact"),
        Case("s", "s", expect_empty=True),
    )
    lost = write_cells(Suite("suite", cases), tmp_path / "a.csv")
    assert lost == (
        "1 target that names an id, not a file, left out",
        "categories of 1 case left out",
        "1 case that expects no results left out",
        "1 case without a target to write left out",
        "2 locations that a cell cannot hold left out",
    )
    assert (tmp_path / "a.csv").read_text() == "query,result1\nr,a.md:1-2:2\n"
    assert judged(load_suite(tmp_path / "a.csv")) == {"r": {"a.md:1-2": 2}}
