"""Queries with gold spans."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.errors import FormatError
from rankgate.suites.foreign.contextbench import write_spans
from rankgate.suites.formats import load_suite
from support.formats import judged, lines, read

if TYPE_CHECKING:
    from pathlib import Path

RECORDS = [
    {
        "id": "one",
        "repo": "cli",
        "language": "go",
        "base_commit": "95",
        "query": "clone",
        "gold": [{"file": "a.go", "start": 1, "end": 5}, {"file": "/workspace/t.js", "start": 1, "end": 2}],
    },
    {
        "id": "two",
        "repo": "x",
        "base_commit": "1",
        "query": "b",
        "gold": [{"path": "b.py", "start": 2, "end": 2}],
    },
]


def test_spans_are_targets_and_the_repository_is_a_tag(tmp_path: Path) -> None:
    suite = read(tmp_path / "a.jsonl", lines(RECORDS))
    assert judged(suite) == {"clone": {"a.go:1-5": 1}, "b": {"b.py:2-2": 1}}
    assert suite.cases[0].tags == {"repo=cli", "language=go"}
    assert suite.cases[0].notes == "at commit 95"
    assert suite.notes[0] == "1 span of absolute paths left out, which no repository has"
    assert suite.notes[1].startswith("2 repositories and commits in one file")


def test_the_cases_of_one_repository_are_read_alone(tmp_path: Path) -> None:
    suite = read(tmp_path / "a.jsonl", lines(RECORDS), repo="cli")
    assert list(judged(suite)) == ["clone"]
    assert "1 case of other repositories or commits left out" in suite.notes


def test_an_id_written_twice_is_a_problem(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"a.jsonl:2: found the id 'one' a second time"):
        read(tmp_path / "a.jsonl", lines([RECORDS[0], RECORDS[0]]))


def test_spans_are_written_so_that_they_read_back(tmp_path: Path) -> None:
    suite = read(tmp_path / "a.jsonl", lines(RECORDS))
    assert write_spans(suite, tmp_path / "b.jsonl") == ("notes of 2 cases left out",)
    again = load_suite(tmp_path / "b.jsonl")
    assert judged(again) == judged(suite)
    assert [case.tags for case in again.cases] == [case.tags for case in suite.cases]
