"""The reader of records: what is a target, which grade belongs to it, and what it cannot pair."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl
import pytest

from rankgate.errors import FormatError, InputError
from rankgate.model import XFail
from rankgate.suites.formats import ReadOptions, load_suite
from support.formats import judged, lines, read

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.model import Suite

SHEET = "search term;page;rating;rated by\nrotate, a key;keys.md;3;ana\nrotate, a key;a.md;0;ben\n"
NAMED = {"query": "search term", "at": "page", "grade": "rating"}


def mapped(file: Path, content: object, **options: str) -> Suite:
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return load_suite(file, "mapped", ReadOptions(options=options))


def problems(file: Path, content: object, **options: str) -> list[str]:
    with pytest.raises(FormatError) as raised:
        mapped(file, content, **options)
    return [str(one) for one in raised.value.problems]


def test_each_item_of_a_list_has_its_own_grade(tmp_path: Path) -> None:
    items = [{"id": "a", "grade": 3}, {"id": "b", "grade": 0}, {"id": "c", "grade": 1}]
    content = lines([{"query": "q", "relevant": items}])
    expected = {"q": {"a": 3, "b": 0, "c": 1}}
    path = tmp_path / "a.jsonl"
    assert judged(mapped(path, content, query="query", each="relevant", id="id", grade="grade")) == expected
    # Without `each`, the two columns of one list are paired by position.
    assert judged(mapped(path, content, query="query", id="relevant.id", grade="relevant.grade")) == expected


def test_lists_of_ids_and_grades_are_paired_by_position(tmp_path: Path) -> None:
    content = [{"q": "x", "ids": ["a", "b"], "grades": [2, 1]}, {"q": "y", "ids": ["a", "b"], "grades": 3}]
    suite = mapped(tmp_path / "a.json", content, query="q", id="ids", grade="grades")
    assert judged(suite) == {"x": {"a": 2, "b": 1}, "y": {"a": 3, "b": 3}}


def test_what_cannot_be_paired_is_an_error_with_every_record(tmp_path: Path) -> None:
    records = [
        {"q": "x", "ids": ["a", "b", "c"], "grades": [3, 0]},
        {"q": "y", "ids": ["a"], "grades": [1]},
        {"q": "z", "ids": ["a", "b"], "grades": [1]},
    ]
    path = tmp_path / "a.jsonl"
    fix = "name the list that has both: --option each=FIELD"
    assert problems(path, lines(records), query="q", id="ids", grade="grades") == [
        f"{path}:1: cannot pair 3 targets with 2 grades; {fix}",
        f"{path}:3: cannot pair 2 targets with 1 grade; {fix}",
    ]
    means = "say what that means: --option without_grade"
    gap = lines([{"q": "x", "r": [{"id": "a"}, {"grade": 1}]}])
    assert problems(path, gap, query="q", id="r.id", grade="r.grade") == [
        f"{path}:1: no grade under r.grade; {means}='leave out' or a number",
        f"{path}:1: a grade without a target",
    ]


def test_record_without_targets_is_an_error_unless_the_mapping_says_what_it_means(tmp_path: Path) -> None:
    content = [{"q": "x", "ids": ["a"]}, {"q": "weather", "ids": []}]
    path = tmp_path / "a.json"
    means = "say what that means: --option without_targets='expect: empty' or 'leave out'"
    assert problems(path, content, query="q", id="ids") == [f"{path}: [1]: no targets for 'weather'; {means}"]
    empty = mapped(path, content, query="q", id="ids", without_targets="expect: empty")
    assert [case.expect_empty for case in empty.cases] == [False, True]
    left = mapped(path, content, query="q", id="ids", without_targets="leave out")
    assert ([case.query for case in left.cases], left.notes) == (["x"], ("1 query without targets left out",))


def test_unused_fields_are_counted_at_every_depth(tmp_path: Path) -> None:
    records = [
        {"q": "x", "gold": {"ids": [{"id": "a", "why": "w", "who": {"name": "n"}}], "date": 1}, "empty": ""},
        {"q": "y", "gold": {"ids": [{"id": "b", "why": "w"}]}, "extra": [1]},
    ]
    content = {"made": 2024, "data": records}
    suite = mapped(tmp_path / "a.json", content, records="data", query="q", each="gold.ids", id="id")
    (note,) = suite.notes
    inside = "data.gold.ids.why (2), data.gold.ids.who (1), data.gold.date (1)"
    assert note == f"unused fields: made (1), {inside}, data.extra (1)"


def test_every_key_of_a_case_is_read(tmp_path: Path) -> None:
    record = {
        "q": "x",
        "ids": ["a"],
        "nr": "n-1",
        "kind": "exact",
        "labels": ["t", "u"],
        "why": "by hand",
        "team": "g",
        "answer": "because",
        "all": True,
        "w": 2,
        "known": "no synonyms yet",
        "facets": {"lang": "go", "tags": ["a", "b"], "archived": True, "year": 2024},
        "bad": ["z"],
        "first": ["a"],
    }
    options = {"query": "q", "id": "ids", "name": "nr", "category": "kind", "tags": "labels", "notes": "why"}
    options |= {"group": "team", "answer": "answer", "exhaustive": "all", "weight": "w", "xfail": "known"}
    options |= {"filters": "facets", "never": "bad", "top": "first"}
    suite = mapped(tmp_path / "a.json", [record], **options)
    (case,) = suite.cases
    assert (case.id, case.category, case.tags, case.notes) == (
        "n-1",
        "exact",
        frozenset({"t", "u"}),
        "by hand",
    )
    assert (case.group, case.answer, case.exhaustive, case.weight) == ("g", "because", True, 2)
    assert case.xfail == XFail("no synonyms yet")
    assert case.filters == {"lang": "go", "tags": ("a", "b"), "archived": "true", "year": "2024"}
    tops = [(str(top.location), top.within, top.never) for top in case.top]
    assert tops == [("a", 1, False), ("z", None, True)]
    assert suite.notes == ()


def test_targets_in_files_have_lines_groups_and_prefixes(tmp_path: Path) -> None:
    item = {"file": "/home/me/docs/keys.md", "from": 3, "to": "9", "or": "g"}
    other = {"file": "/home/me/docs/faq.md", "or": "g"}
    content = [{"q": "x", "gold": [item, other]}]
    options = {"query": "q", "each": "gold", "path": "file", "start": "from", "end": "to", "any_of": "or"}
    path = tmp_path / "a.json"
    found = problems(path, content, **options)[0]
    assert "invalid location '/home/me/docs/keys.md:3-9'" in found
    suite = mapped(path, content, **options, strip="/home/me/docs/", prefix="handbook/")
    assert judged(suite) == {"x": {"handbook/keys.md:3-9": 1, "handbook/faq.md": 1}}
    assert {target.group for target in suite.cases[0].targets} == {"g"}


def test_columns_of_cells_take_a_pattern(tmp_path: Path) -> None:
    text = "query,result1,result2\nq,a.md:3-6:2,b:c.md:1\nr,a.md:7:1,\n"
    suite = read(tmp_path / "a.csv", text)
    assert judged(suite) == {"q": {"a.md:3-6": 2, "b%3Ac.md": 1}, "r": {"a.md:7-7": 1}}
    path = tmp_path / "b.csv"
    with pytest.raises(FormatError) as raised:
        read(path, "query,result1\nq,a.md:3-6\nr,a.md:6-3:2\ns,../a.md:2\n")
    assert [str(one).split("; ")[0] for one in raised.value.problems] == [
        f"{path}:2: 'a.md:3-6' is not path:start-end:grade",
        f"{path}:3: invalid location 'a.md:6-3'",
        f"{path}:4: invalid location '../a.md'",
    ]


def test_octocode_file_may_have_a_category(tmp_path: Path) -> None:
    suite = read(tmp_path / "a.csv", "query,result1,category\nq,a.md:3-6:2,hard\n")
    assert [case.category for case in suite.cases] == ["hard"]


@pytest.mark.parametrize("separator", [";", "\t"])
def test_rows_of_one_query_are_one_case(tmp_path: Path, separator: str) -> None:
    suite = mapped(tmp_path / "a.csv", SHEET.replace(";", separator), **NAMED)
    assert judged(suite) == {"rotate, a key": {"keys.md": 3, "a.md": 0}}
    assert suite.notes == ("unused fields: rated by (2)",)


def test_records_of_one_query_with_other_facts_are_an_error(tmp_path: Path) -> None:
    content = lines([{"q": "x", "id": "a", "kind": "one"}, {"q": "x", "id": "b", "kind": "two"}])
    path = tmp_path / "a.jsonl"
    assert problems(path, content, query="q", id="id", category="kind") == [
        f"{path}:2: another category for 'x' than at {path}:1; if they are different cases, give each a name"
    ]


def test_two_grades_of_one_pair_are_an_error_with_both_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    assert problems(path, SHEET + "rotate, a key;keys.md;1;ben\n", **NAMED) == [
        f"{path}:4: keys.md has grade 1 for 'rotate, a key', and 3 at {path}:2; decide which is right"
    ]


def test_grades_in_words_want_a_worth_and_bad_is_zero(tmp_path: Path) -> None:
    text = "q,id,label\na,1,Exact\na,2,Substitute\na,3,Irrelevant\na,4,2\n"
    path = tmp_path / "a.csv"
    (found,) = problems(path, text, query="q", id="id", grade="label")
    assert found == (
        f"{path}: unknown grades Exact (1), Substitute (1), Irrelevant (1), 2 (1); "
        "say what each is worth: --grades Exact=2,Substitute=1,Irrelevant=0,2=2"
    )


def test_grades_below_zero_are_judged_and_not_relevant(tmp_path: Path) -> None:
    path = tmp_path / "a.qrels"
    path.write_text("q1 0 a 2\nq1 0 b -2\n")
    suite = load_suite(path)
    assert judged(suite) == {"q1": {"a": 2, "b": 0}}
    assert "1 grade below 0 read as 0: judged, and not relevant" in suite.notes


def test_parquet_is_read_as_a_table(tmp_path: Path) -> None:
    frame = pl.DataFrame({"q": ["x", "x", "y"], "ids": [["a"], ["b"], ["a", "c"]], "n": [1, 2, 3]})
    frame.write_parquet(tmp_path / "a.parquet")
    reading = ReadOptions(options={"query": "q", "id": "ids", "grade": "n"})
    suite = load_suite(tmp_path / "a.parquet", "mapped", reading)
    assert judged(suite) == {"x": {"a": 1, "b": 2}, "y": {"a": 3, "c": 3}}
    assert [case.where for case in suite.cases] == [f"{tmp_path}/a.parquet: row {n}" for n in (1, 3)]


def test_pooled_tables_say_so_by_an_option(tmp_path: Path) -> None:
    suite = mapped(tmp_path / "a.csv", SHEET, **NAMED, unlisted="unjudged", no_relevant="zero")
    assert (suite.unlisted, suite.no_relevant) == ("unjudged", "zero")
    with pytest.raises(InputError, match="write 'irrelevant' or 'unjudged'"):
        mapped(tmp_path / "a.csv", SHEET, **NAMED, unlisted="unknown")


def test_option_for_a_field_that_no_record_has_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    found = problems(path, SHEET, **{**NAMED, "category": "rated bye"})
    assert found == [f"{path}: option category: no record has a field 'rated bye'; did you mean rated by?"]


def test_option_that_is_unknown_is_an_error_with_a_near_key(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"format mapped has no option 'ids'; did you mean id\?"):
        mapped(tmp_path / "a.csv", SHEET, query="search term", ids="page")


def test_mapping_without_targets_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no field is named as what answers a query"):
        mapped(tmp_path / "a.csv", SHEET, query="search term")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"q": "x", "q": "y"}', "the key 'q' occurs twice in one object"),
        ('[{"q": "x"', "invalid JSON"),
        ("", "the file is empty"),
        ('"text"', "is not a record"),
        ('[["x"]]', "is not a record"),
        ("[" * 5000, "invalid JSON"),
    ],
)
def test_json_that_is_none_is_an_error(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(FormatError, match=said):
        load_suite(path, "mapped", ReadOptions(options={"query": "q", "id": "id"}))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty"),
        ("q,q\n1,2\n", "the header has 2 columns 'q'"),
        ("q,id\n1,2,3\n", "3 cells below a header of 2"),
        ('q,id\n"1,2\n', "invalid CSV"),
    ],
)
def test_table_that_is_none_is_an_error(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises(FormatError, match=said):
        load_suite(path, "mapped", ReadOptions(options={"query": "q", "id": "id"}))


def test_names_of_cases_with_one_slug_are_numbered(tmp_path: Path) -> None:
    content = [{"q": one, "id": "a"} for one in ("keys", "c++", "c#")]
    suite = mapped(tmp_path / "a.json", json.loads(json.dumps(content)), query="q", id="id")
    assert [case.id for case in suite.cases] == ["keys", "c", "c-2"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- &a {q: x, id: 1}\n- *a\n", "1:3: the anchor &a is not supported. "),
        ("- {q: x, id: 1, id: 2}\n", "1:17: the key `id` occurs twice, first in line 1. "),
        ("- {q: !!python/name:os.system x}\n", "1:7: the tag !!python/name:os.system is not supported. "),
        ("[" * 200, "1:101: values are nested more than 100 levels deep. "),
    ],
)
def test_mapped_yaml_with_unsupported_syntax_is_an_error(tmp_path: Path, text: str, said: str) -> None:
    (problem,) = problems(tmp_path / "a.yaml", text, query="q", id="id")
    assert problem.removeprefix(f"{tmp_path}/a.yaml:").startswith(said)


def test_quoted_words_of_mapped_yaml_are_text(tmp_path: Path) -> None:
    records = "- {q: 'null', id: 007}\n- {q: 1.10, id: 'true'}\n"
    assert judged(mapped(tmp_path / "a.yaml", records, query="q", id="id")) == {
        "null": {"007": 1},
        "1.10": {"true": 1},
    }
