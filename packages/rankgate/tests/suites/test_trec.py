"""Judgments as suites: TREC qrels and tables of BEIR, with the texts of their queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.errors import FormatError, InputError
from rankgate.suites.formats import ReadOptions, load_suite
from support.formats import judged

if TYPE_CHECKING:
    from pathlib import Path

QRELS = "# a comment\nq1 0 a 2\nq1 0 b 0\nq2 0 c 1\n"


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("topics.tsv", "q1\tRotate a key\nq3\tunjudged\n"),
        ("topics.jsonl", '{"_id": "q1", "text": "Rotate a key"}\n{"_id": "q3", "text": "unjudged"}\n'),
    ],
)
def test_texts_of_qrels_come_from_a_file_of_their_own(tmp_path: Path, name: str, texts: str) -> None:
    (tmp_path / "a.qrels").write_text(QRELS)
    (tmp_path / name).write_text(texts)
    suite = load_suite(tmp_path / "a.qrels", reading=ReadOptions(options={"queries": str(tmp_path / name)}))
    assert [(case.id, case.query) for case in suite.cases] == [("q1", "Rotate a key"), ("q2", "q2")]
    assert judged(suite)["Rotate a key"] == {"a": 2, "b": 0}
    assert suite.unlisted == "unjudged"
    assert suite.notes == ("1 query without a text, run by their ids", "1 query without judgments left out")


def test_topics_that_repeat_an_id_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text(QRELS)
    (tmp_path / "topics").write_text("q2\tx\nq2\ty\n")
    with pytest.raises(FormatError, match=r"topics:2: the query q2 is there twice"):
        load_suite(tmp_path / "a.qrels", reading=ReadOptions(options={"queries": str(tmp_path / "topics")}))
    with pytest.raises(InputError, match=r"none\.tsv does not exist"):
        load_suite(tmp_path / "a.qrels", reading=ReadOptions(options={"queries": "none.tsv"}))


def test_qrels_with_other_lines_are_an_error_with_every_line(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text("q1 0 a 2\nq1 0 b\nq1 a 1\n")
    with pytest.raises(FormatError) as raised:
        load_suite(tmp_path / "a.qrels", "trec")
    assert [one.where.rpartition(":")[2] for one in raised.value.problems] == ["2", "3"]


def test_grades_of_qrels_are_mapped_only_as_the_reader_says(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text(QRELS)
    suite = load_suite(tmp_path / "a.qrels", reading=ReadOptions({"2": 10, "1": 5, "0": 0}))
    assert judged(suite) == {"q1": {"a": 10, "b": 0}, "q2": {"c": 5}}
    with pytest.raises(FormatError, match=r"unknown grades 2 \(1\), 0 \(1\)"):
        load_suite(tmp_path / "a.qrels", reading=ReadOptions({"1": 5}))


def test_judgments_that_contradict_each_other_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text(QRELS + "q1 0 a 1\n")
    with pytest.raises(FormatError, match=r"a has grade 1 for .q1., and 2 at .*a\.qrels:2"):
        load_suite(tmp_path / "a.qrels")


@pytest.mark.parametrize("folder", [".", "qrels"])
def test_texts_of_a_beir_table_are_beside_it_or_above(tmp_path: Path, folder: str) -> None:
    table = tmp_path / folder / "test.tsv"
    table.parent.mkdir(exist_ok=True)
    table.write_text("query-id\tcorpus-id\tscore\nq1\ta\t1\n")
    assert load_suite(table).notes == ("1 query without a text, run by their ids",)
    (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "Rotate a key"}\n')
    suite = load_suite(table)
    assert [(case.id, case.query) for case in suite.cases] == [("q1", "Rotate a key")]
    (tmp_path / "mine.tsv").write_text("q1\tMine\n")
    given = ReadOptions(options={"queries": str(tmp_path / "mine.tsv")})
    assert load_suite(table, reading=given).cases[0].query == "Mine"
