"""Judgments in the formats of others."""

from __future__ import annotations

import json
import os
from pathlib import Path

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from rankgate.errors import FormatError, InputError
from rankgate.io.compressed import write_text
from rankgate.io.words import read_words
from rankgate.truth.judgments.formats import load_judgments, read_beir, read_jsonl, read_qrels
from rankgate.truth.judgments.table import Judgments

words = st.text(
    alphabet=st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=1, max_size=6
)
grades = st.integers(-2, 4).map(float) | st.floats(-1e6, 1e6)
judged = st.dictionaries(
    st.tuples(words.filter(lambda word: not word.startswith("#")), words), grades, min_size=1, max_size=12
)
COLUMNS = ["query", "id", "grade"]


def of_pairs(pairs: dict[tuple[str, str], float]) -> Judgments:
    rows = [(query, name, grade, "import", "id") for (query, name), grade in pairs.items()]
    return Judgments.of(pl.DataFrame(rows, schema=[*COLUMNS, "source", "strategy"], orient="row"))


@pytest.fixture(scope="module")
def data() -> Path:
    folder = os.environ.get("RANKGATE_SHARED_DATA")
    if not folder:
        pytest.skip("RANKGATE_SHARED_DATA is not set")
    return Path(folder)


@pytest.mark.parametrize("name", ["a.qrels", "a.qrels.gz", "a.qrels.zst"])
@given(pairs=judged)
@example(pairs={("{", "}"): 0.0})
@settings(deadline=None, max_examples=60)
def test_qrels_are_read_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, name: str, pairs: dict[tuple[str, str], float]
) -> None:
    path = tmp_path_factory.mktemp("qrels") / name
    judgments = of_pairs(pairs)
    lines = (f"{query} 0 {name} {grade!r}\n" for (query, name), grade in pairs.items())
    write_text(path, lines)
    assert_frame_equal(load_judgments(path).targets, judgments.targets)


def test_places_groups_and_sources_are_read_from_json_lines(tmp_path: Path) -> None:
    lines = (
        {"query": "q", "at": "a.md", "grade": 2, "group": "g", "source": "person"},
        {"query": "q", "at": "b.md:3-9", "source": "clicks", "reviewed": False},
        {"query": "q", "id": "a.md:3-9"},
    )
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    targets = read_jsonl(tmp_path / "a.jsonl").targets.sort("path", nulls_last=True)
    assert targets["path"].to_list() == ["a.md", "b.md", None]
    assert targets["start"].to_list() == [None, 3, None]
    assert targets["id"].to_list() == [None, None, "a.md:3-9"]
    assert targets["grade"].to_list() == [2.0, 1.0, 1.0]
    assert targets["group"].to_list() == ["g", None, None]
    assert targets["source"].to_list() == ["person", "clicks", "import"]
    assert targets["reviewed"].to_list() == [True, False, True]


def test_every_bad_grade_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.qrels"
    path.write_text("1 0 a x\n1 0 b 1\n1 0 c nan\n")
    with pytest.raises(FormatError) as caught:
        read_qrels(path)
    assert [problem.where for problem in caught.value.problems] == [f"{path}:1", f"{path}:3"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"query": "q"}', "neither id nor at"),
        ('{"query": "q", "id": "a", "at": "b"}', "both id and at"),
        ('{"query": "q", "at": "a.md#Title"}', "a heading or a symbol"),
        ('{"query": "q", "at": "../a"}', "outside the corpus"),
        ('{"id": "a"}', "the key `query` is missing."),
        ('{"query": 3, "id": "a"}', "`query` should be a text, found 3."),
        ('{"query": "q", "id": "a", "grade": "1"}', "`grade` should be a number, found the text '1'."),
        ('{"query": "q", "id": "a", "grade": true}', "`grade` should be a number, found true."),
        ('{"query": "q", "id": "a", "reviewed": 1}', "`reviewed` should be true or false, found 1."),
        ('{"query": "q", "at": "a:1-99999999999"}', "a:1-99999999999"),
    ],
)
def test_a_bad_json_line_is_refused(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "a.jsonl").write_text(line)
    with pytest.raises(FormatError) as caught:
        read_jsonl(tmp_path / "a.jsonl")
    assert message in str(caught.value)


def test_unknown_fields_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"query": "q", "id": "a", "note": "x"}\n')
    assert read_jsonl(tmp_path / "a.jsonl").notes == ("field 'note' ignored in 1 lines",)


def test_a_format_that_cannot_be_told_names_the_formats(tmp_path: Path) -> None:
    (tmp_path / "what").write_text("just words\n")
    for path in (tmp_path / "what", tmp_path):
        with pytest.raises(FormatError, match="folder, parquet, beir, jsonl, trec"):
            load_judgments(path)
    with pytest.raises(FormatError, match="format 'xml'"):
        load_judgments(tmp_path / "what", format="xml")
    with pytest.raises(InputError, match="does not exist"):
        load_judgments(tmp_path / "absent")


def test_a_split_that_is_not_there_names_the_others(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq\ta\t1\n")
    with pytest.raises(FormatError, match="there are: dev"):
        read_beir(tmp_path)


def test_comments_in_real_qrels_are_skipped_and_marks_in_names_are_kept(data: Path) -> None:
    tests = data / "trec" / "trec_eval-tests"
    plain = load_judgments(tests / "qrels.test").targets
    commented = load_judgments(tests / "qrels.test.with-comments").targets
    assert commented.height == plain.height
    assert "CR#93E-1860" in commented["id"]


def test_judges_who_disagree_in_real_qrels_are_named(data: Path) -> None:
    path = data / "trec" / "trec_eval-tests" / "qrels.comments.123"
    assert "CR93E-3103#37" in read_words(path, ["query", "iteration", "id", "grade"], kind="qrels")["id"]
    with pytest.raises(FormatError, match="'CR93E-1860' with grades 0, 3"):
        load_judgments(path)


def test_the_real_scifact_folder_is_read(data: Path) -> None:
    judgments = load_judgments(data / "beir" / "scifact")
    assert (judgments.targets.height, judgments.cases.height) == (339, 300)
    assert judgments.cases["text"].null_count() == 0
    alone = load_judgments(data / "beir" / "scifact" / "qrels" / "test.tsv")
    assert_frame_equal(alone.targets, judgments.targets)
