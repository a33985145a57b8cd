"""Suites in YAML: every way to write them, and what they become."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from rankgate.errors import FormatError, InputError
from rankgate.io import yaml
from rankgate.locations import Location
from rankgate.model import (
    Action,
    Case,
    CorpusSource,
    Invariant,
    MapRule,
    MatchBy,
    Matching,
    Query,
    Relation,
    Scenario,
    Step,
    Suite,
    Target,
    Top,
    XFail,
)
from rankgate.suites.formats import load_suite
from rankgate.suites.native import parse_suite, slug


def suite(text: str) -> Suite:
    return parse_suite(text, Path("search.yaml"))


def case(text: str, corpus: str = "corpus: docs/\n") -> Case:
    lines = "".join(f"    {line}\n" for line in text.splitlines())
    return suite(f"{corpus}cases:\n  - query: q\n{lines}").cases[0]


def places(found: Case) -> list[tuple[str, float, str | None]]:
    return [(str(target.location), target.grade, target.group) for target in found.targets]


def test_the_least_suite_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("search.yaml").write_text(
        "corpus: docs/\n"
        "gates: [ndcg@10 >= 0.65]\n"
        "cases:\n"
        "  - query: rotate an API key\n"
        "    at: auth/keys.md#Rotation\n"
        "  - query: retry failed webhooks\n"
        "    at: {webhooks.md#Retries: 3, errors.md:40-62: 1}\n"
        "  - query: blockchain\n"
        "    expect: empty\n"
    )
    found = load_suite("search.yaml")
    assert (found.name, found.corpus, found.metrics, found.path) == (
        "search",
        CorpusSource("docs/"),
        ("ndcg@10",),
        "search.yaml",
    )
    assert [(gate.text, gate.where) for gate in found.gates] == [("ndcg@10 >= 0.65", "search.yaml:2:9")]
    assert [(each.id, each.where) for each in found.cases] == [
        ("rotate-an-api-key", "search.yaml:4:5"),
        ("retry-failed-webhooks", "search.yaml:6:5"),
        ("blockchain", "search.yaml:8:5"),
    ]
    assert places(found.cases[1]) == [("webhooks.md#Retries", 3, None), ("errors.md:40-62", 1, None)]
    assert found.cases[2].expect_empty


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("at: a.md", [("a.md", 1, None)]),
        ("at: [a.md, 'b.md:1-2']", [("a.md", 1, None), ("b.md:1-2", 1, None)]),
        ("at: {a.md: 2, b.md: 0}", [("a.md", 2, None), ("b.md", 0, None)]),
        (
            "grade: 2\nat: [a.md, {at: b.md, grade: 0.5}, {id: x}]",
            [("a.md", 2, None), ("b.md", 0.5, None), ("x", 2, None)],
        ),
        ("at: a.md\nid: 007", [("a.md", 1, None), ("007", 1, None)]),
        ("id: {17: 3, true: 1}", [("17", 3, None), ("true", 1, None)]),
        (
            "any_of: [[a.md, b.md], {c.md: 2, d.md: 1}]",
            [("a.md", 1, "any-1"), ("b.md", 1, "any-1"), ("c.md", 2, "any-2"), ("d.md", 1, "any-2")],
        ),
        ("any_of: [{id: [x, y]}]", [("x", 1, "any-1"), ("y", 1, "any-1")]),
        ("any_of: [[{at: a.md, grade: 3}, {id: x}]]", [("a.md", 3, "any-1"), ("x", 1, "any-1")]),
    ],
)
def test_targets_are_written_in_many_ways(text: str, expected: list[tuple[str, float, str | None]]) -> None:
    assert places(case(text)) == expected


def test_ids_are_never_parsed() -> None:
    found = case("id: ['a.md:1-2', 1_000, 1.50, 2024-01-01, yes]")
    assert [target.location.id for target in found.targets] == [
        "a.md:1-2",
        "1_000",
        "1.50",
        "2024-01-01",
        "yes",
    ]


def test_without_a_corpus_every_target_is_an_id() -> None:
    found = case("at: [a.md#B, 'http://x/:y']\ntop: {at: a.md#B}", corpus="")
    assert [target.location for target in found.targets] == [
        Location(id="a.md#B"),
        Location(id="http://x/:y"),
    ]
    assert found.top == (Top(Location(id="a.md#B")),)


def test_a_full_case_is_read() -> None:
    found = case(
        "name: rotate\n"
        "at: [a.md, {at: b.md, source: clicks}]\n"
        "source: proposed by app\n"
        "tags: {language: go, kind: [a, b]}\n"
        "category: exact\n"
        "filters: {language: go, kind: [class, method]}\n"
        "weight: 2\n"
        "group: g\n"
        "top: [{at: a.md, within: 3}, {id: 7}]\n"
        "exhaustive: true\n"
        "xfail: {reason: no synonyms, until: 2030-01-31}\n"
        "notes: |\n"
        "  two\n"
        "  lines\n"
    )
    assert found == Case(
        id="rotate",
        query="q",
        targets=(
            Target(Location(path="a.md"), source="proposed by app"),
            Target(Location(path="b.md"), source="clicks"),
        ),
        weight=2.0,
        group="g",
        category="exact",
        tags=frozenset({"language=go", "kind=a", "kind=b"}),
        filters={"language": "go", "kind": ("class", "method")},
        top=(Top(Location(path="a.md"), 3), Top(Location(id="7"))),
        exhaustive=True,
        xfail=XFail("no synonyms", date(2030, 1, 31)),
        notes="two\nlines",
    )


def test_tags_may_be_a_list() -> None:
    assert case("tags: [hard, 404]").tags == {"hard", "404"}


def test_everything_about_a_suite_is_read() -> None:
    found = suite(
        "$schema: x\n"
        "version: 1\n"
        "name: handbook\n"
        "metrics: [ndcg@10, relevance = 0.4*p@5 + 0.6*rr, {other: 0.5*p@1 + 0.5*rr}]\n"
        "match: {by: path, min_lines: 2, min_fraction: 0.5, iou: 0.1}\n"
        "scale: {max: 3}\n"
        "k: 20\n"
        "map: [{from: 'x/(.*)', to: '\\1.md'}]\n"
        "scenarios: [{name: s, steps: [{search: 404, finds: 1}]}]\n"
        "invariants: [{empty: x}]\n"
        "cases: [{query: q, id: 1}]\n"
    )
    assert found == Suite(
        name="handbook",
        cases=(Case("q", "q", (Target(Location(id="1")),)),),
        metrics=("ndcg@10", "relevance = 0.4*p@5 + 0.6*rr", "other = 0.5*p@1 + 0.5*rr"),
        matching=Matching(MatchBy.PATH, 2, 0.5, 0.1),
        max_grade=3.0,
        k=20,
        map_rules=(MapRule("x/(.*)", r"\1.md"),),
        scenarios=(Scenario("s", (Step(Action.SEARCH, "404", finds=(Location(id="1"),)),)),),
        invariants=(Invariant("empty-x", Relation.EMPTY, (Query("x"),)),),
    )


def test_short_forms_of_a_suite_are_read() -> None:
    found = suite("metrics: r@5\nmatch: path\nscale: 2\ngates: errors = 0\ncases: [{query: q, id: 1}]\n")
    assert (found.metrics, found.matching, found.max_grade) == (("r@5",), Matching(MatchBy.PATH), 2.0)
    assert [gate.text for gate in found.gates] == ["errors = 0"]


def test_names_are_slugs_that_nothing_else_has() -> None:
    found = suite(
        "cases:\n- query: A b?\n- query: A b?\n- {query: x, name: c-d}\n- query: '???'\n- query: Über 東京\n"
        "- query: 404\n"
    )
    assert [each.id for each in found.cases] == ["a-b", "a-b-2", "c-d", "case", "über-東京", "404"]


def test_name_that_is_taken_gets_filters_then_a_number() -> None:
    found = suite(
        "cases:\n- query: A b?\n- {query: x, name: a-b}\n- {query: a b, filters: {lang: go}}\n- query: a-b!\n"
    )
    assert [each.id for each in found.cases] == ["a-b-2", "a-b", "a-b-go", "a-b-3"]


def test_a_file_is_not_larger_than_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml, "LIMIT", 10)
    path = tmp_path / "s.yaml"
    path.write_text("cases: [{query: q}]")
    with pytest.raises(FormatError, match=r"the file has 19 bytes, more than the limit of 10"):
        load_suite(path)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"does not exist"):
        load_suite(tmp_path / "none.yaml")


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("कुंजी कैसे बदलें?", "कुंजी-कैसे-बदलें"),
        ("วิธีเปลี่ยนคีย์", "วิธีเปลี่ยนคีย์"),
        ("Where's my API_key?", "where-s-my-api-key"),
        ("❤️ love", "love"),
        ("!?", "case"),
    ],
)
def test_slug_keeps_combining_marks(query: str, name: str) -> None:
    # NFKC decomposes the Thai sara am.
    assert slug(query) == unicodedata.normalize("NFKC", name)


@pytest.mark.long
def test_twenty_thousand_cases_load_in_twice_the_time_of_pyyaml(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    from yaml import CSafeLoader, load

    case = "  - query: how do I rotate key {0}\n    at: keys.md:{0}-9999999\n    tags: {{language: go}}\n"
    text = "corpus: docs/\ncases:\n" + "".join(case.format(number) for number in range(1, 20_001))
    path = tmp_path / "s.yaml"
    path.write_text(text)

    def seconds(read: Callable[[], object]) -> float:
        start = time.process_time()
        read()
        return time.process_time() - start

    plain = min(seconds(lambda: load(path.read_text(), CSafeLoader)) for _ in range(3))
    ours = min(seconds(lambda: load_suite(path)) for _ in range(3))
    record_property("figures", f"{ours:.2f} s, PyYAML alone {plain:.2f} s")
    assert ours <= 2 * plain
