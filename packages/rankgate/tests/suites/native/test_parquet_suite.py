"""Suites with a row a case: checked when they are opened, read as they are needed, in little memory."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from rankgate.errors import FormatError, RankgateError
from rankgate.model import Case, CorpusSource, Location, Suite, Target, XFail
from rankgate.model.suite import LazyCases
from rankgate.suites.formats import ReadOptions, load_suite
from rankgate.suites.native import parquet_cases
from rankgate.suites.native.case_rows import COLUMNS
from rankgate.suites.native.parquet import FORMAT, read_parquet, write_parquet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def table(path: Path, rows: Sequence[Mapping[str, Any]], about: Mapping[str, Any] | None = None) -> Path:
    kinds = {name: kind for name, kind in COLUMNS.items() if any(name in row for row in rows)}
    metadata = None if about is None else {"rankgate.suite": json.dumps(about)}
    pl.DataFrame(rows, schema=kinds).write_parquet(path, metadata=metadata)
    return path


def problems(path: Path, *rows: Mapping[str, Any], about: Mapping[str, Any] | None = None) -> list[str]:
    with pytest.raises(FormatError) as caught:
        read_parquet(table(path, rows, about))
    return str(caught.value).replace(f"{path.parent}/", "").split("\n")


def cases(count: int) -> tuple[Case, ...]:
    return tuple(
        Case(
            f"case-{n}",
            f"query {n}",
            (Target(Location.at(f"docs/{n % 97}.md#Part")), Target(Location(id="x"), 2.0)),
        )
        for n in range(count)
    )


def test_only_an_id_and_a_query_must_be_there(tmp_path: Path) -> None:
    path = tmp_path / "other.parquet"
    pl.DataFrame({"id": [7, 8], "query": ["a", "b"], "more": [1, 2]}).write_parquet(path)
    found = load_suite(path, "parquet")
    assert (found.name, found.corpus, found.metrics) == ("other", None, ("ndcg@10",))
    assert list(found.cases) == [Case("7", "a"), Case("8", "b")]
    assert found.cases[1].where == f"{path}: row 2"
    assert found.notes == ("1 column that is not part of a suite: 'more'",)


def test_tables_of_other_types_and_with_fewer_fields_are_read(tmp_path: Path) -> None:
    path = tmp_path / "other.parquet"
    pl.DataFrame(
        {
            "id": pl.Series(["a", "b"], dtype=pl.Categorical),
            "query": ["x", "y"],
            "weight": pl.Series([1, 2], dtype=pl.Int8),
            "targets": [[{"id": 3, "grade": 2, "more": 1}, {"id": 4, "grade": None, "more": 1}], []],
            "tags": pl.Series([["t", "u"], ["v", "w"]], dtype=pl.Array(pl.String, 2)),
            "filters": [[{"key": "k", "values": ["v"]}, {"key": "l", "values": ["v", "w"]}], None],
            "xfail_reason": [None, "later"],
            "xfail_until": [None, date(2030, 1, 31)],
            "notes": [None, None],
        }
    ).write_parquet(path)
    assert list(read_parquet(path).cases) == [
        Case(
            "a",
            "x",
            (Target(Location(id="3"), 2.0), Target(Location(id="4"))),
            tags=frozenset("tu"),
            filters={"k": "v", "l": ("v", "w")},
        ),
        Case("b", "y", weight=2.0, tags=frozenset("vw"), xfail=XFail("later", date(2030, 1, 31))),
    ]


def test_all_problems_come_with_their_row(tmp_path: Path) -> None:
    def target(**fields: Any) -> dict[str, Any]:
        return {"id": "a", "query": "q", "targets": [{"id": "x"}, fields]}

    assert problems(
        tmp_path / "s.parquet",
        {"id": "a", "query": "q", "tags": ["x", None], "filters": [{"key": None, "values": ["x"]}]},
        {"id": " ", "query": None, "weight": 0.0},
        {"id": "a", "query": "q", "expect_empty": True, "targets": [{"id": "x"}], "xfail_reason": "x"},
        target(id="x", at="a.md"),
        target(at="/a.md"),
        target(at="a.md:9-1"),
        target(id="x", grade=4.0),
        target(id="x", grade=float("nan"), matches=-1),
        target(id=" "),
        {"id": "b", "query": "q", "top": [{"at": "docs/../a.md", "within": -1}]},
        {"id": "c", "query": "q", "targets": [None], "weight": float("inf")},
        about={"corpus": "docs/", "scale": 3},
    ) == [
        "s.parquet: row 2: id: found text without a word, expected text",
        "s.parquet: row 2: query: found text without a word, expected text",
        "s.parquet: row 2: weight: found 0.0, expected a number above 0",
        "s.parquet: row 11: weight: found inf, expected a number above 0",
        "s.parquet: row 3: expect_empty: found true beside targets or top, expected one of the two",
        "s.parquet: row 3: xfail_reason: found only one of reason and until, expected both or neither",
        "s.parquet: row 1: tags: found a null, expected text",
        (
            "s.parquet: row 1: filters: found a facet without a key, or with a null, "
            "expected a key and its values"
        ),
        "s.parquet: row 4: targets: found none or several of id, at and quote, expected one of them",
        "s.parquet: row 11: targets: found none or several of id, at and quote, expected one of them",
        "s.parquet: row 9: targets: found an empty name, expected a name",
        (
            "s.parquet: row 5: targets: found '/a.md', a path outside the corpus, "
            "expected a relative path without .."
        ),
        (
            "s.parquet: row 6: targets: found 'a.md:9-1', 9-1, expected 1 <= start <= end; "
            "lines are 1-based, both ends included"
        ),
        (
            "s.parquet: row 10: top: found 'docs/../a.md', a path outside the corpus, "
            "expected a relative path without .."
        ),
        "s.parquet: row 10: top: found within -1, expected within of 1 or more, or 0 for never",
        "s.parquet: row 7: targets: found grade 4.0, expected a number, at most 3, the top of the scale",
        "s.parquet: row 8: targets: found grade NaN, expected a number, at most 3, the top of the scale",
        "s.parquet: row 8: targets: found matches -1, expected a whole number, 0 or more",
        "s.parquet: row 3: id: found 'a', as in row 1, expected an id of its own",
        "s.parquet: row 4: id: found 'a', as in row 1, expected an id of its own",
        "s.parquet: found 5 more problems, expected none; correct the first 20",
    ]


@pytest.mark.parametrize(
    ("about", "told"),
    [
        ({"k": 0}, "s.parquet: rankgate.suite: k: found '0', expected a whole number, 1 or more"),
        ({"cases": []}, "s.parquet: rankgate.suite: found cases in the metadata, expected a row a case"),
        ([], "s.parquet: rankgate.suite: found an empty list, expected a mapping about the suite"),
        (
            {"corpus": {"beir": "x"}},
            "s.parquet: row 1: targets: found a location in a corpus of beir records",
        ),
    ],
)
def test_what_is_said_about_the_suite_is_checked(about: Any, told: str, tmp_path: Path) -> None:
    row = {"id": "a", "query": "q", "targets": [{"at": "a.md"}]}
    assert problems(tmp_path / "s.parquet", row, about=about)[0].startswith(told)


@pytest.mark.parametrize(
    ("frame", "told"),
    [
        ({"id": ["a"]}, "query: found no such column, expected a column of String"),
        ({"id": ["a"], "query": [1.5]}, "query: found a column of Float64, expected a column of String"),
        (
            {"id": ["a"], "query": ["q"], "targets": [["x"]]},
            "targets: found a column of List(String), expected",
        ),
        ({"id": ["a"], "query": ["q"], "weight": ["1"]}, "weight: found a column of String, expected"),
        ({"id": [], "query": []}, "found a suite without cases, expected a row a case"),
    ],
)
def test_columns_that_do_not_fit_are_told(frame: dict[str, Any], told: str, tmp_path: Path) -> None:
    pl.DataFrame(frame).write_parquet(tmp_path / "s.parquet")
    with pytest.raises(FormatError) as caught:
        read_parquet(tmp_path / "s.parquet")
    assert f"s.parquet: {told}" in str(caught.value)


def test_cases_are_a_sequence_that_is_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_cases, "CHUNK", 7)
    expected = cases(50)
    write_parquet(Suite("s", expected, corpus=CorpusSource("docs/")), tmp_path / "s.suite.parquet")
    found = load_suite(tmp_path / "s.suite.parquet").cases
    assert isinstance(found, LazyCases)
    assert (len(found), found[0], found[-1], found[20]) == (50, expected[0], expected[-1], expected[20])
    assert list(found[3:40:5]) == list(expected[3:40:5])
    assert found[3:40:5][2:][1] == expected[18]
    assert (list(reversed(found)), list(found)) == (list(reversed(expected)), list(expected))
    assert found == expected
    assert expected == found
    assert found[:49] != expected
    assert found != (*expected[:-1], Case("z", "z"))
    with pytest.raises(IndexError):
        found[50]


def test_a_file_that_changes_after_it_was_opened_is_refused(tmp_path: Path) -> None:
    path = table(tmp_path / "s.parquet", [{"id": "a", "query": "q"}])
    found = read_parquet(path)
    table(path, [{"id": "a", "query": "another"}])
    with pytest.raises(FormatError, match="a file that has changed"):
        list(found.cases)


def test_the_corpus_that_is_told_stands_in(tmp_path: Path) -> None:
    path = table(tmp_path / "s.parquet", [{"id": "a", "query": "q", "targets": [{"at": "a.md#B"}]}])
    assert read_parquet(path).cases[0].targets[0].location == Location(id="a.md#B")
    told = read_parquet(path, ReadOptions(corpus=CorpusSource("docs/")))
    assert told.cases[0].targets[0].location == Location(path="a.md", heading=("B",))


def test_a_later_version_is_refused(tmp_path: Path) -> None:
    frame = pl.DataFrame({"id": ["a"], "query": ["q"]})
    frame.write_parquet(tmp_path / "s.parquet", metadata={"rankgate.schema": "2"})
    with pytest.raises(FormatError, match="schema version '2', expected version 1"):
        read_parquet(tmp_path / "s.parquet")


def test_a_table_is_recognised_by_its_name_or_its_columns(tmp_path: Path) -> None:
    rows = [{"id": "a", "query": "q", "targets": [{"id": "x"}]}]
    for name, columns, is_one in [
        ("s.suite.parquet", ["id", "query"], True),
        ("s.parquet", ["id", "query", "targets"], True),
        ("s.parquet", ["id", "query"], False),
    ]:
        path = tmp_path / name
        pl.DataFrame(rows, schema_overrides=dict(COLUMNS)).select(columns).write_parquet(path)
        assert FORMAT.recognise(path, path.read_bytes()[:4096]) is is_one
    assert not FORMAT.recognise(tmp_path / "s.suite.parquet", b"PK")


def test_damaged_files_are_refused_with_our_own_error(tmp_path: Path) -> None:
    path = tmp_path / "s.suite.parquet"
    write_parquet(Suite("s", cases(40), corpus=CorpusSource("docs/")), path)
    whole = path.read_bytes()
    refused = 0
    for at in range(0, len(whole), 23):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        try:
            list(read_parquet(path).cases)
        except RankgateError:
            refused += 1
    assert refused > 5


READ_ALL = """
import sys
from rankgate.suites.native.parquet import read_parquet
import rankgate.suites.native.parquet_cases

def peak():
    return int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) / 1024

before = peak()
suite = read_parquet(sys.argv[1])
count = sum(1 for case in suite.cases if case.targets)
print(count, peak() - before)
"""


def memory(path: Path, count: int) -> float:
    """Write a suite of so many cases, and say by how many MB a process grows that reads all of them."""

    def frame(start: int) -> pl.DataFrame:
        rows = range(start, start + 10_000)
        return pl.DataFrame(
            {
                "id": [f"case-{n}" for n in rows],
                "query": [f"how do I rotate the key of service {n}" for n in rows],
                "targets": [
                    [{"at": f"docs/{n % 5000}.md#Part", "grade": 2.0}, {"at": f"b/{n}.md"}] for n in rows
                ],
            },
            schema={name: COLUMNS[name] for name in ("id", "query", "targets")},
        )

    parts = [path.with_name(f"part-{start}.parquet") for start in range(0, count, 10_000)]
    for number, part in enumerate(parts):
        frame(number * 10_000).write_parquet(part)
    pl.scan_parquet(parts).sink_parquet(path, metadata={"rankgate.suite": '{"corpus": "docs/"}'})
    done = subprocess.run(
        [sys.executable, "-c", READ_ALL, str(path)], check=True, capture_output=True, text=True
    ).stdout.split()
    assert int(done[0]) == count
    return float(done[1])


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
@pytest.mark.long
def test_ten_times_the_cases_need_hardly_more_memory(tmp_path: Path) -> None:
    few, many = (memory(tmp_path / f"{count}.suite.parquet", count) for count in (10_000, 100_000))
    assert many < 200
    assert many < few + 100


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
def test_a_million_cases_are_read_in_bounded_memory(tmp_path: Path) -> None:
    assert memory(tmp_path / "million.suite.parquet", 1_000_000) < 300
