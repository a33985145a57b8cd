"""Judgments as a spreadsheet has them: any separator, any names of columns, a grade a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.errors import FormatError, InputError
from rankgate.suites.formats import ReadOptions, format_of, load_suite
from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.model.suite import Suite

ROWS = [
    "search term;page;rating;rated by",
    "replace a key, safely;keys.md;3;ana",
    "replace a key, safely;a.md;0;ben",
]
NAMED = {"query": "search term", "at": "page", "grade": "rating"}


def written(folder: Path, *rows: str, name: str = "judgments.csv") -> Path:
    path = folder / name
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def read(path: Path, **options: str) -> Suite:
    return load_suite(path, "mapped", ReadOptions(options=options))


@pytest.mark.parametrize("separator", [";", "\t"])
def test_rows_of_one_query_are_one_case_with_their_grades(tmp_path: Path, separator: str) -> None:
    suite = read(written(tmp_path, *(row.replace(";", separator) for row in ROWS)), **NAMED)
    (case,) = suite.cases
    assert case.query == "replace a key, safely"
    assert [(str(each.location), each.grade) for each in case.targets] == [("keys.md", 3), ("a.md", 0)]
    assert "1 judgment of grade 0: judged, and not relevant" in suite.notes
    assert "field 'rated by' left out 2 times" in suite.notes


def test_a_header_with_commas_is_read_by_commas(tmp_path: Path) -> None:
    suite = read(written(tmp_path, 'q,"page;old"', "keys; old and new,keys.md"), query="q", at="page;old")
    assert [case.query for case in suite.cases] == ["keys; old and new"]


def test_quepid_is_recognised_with_semicolons(tmp_path: Path) -> None:
    path = written(tmp_path, "query;docid;rating", "rotate, a key;keys-2;3")
    assert format_of(path).name == "quepid"
    assert [case.query for case in load_suite(path).cases] == ["rotate, a key"]


def test_a_row_without_a_grade_is_left_out_and_counted(tmp_path: Path) -> None:
    suite = read(written(tmp_path, *ROWS, "my key leaked;keys.md;;ana"), **NAMED)
    assert len(suite.cases) == 1
    assert "1 record without a grade left out" in suite.notes


def test_labels_in_words_want_a_worth(tmp_path: Path) -> None:
    path = written(tmp_path, ROWS[0], "replace a key;keys.md;good;ana")
    with pytest.raises(FormatError, match="say what each is worth: --grades good=1"):
        read(path, **NAMED)


def test_two_grades_of_one_pair_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"keys\.md with grade 1 for .*expected one grade"):
        read(written(tmp_path, *ROWS, "replace a key, safely;keys.md;1;ben"), **NAMED)


def test_rows_with_an_id_are_one_case_and_an_id_has_one_query(tmp_path: Path) -> None:
    rows = ["id;q;page;rating", "k1;keys;a.md;3", "k1;keys;b.md;1"]
    named = {"id": "id", "query": "q", "at": "page", "grade": "rating"}
    (case,) = read(written(tmp_path, *rows), **named).cases
    assert (case.id, len(case.targets)) == ("k1", 2)
    with pytest.raises(FormatError, match="the id 'k1' a second time"):
        read(written(tmp_path, *rows, "k1;hooks;c.md;1"), **named)


def test_a_field_that_is_not_there_is_told_once_with_those_that_are(tmp_path: Path) -> None:
    path = written(tmp_path, *ROWS, *ROWS[1:] * 20)
    with pytest.raises(FormatError) as raised:
        read(path, **{**NAMED, "query": "search trm"})
    assert str(raised.value) == (
        "option query: found no field 'search trm', expected one of search term, page, rating, rated by; "
        "did you mean search term?"
    )


def test_rows_without_a_query_are_told_once_with_a_count(tmp_path: Path) -> None:
    with pytest.raises(FormatError) as raised:
        read(written(tmp_path, *ROWS, *[";keys.md;3;ana"] * 30), **NAMED)
    assert [problem.found for problem in raised.value.problems] == ["no query under search term (30 times)"]


def test_what_answers_a_query_must_be_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no field named as what answers a query.*--option at=page"):
        read(written(tmp_path, *ROWS), query="search term")


def test_a_csv_that_no_format_knows_is_told_with_how_to_name_its_columns(tmp_path: Path) -> None:
    path = written(tmp_path, *ROWS)
    with pytest.raises(FormatError, match="name the columns of a table of your own: --from mapped"):
        format_of(path)
    with pytest.raises(InputError, match="--from mapped --option query=COLUMN"):
        load_suite(path, "quepid")


def test_a_converted_suite_is_named_after_the_file_it_goes_to(tmp_path: Path) -> None:
    options = [part for name, field in NAMED.items() for part in ("--option", f"{name}={field}")]
    path, target = written(tmp_path, *ROWS), tmp_path / "search.yaml"
    done = rankgate("suite", "convert", str(path), str(target), "--from", "mapped", *options)
    assert done.code == 0, done.err
    assert target.read_text(encoding="utf-8").startswith("name: search\n")


def test_a_name_that_the_file_says_stays(tmp_path: Path) -> None:
    source, target = tmp_path / "old.yaml", tmp_path / "new.yaml"
    source.write_text("name: old\ncases: [{query: keys, id: keys-2}]\n", encoding="utf-8")
    assert rankgate("suite", "convert", str(source), str(target)).code == 0
    assert target.read_text(encoding="utf-8").startswith("name: old\n")
