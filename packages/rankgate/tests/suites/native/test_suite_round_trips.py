"""A suite that is written and read again is the same suite, in every format of ours."""

from __future__ import annotations

import json
import math
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given

from rankgate.errors import InputError
from rankgate.locations import Location
from rankgate.model import Case, CorpusSource, GateText, Suite, Target, Top
from rankgate.suites.formats import format_named, load_suite
from support.drawn_suites import suites

FILES = {"native": "s.yaml", "jsonl": "s.suite.jsonl"}


def written(suite: Suite, path: Path, name: str) -> tuple[str, ...]:
    write = format_named(name).write
    assert write is not None
    return write(suite, path)


@pytest.mark.parametrize("name", FILES)
@given(suite=suites())
def test_what_is_written_reads_back_the_same(name: str, suite: Suite) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, FILES[name])
        assert written(suite, path, name) == ()
        found = load_suite(path)
        assert found == suite
        assert found.fingerprint == suite.fingerprint


@given(suite=suites())
def test_json_is_written_where_the_name_says_so(suite: Suite) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "s.json")
        assert written(suite, path, "native") == ()
        json.loads(path.read_bytes())
        assert load_suite(path, "native") == suite


SUITE = Suite(
    "handbook",
    (
        Case(
            "rotate-a-key", "rotate a key", (Target(Location.at("auth/keys.md#Rotation")),), category="exact"
        ),
        Case(
            "q2",
            "retry webhooks",
            (Target(Location.at("webhooks.md#Retries"), 3.0), Target(Location.at("errors.md:40-62"), 0.0)),
            tags=frozenset({"language=go", "kind=a", "kind=b"}),
            top=(Top(Location.at("webhooks.md"), 3),),
        ),
        Case(
            "yes",
            "two: words",
            (
                Target(Location.at("a.md"), source="proposed by clicks"),
                Target(Location.of_id("007"), source="proposed by clicks"),
                Target(Location.at("b.py::f"), 2.0, "any-1", source="proposed by clicks"),
                Target(Location.at("c.md"), 1.0, "any-1", source="proposed by clicks"),
            ),
            filters={"kind": ("class",)},
            notes="two\nlines",
        ),
        Case("nothing", "blockchain", expect_empty=True),
    ),
    gates=(GateText("ndcg@10 >= 0.65"),),
    corpus=CorpusSource("docs.zip", "archive", {"under": "src"}),
)


def test_yaml_is_written_as_a_person_would(tmp_path: Path) -> None:
    written(SUITE, tmp_path / "s.yaml", "native")
    assert (
        (tmp_path / "s.yaml").read_text()
        == """\
# yaml-language-server: $schema=.rankgate/suite.schema.json
name: handbook
corpus: {archive: docs.zip, under: src}
gates: [ndcg@10 >= 0.65]
cases:
  - query: rotate a key
    at: auth/keys.md#Rotation
    category: exact
  - name: q2
    query: retry webhooks
    at: {webhooks.md#Retries: 3, errors.md:40-62: 0}
    top: {at: webhooks.md, within: 3}
    tags: {kind: [a, b], language: go}
  - name: "yes"
    query: "two: words"
    at: a.md
    id: "007"
    any_of: [{b.py::f: 2, c.md: 1}]
    source: proposed by clicks
    filters: {kind: [class]}
    notes: |-
      two
      lines
  - name: nothing
    query: blockchain
    expect: empty
"""
    )


def test_the_same_suite_has_one_fingerprint_in_all_formats(tmp_path: Path) -> None:
    found = set()
    for name, file in FILES.items():
        written(SUITE, tmp_path / file, name)
        found.add(load_suite(tmp_path / file).fingerprint)
    assert found == {SUITE.fingerprint}


@pytest.mark.parametrize("name", ["native", "jsonl"])
def test_line_breaks_at_the_end_are_told_to_be_lost(name: str, tmp_path: Path) -> None:
    suite = Suite("s", (Case("a", "query\n", notes="x\n\n"), Case("b", "other", answer="yes\n")))
    assert written(suite, tmp_path / FILES[name], name) == (
        "1 case: line breaks at the end of the answer are not kept",
        "1 case: line breaks at the end of the notes are not kept",
        "1 case: line breaks at the end of the query are not kept",
    )
    assert [case.query for case in load_suite(tmp_path / FILES[name]).cases] == ["query", "other"]


@pytest.mark.parametrize("name", FILES)
def test_places_without_a_corpus_are_told_to_become_ids(name: str, tmp_path: Path) -> None:
    suite = Suite("s", (Case("a", "q", (Target(Location.at("a.md:1-2")),)),))
    (told,) = written(suite, tmp_path / FILES[name], name)
    assert "locations are read as ids, because the suite names no corpus" in told
    assert load_suite(tmp_path / FILES[name]).cases[0].targets[0].location == Location(id="a.md:1-2")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    ("case", "told"),
    [
        (Case("a", " "), "query"),
        (Case("a", "q", (Target(Location.of_id("x"), math.inf),)), "grade"),
        (Case("a", "q", (Target(Location.of_id("x"), 4),)), "top of the scale"),
        (Case("a", "q", weight=math.inf), "from 1e-6 to 1e6"),
    ],
)
def test_what_no_file_could_hold_is_refused_and_the_old_file_stays(
    name: str, case: Case, told: str, tmp_path: Path
) -> None:
    path = tmp_path / FILES[name]
    path.write_text("old")
    with pytest.raises(InputError, match=told):
        written(Suite("s", (Case("x", "fine"), case), max_grade=3.0), path, name)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("key", ["x" * 901, "\x01" * 150])
def test_writing_a_key_that_yaml_cannot_read_is_an_error(name: str, key: str, tmp_path: Path) -> None:
    suite = Suite("s", (Case("a", "q", filters={key: "x"}),))
    with pytest.raises(InputError, match=r"a key of 90\d characters, expected at most 900"):
        written(suite, tmp_path / FILES[name], name)


def test_a_suite_that_is_too_large_for_yaml_is_refused(tmp_path: Path) -> None:
    suite = Suite("s", tuple(Case(str(number), "x" * 1_000_000) for number in range(21)))
    with pytest.raises(InputError, match="write it as JSONL or Parquet"):
        written(suite, tmp_path / "s.yaml", "native")
