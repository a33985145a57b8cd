"""Ratings as Quepid imports and exports them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.errors import FormatError, InputError
from support.formats import judged, read

if TYPE_CHECKING:
    from pathlib import Path


def test_rows_without_a_rating_are_left_out_and_counted(tmp_path: Path) -> None:
    suite = read(tmp_path / "a.csv", "query,docid,rating\nlaptop,1,0\nlaptop,2,3\nlaptop,3,\nscreen,4,\n")
    assert judged(suite) == {"laptop": {"1": 0, "2": 3}}
    assert suite.notes == ("2 rows without a rating left out", "1 query without judgments left out")


def test_quepids_own_exports_are_read_by_the_names_of_their_columns(tmp_path: Path) -> None:
    head = "Team Name,Case Name,Case ID,Query Text,Doc ID,Doc Position,Title,Rating\n"
    suite = read(
        tmp_path / "a.csv",
        head + 'OSC,Films,6,star wars,11,1,"Wars, Star",3\nOSC,Films,6,star wars,12,2,x,\n',
    )
    assert judged(suite) == {"star wars": {"11": 3}}
    assert suite.notes[0] == "columns left out: Team Name, Case Name, Case ID, Doc Position, Title"


def test_of_several_columns_of_ratings_one_must_be_named(tmp_path: Path) -> None:
    text = "query,docid,agent_1_rating,final_rating\nq,1,2,3\n"
    with pytest.raises(InputError, match="--option rating=final_rating"):
        read(tmp_path / "a.csv", text)
    assert judged(read(tmp_path / "a.csv", text, rating="final_rating")) == {"q": {"1": 3}}


def test_the_same_judgment_twice_is_merged_and_a_contradiction_refused(tmp_path: Path) -> None:
    head = "query,docid,rating\nq,1,2\n"
    assert read(tmp_path / "a.csv", head + "q,1,2.0\n").notes == ("1 repeated judgment, merged",)
    with pytest.raises(
        FormatError, match=r"a.csv:3: found 1 with grade 3 for 'q', expected one grade; it has 2 at"
    ):
        read(tmp_path / "a.csv", head + "q,1,3\n")


def test_rows_that_are_not_whole_are_told(tmp_path: Path) -> None:
    with pytest.raises(FormatError) as error:
        read(tmp_path / "a.csv", "query,docid,rating\n,1,2\nq,,2\n")
    assert [problem.where[-2:] for problem in error.value.problems] == [":2", ":3"]
