"""Suites that come as judgments: BEIR and TREC, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.corpora.folder import FolderCorpus
from rankgate.errors import FormatError
from rankgate.model import Location
from rankgate.model.suite import Case, GateText, Suite, Target, Top
from rankgate.suites.formats import ReadOptions, load_suite
from rankgate.truth.judgments.suite_formats import write_beir_suite, write_trec_suite
from rankgate.truth.locations.resolve import needs_corpus, with_lines
from support.formats import judged

if TYPE_CHECKING:
    from pathlib import Path

QRELS = "q1 0 a 2\nq1 0 b 0\nq2 0 c 1\n"


@pytest.mark.parametrize(
    "texts", ["q1\tRotate a key\nq3\tunjudged\n", '{"_id": "q1", "text": "Rotate a key"}\n']
)
def test_the_texts_of_qrels_come_from_a_file_of_their_own(tmp_path: Path, texts: str) -> None:
    (tmp_path / "a.qrels").write_text(QRELS)
    (tmp_path / "topics").write_text(texts)
    suite = load_suite(
        tmp_path / "a.qrels", reading=ReadOptions(options={"queries": str(tmp_path / "topics")})
    )
    assert [(case.id, case.query) for case in suite.cases] == [("q1", "Rotate a key"), ("q2", "q2")]
    assert judged(suite)["Rotate a key"] == {"a": 2, "b": 0}
    assert suite.notes == ("1 queries without a text are asked by their ids",)


def test_lines_of_topics_that_have_no_tab_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text(QRELS)
    (tmp_path / "topics").write_text("q1 no tab\nq2\tx\nq2\ty\n")
    with pytest.raises(
        FormatError, match=r"topics:1: found 'q1 no tab'[^\n]*\n.*topics:3: found the query 'q2'"
    ):
        load_suite(tmp_path / "a.qrels", reading=ReadOptions(options={"queries": str(tmp_path / "topics")}))


def test_grades_of_qrels_are_mapped_only_as_the_reader_says(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text(QRELS)
    suite = load_suite(tmp_path / "a.qrels", reading=ReadOptions({"2": 10, "1": 5, "0": -1}))
    assert judged(suite) == {"q1": {"a": 10, "b": -1}, "q2": {"c": 5}}
    with pytest.raises(FormatError, match=r"the labels 2.0 \(1\), 0.0 \(1\)"):
        load_suite(tmp_path / "a.qrels", reading=ReadOptions({"1": 5}))


def test_judgments_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text(QRELS + "q1 0 a 1\n")
    with pytest.raises(FormatError, match="grades 1, 2"):
        load_suite(tmp_path / "a.qrels")


def test_a_suite_becomes_a_beir_folder_and_comes_back(tmp_path: Path) -> None:
    cases = (Case("rotate", "Rotate a key", (Target(Location.of_id("a"), 2, source="import"),)),)
    assert write_beir_suite(Suite("s", cases), tmp_path / "beir") == ()
    assert load_suite(tmp_path / "beir").cases == cases


def test_what_qrels_cannot_hold_is_told_down_to_the_gates(tmp_path: Path) -> None:
    places = (Target(Location.at("a.md:1-2"), source="import"), Target(Location.of_id("b"), source="import"))
    cases = (
        Case("a", "a", places, category="exact", top=(Top(Location.of_id("b")),)),
        Case("b", "b", expect_empty=True),
        Case("c", "c"),
    )
    suite = Suite("s", cases, ("rr",), (GateText("rr >= 0.5"),))
    assert write_trec_suite(suite, tmp_path / "a.qrels") == (
        "1 line ranges written as opaque ids",
        "3 query texts left out",
        "1 categories left out",
        "1 cases that expect no hit left out",
        "1 cases without targets left out",
        "checks of the first results of 1 case left out",
        "1 gate left out",
        "the metrics rr left out",
    )


def test_headings_and_symbols_become_lines_where_the_corpus_is_known(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text("# Keys\n\ntext\n\n## Rotation\n\nmore\n")
    corpus = FolderCorpus.open(tmp_path / "docs", root=tmp_path)
    target = Target(Location.at("keys.md#Rotation"), source="import")
    suite = Suite("s", (Case("a", "a", (target,), top=(Top(target.location),)),))
    assert needs_corpus(suite)
    with pytest.raises(FormatError, match="headings, symbols and quotes are resolved"):
        write_trec_suite(suite, tmp_path / "a.qrels")
    found = with_lines(suite, corpus)
    assert not needs_corpus(found)
    assert judged(found) == {"a": {"keys.md:5-7": 1}}
    assert found.notes == ("2 headings, symbols and quotes became the lines they stand for",)
    wrong = Suite("s", (Case("a", "a", (Target(Location.at("keys.md#Rotations")),)),))
    with pytest.raises(FormatError, match=r"did you mean keys\.md#Rotation"):
        with_lines(wrong, corpus)


@pytest.mark.parametrize("folder", [".", "qrels"])
def test_the_texts_of_a_table_stand_beside_it_or_above(tmp_path: Path, folder: str) -> None:
    table = tmp_path / folder / "test.tsv"
    table.parent.mkdir(exist_ok=True)
    table.write_text("query-id\tcorpus-id\tscore\nq1\ta\t1\n")
    assert load_suite(table).notes == ("1 queries without a text are asked by their ids",)
    (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "Rotate a key"}\n')
    suite = load_suite(table)
    assert [(case.id, case.query) for case in suite.cases] == [("q1", "Rotate a key")]
    (tmp_path / "mine.tsv").write_text("q1\tMine\n")
    given = ReadOptions(options={"queries": str(tmp_path / "mine.tsv")})
    assert load_suite(table, reading=given).cases[0].query == "Mine"
