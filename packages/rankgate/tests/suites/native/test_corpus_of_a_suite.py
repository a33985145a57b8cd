"""The corpus of a suite: a folder, or a mapping whose one key is the kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankgate.errors import FormatError
from rankgate.locations import Location
from rankgate.model import CorpusSource, Suite
from rankgate.suites.formats import ReadOptions
from rankgate.suites.native import parse_suite


def suite(corpus: str, case: str = "id: x", reading: ReadOptions | None = None) -> Suite:
    return parse_suite(f"corpus: {corpus}\ncases:\n- {{query: q, {case}}}\n", Path("s.yaml"), reading)


def problem(corpus: str, case: str = "id: x") -> str:
    with pytest.raises(FormatError) as caught:
        suite(corpus, case)
    (told,) = caught.value.problems
    return str(told)


@pytest.mark.parametrize(
    ("corpus", "source"),
    [
        ("docs/", CorpusSource("docs/")),
        ("{folder: docs/}", CorpusSource("docs/")),
        (
            "{git: ., commit: 1234567, under: docs}",
            CorpusSource(".", "git", {"commit": "1234567", "under": "docs"}),
        ),
        ("{archive: a.zip, sha256: 00e1}", CorpusSource("a.zip", "archive", {"sha256": "00e1"})),
        ("{beir: scifact/}", CorpusSource("scifact/", "beir")),
        (
            "{jsonl: d.jsonl, id: _id, text: [title, text]}",
            CorpusSource("d.jsonl", "jsonl", {"id": "_id", "text": ("title", "text")}),
        ),
    ],
)
def test_every_kind_is_read(corpus: str, source: CorpusSource) -> None:
    assert suite(corpus).corpus == source


KINDS = "a corpus needs exactly one of the keys `archive`, `beir`, `folder`, `git`, `jsonl`"


@pytest.mark.parametrize(
    ("corpus", "told"),
    [
        ("{gti: .}", f"{KINDS}, found `gti`. Did you mean git?"),
        ("{}", f"{KINDS}, found an empty mapping."),
        ("{git: ., folder: a}", f"{KINDS}, found `git`, `folder`."),
        ("{git: }", "expected text, found nothing."),
        ("{git: ., commit: {a: b}}", "expected text, found a mapping."),
        ("{jsonl: a, text: [[]]}", "expected text, found an empty list."),
        ("[docs/]", "expected text, found a list."),
    ],
)
def test_invalid_corpus_is_an_error(corpus: str, told: str) -> None:
    assert problem(corpus) == f"s.yaml:1:9: {told}"


@pytest.mark.parametrize(
    "case", ["at: a.md", "at: [{at: a.md}]", "top: {at: a.md}", "any_of: [{at: [a.md]}]"]
)
def test_records_have_no_places(case: str) -> None:
    told = problem("{beir: scifact/}", case)
    assert "a corpus of beir records has no locations. Write `id:` instead." in told


def test_records_are_named_by_ids_that_are_not_parsed() -> None:
    (case,) = suite("{jsonl: d.jsonl}", "id: 'a.md:9-1', any_of: [['x:y', z]]").cases
    assert [target.location for target in case.targets] == [
        Location(id=name) for name in ("a.md:9-1", "x:y", "z")
    ]


def test_the_kind_of_the_corpus_that_is_told_counts() -> None:
    found = suite("{beir: scifact/}", "at: a.md", ReadOptions(corpus=CorpusSource("docs/")))
    assert found.cases[0].targets[0].location == Location(path="a.md")


def test_the_new_keys_of_a_case_and_a_target_are_read() -> None:
    found = parse_suite(
        "unlisted: unjudged\n"
        "cases:\n"
        "- query: q\n"
        "  answer: |\n"
        "    two\n"
        "    lines\n"
        "  id: [{id: x, group: g}, {id: y, group: g}, z]\n",
        Path("s.yaml"),
    )
    assert (found.unlisted, found.cases[0].answer) == ("unjudged", "two\nlines")
    assert [target.group for target in found.cases[0].targets] == ["g", "g", None]


@pytest.mark.parametrize(
    ("case", "told"),
    [
        (
            "any_of: [[{id: x, group: g}]]",
            "`group` inside `any_of` is not supported",
        ),
        (
            "id: [{id: x, group: any-1}], any_of: [[y]]",
            "`any_of` uses the group name `any-1`. Rename the `group`.",
        ),
    ],
)
def test_what_a_target_may_not_say_is_told(case: str, told: str) -> None:
    assert told in problem("docs/", case)
