"""Suites with a case a line: the same cases as in YAML, the same problems, with line and path."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from rankgate.errors import FormatError
from rankgate.locations import Location
from rankgate.model import CorpusSource
from rankgate.suites import native
from rankgate.suites.dump import JSONL
from rankgate.suites.formats import ReadOptions, load_suite
from rankgate.suites.native import parse_suite, read_jsonl

ABOUT = {"version": 1, "name": "search", "corpus": "docs/", "scale": 3, "gates": ["ndcg@10 >= 0.65"]}
CASES: list[dict[str, Any]] = [
    {"query": "rotate an API key", "at": "auth/keys.md#Rotation"},
    {"query": "retry", "at": {"webhooks.md#Retries": 3, "errors.md:40-62": 1}, "tags": {"language": "go"}},
    {
        "query": "mixed",
        "at": ["a.md", {"id": 7, "grade": 0.5, "source": "proposed"}],
        "answer": "yes",
        "weight": 2,
    },
    {"query": "retry", "expect": "empty", "notes": "null", "category": True},
]


def write(path: Path, *lines: object) -> Path:
    path.write_text("".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines))
    return path


def problems(path: Path, *lines: object) -> list[str]:
    with pytest.raises(FormatError) as caught:
        read_jsonl(write(path, *lines))
    return str(caught.value).replace(f"{path.parent}/", "").split("\n")


def test_lines_are_the_same_suite_as_yaml(tmp_path: Path) -> None:
    found = load_suite(write(tmp_path / "s.suite.jsonl", ABOUT, *CASES))
    assert found == parse_suite(json.dumps({**ABOUT, "cases": CASES}), Path("s.yaml"))
    assert [case.id for case in found.cases] == ["rotate-an-api-key", "retry", "mixed", "retry-2"]
    assert found.cases[1].where == f"{tmp_path}/s.suite.jsonl:3:1"


def test_a_file_may_start_with_a_case_and_be_compressed(tmp_path: Path) -> None:
    path = tmp_path / "handbook.suite.jsonl.gz"
    path.write_bytes(gzip.compress(b'\xef\xbb\xbf{"query": "a", "id": 7}\r\n\r\n{"query": "b", "id": "x"}'))
    found = load_suite(path)
    assert (found.name, found.corpus, [case.query for case in found.cases]) == ("handbook", None, ["a", "b"])
    assert found.cases[0].targets[0].location == Location(id="7")


def test_the_corpus_that_is_told_stands_in(tmp_path: Path) -> None:
    told = ReadOptions(corpus=CorpusSource("here/"))
    found = load_suite(write(tmp_path / "s.jsonl", CASES[0]), "jsonl", told)
    assert (found.corpus, found.cases[0].targets[0].location.heading) == (told.corpus, ("Rotation",))


def test_all_problems_come_with_line_and_path(tmp_path: Path) -> None:
    assert problems(
        tmp_path / "s.jsonl",
        {**ABOUT, "k": 0, "cases": []},
        {"query": "q", "at": [{"at": "a.md", "grade": "x"}]},
        "{nonsense}\n",
        "[1]\n",
        "\n",
        {"query": "q", "name": "n", "at": {"/a.md": 1, "b.md": 4}},
        '{"query": "q", "query": "p", "at": null}\n',
        {"query": "q", "name": "n", "att": "a.md"},
        '{"query": "\\ud800"}\n',
        '{"query": "q", "weight": NaN}\n',
    ) == [
        "s.jsonl:1:100: expected a whole number, 1 or more, found 0.",
        ("s.jsonl:1:103: the first line has the settings only. Write each case in a line of its own."),
        "s.jsonl:2:47: expected a number as the grade, found the text 'x'.",
        "s.jsonl:3:1: a case needs the key `query`.",
        "s.jsonl:3:2: unknown key `nonsense`. Did you mean `notes`?",
        "s.jsonl:4:1: expected a case, found a list.",
        (
            "s.jsonl:6:45: the location `/a.md` is invalid: a path outside the corpus. "
            "Expected a relative path without `..`."
        ),
        "s.jsonl:6:56: the grade 4 is above 3, the top of the scale.",
        "s.jsonl:7:16: the key `query` occurs twice, first in line 7. Remove one of them.",
        's.jsonl:7:36: expected text, found nothing. Write "null" in quotes if you mean the word.',
        "s.jsonl:8:24: the name `n` occurs twice, first in line 6. Names must be unique.",
        "s.jsonl:8:29: unknown key `att`. Did you mean `at`?",
        (
            "s.jsonl:9:14: invalid YAML: found invalid Unicode character escape code. "
            "Put quotes around a text that begins with one of *&!%@`[{|>, and close every bracket and quote."
        ),
        "s.jsonl:10:26: expected a number from 1e-6 to 1e6, found NaN.",
    ]


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([], "s.jsonl: the suite has no cases."),
        ([ABOUT], "s.jsonl: the suite has no cases."),
        ([{"version": 2}, {"query": "q"}], "s.jsonl:1:13: version 2 is unsupported."),
        (['{"query": ' + "[" * 200 + "]" * 200 + "}"], "s.jsonl:1:110: values are nested more than 100"),
        (['{"query": ' + "[" * 100_000], "s.jsonl:1:110: values are nested more than 100"),
        (['{"query": "' + "9" * 2_000_000], "s.jsonl:1: found a line of more than 1000000 bytes"),
        (['{"query": "q", "weight": ' + "9" * 5000 + "}"], "s.jsonl:1:26: expected a number from 1e-6"),
    ],
)
def test_what_is_no_suite_is_refused(lines: list[object], told: str, tmp_path: Path) -> None:
    assert problems(tmp_path / "s.jsonl", *lines)[0].startswith(told)


def test_bytes_that_are_not_text_are_told_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "s.suite.jsonl"
    path.write_bytes(b'{"query": "a"}\n{"query": "\xff"}\n')
    with pytest.raises(FormatError, match=r"jsonl:2: found byte 0xff, which is not UTF-8"):
        load_suite(path)


@pytest.mark.parametrize(
    ("name", "start", "is_one"),
    [
        ("s.jsonl", b'{"version": 1, "name": "x"}\n{"query": "q"}\n', True),
        ("s.ndjson", b'{"name": "x", "version": 1}\n{"query": "q"}\n', True),
        ("s.jsonl", b'{"version": 1, "scenarios": [' + b" " * 4096, True),
        ("s.suite.jsonl", b'{"query": "q", "id": "d"}\n', True),
        ("s.SUITE.NDJSON.zst", b"", True),
        ("judgments.jsonl", b'{"query": "q1", "id": "d1", "grade": 2}\n', False),
        ("s.jsonl", b'{"query": "q", "version": 1}\n', False),
        ("s.jsonl", b'{"version": 1, "cases": []}\n', False),
        ("s.jsonl", b'["version"]\n', False),
        ("s.jsonl", b"version\n", False),
        ("s.json", b'{"version": 1}\n', False),
    ],
)
def test_only_what_is_surely_a_suite_is_recognised(name: str, start: bytes, *, is_one: bool) -> None:
    assert JSONL.recognise(Path(name), start) is is_one


def test_a_line_may_not_be_longer_than_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "LONGEST", 20)
    assert problems(tmp_path / "s.jsonl", {"query": "q"}, {"query": "a query of 20"}) == [
        "s.jsonl:2: found a line of more than 20 bytes, expected at most 20"
    ]
