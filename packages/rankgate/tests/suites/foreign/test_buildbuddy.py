"""Rating suites in protojson."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import FormatError, InputError
from rankgate.scoring.expressions import parse_all
from rankgate.suites.foreign.buildbuddy import write_ratings
from rankgate.suites.formats import load_suite
from support.formats import judged, read

if TYPE_CHECKING:
    from pathlib import Path


def result(**fields: Any) -> dict[str, Any]:
    return {"owner": "o", "repo": "r", "filename": "a.go", "relevance": 2.0, **fields}


def suite_of(*results: dict[str, Any], **case: Any) -> dict[str, Any]:
    return {"cases": [{"query": {"term": "find"}, "ideal_results": list(results), **case}]}


def test_a_result_is_a_file_with_its_relevance(tmp_path: Path) -> None:
    suite = read(tmp_path / "a.json", suite_of(result(), result(filename="b.go", relevance=0.5)))
    assert judged(suite) == {"find": {"a.go": 2, "b.go": 0.5}}
    assert not suite.cases[0].exhaustive
    assert suite.metrics == ("ndcg@10",)


def test_both_spellings_of_protojson_are_read_and_defaults_may_be_missing(tmp_path: Path) -> None:
    written = {
        "cases": [
            {
                "query": {"term": "find"},
                "penalizeUnmatched": True,
                "idealResults": [
                    {"filename": "a.go", "matchCount": "3", "relevance": "1.5", "snippetLineNumbers": ["4"]},
                    {"filename": "b.go"},
                ],
            }
        ]
    }
    suite = read(tmp_path / "a.json", written)
    assert judged(suite) == {"find": {"a.go": 1.5, "b.go": 0}}
    assert suite.cases[0].exhaustive
    assert "field 'matchCount' left out 1 time" in suite.notes
    assert suite.metrics == ("ndcg@10", "pndcg(cost=1)@10")
    assert len(parse_all(suite.metrics)) == 2


def test_snippet_lines_become_alternatives_on_request(tmp_path: Path) -> None:
    written = suite_of(result(snippet_line_numbers=[416, 415, 418, 419]), result(filename="b.go"))
    assert judged(read(tmp_path / "a.json", written)) == {"find": {"a.go": 2, "b.go": 2}}
    case = read(tmp_path / "a.json", written, lines="true").cases[0]
    assert [(str(target.location), target.group) for target in case.targets] == [
        ("a.go:415-416", "any-1"),
        ("a.go:418-419", "any-1"),
        ("b.go", None),
    ]


def test_all_there_is_and_nothing_in_it_expects_no_hit(tmp_path: Path) -> None:
    suite = read(tmp_path / "a.json", suite_of(penalize_unmatched=True))
    assert suite.cases[0].expect_empty
    with pytest.raises(FormatError, match="no judged query"):
        read(tmp_path / "a.json", suite_of())


def test_results_of_two_repositories_are_refused_unless_one_is_chosen(tmp_path: Path) -> None:
    written = suite_of(result(), result(owner="x", filename="b.go"))
    with pytest.raises(FormatError, match=r"results of o/r \(1\), x/r \(1\).*--option repo=o/r"):
        read(tmp_path / "a.json", written)
    suite = read(tmp_path / "a.json", written, repo="x/r")
    assert judged(suite) == {"find": {"b.go": 2}}
    assert "1 result outside x/r left out" in suite.notes


def test_problems_carry_their_path(tmp_path: Path) -> None:
    written = suite_of(result(relevance="good"), result(filename=None), 7)  # type: ignore[arg-type]
    with pytest.raises(FormatError) as error:
        read(tmp_path / "a.json", written)
    assert [problem.where.removeprefix(f"{tmp_path}/") for problem in error.value.problems] == [
        "a.json: cases[0].ideal_results[1].filename",
        "a.json: cases[0].ideal_results[2]",
        "a.json",
    ]
    assert "the labels good (1)" in str(error.value)


def test_an_option_that_is_neither_true_nor_false_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="option lines: found 'yes'"):
        read(tmp_path / "a.json", suite_of(result()), lines="yes")


def test_ratings_are_written_so_that_they_read_back(tmp_path: Path) -> None:
    suite = read(tmp_path / "a.json", suite_of(result(), penalize_unmatched=True))
    assert write_ratings(suite, tmp_path / "b.json") == ()
    assert json.loads((tmp_path / "b.json").read_text())["cases"][0]["query"] == {"term": "find"}
    assert load_suite(tmp_path / "b.json").cases == suite.cases
