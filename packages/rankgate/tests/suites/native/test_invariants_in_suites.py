"""Invariants are read with every problem where it stands, and written as a person would write them."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rankgate.errors import FormatError, InputError
from rankgate.model import Case, Invariant, Location, Query, Relation, Suite, XFail
from rankgate.suites.formats import format_named, load_suite
from rankgate.suites.native.yaml_suite import parse_suite

if TYPE_CHECKING:
    from collections.abc import Sequence

FULL = """\
corpus: docs/
invariants:
  - same-results: [authentication, authenticate]
    k: 5
    by: document
    order: false
  - ranks-above: router
    above: [src/router.ts::Router, src/router.ts]
    below: src/router.ts::Router.addRoute
    xfail: no boost for classes
    notes: classes first
  - name: runbooks only
    filter-only: deploy
    filters: {type: runbook}
    only: runbooks/**
  - single-term-no-bonus: oauth
    beside: xqzvk
  - different-results: [go, java]
    xfail: {reason: one language, until: 2030-01-31}
  - rare-term: refresh a token
    beside: xqzvk
  - monotone: deploy
    k: [3, 10, 20]
  - stable: deploy
    times: 2
  - stable: deploy
  - empty: [blockchain, 404]
  - empty: deploy
    filters: {type: [recipe]}
cases: [{query: q, id: 1}]
"""


def read(invariant: str) -> Invariant:
    text = f"invariants: [{{{invariant}}}]\ncases: [{{query: q, id: 1}}]\n"
    (found,) = parse_suite(text, Path("s.yaml")).invariants
    return found


def problems(text: str) -> list[str]:
    with pytest.raises(FormatError) as caught:
        parse_suite(f"{text}\ncases: [{{query: q, id: 1}}]\n", Path("s.yaml"))
    return str(caught.value).split("\n")


def write(suite: Suite, path: Path, name: str) -> Sequence[str]:
    to = format_named(name).write
    assert to is not None
    return to(suite, path)


def test_every_relation_is_read_with_its_queries_and_a_name() -> None:
    found = parse_suite(FULL, Path("s.yaml")).invariants
    runbook = {"type": "runbook"}
    assert found == (
        Invariant(
            "same-results-authentication-authenticate",
            Relation.SAME_RESULTS,
            (Query("authentication", 5), Query("authenticate", 5)),
            by="document",
            order=False,
        ),
        Invariant(
            "ranks-above-router",
            Relation.RANKS_ABOVE,
            (Query("router"),),
            (Location.at("src/router.ts::Router"), Location.at("src/router.ts")),
            (Location.at("src/router.ts::Router.addRoute"),),
            xfail=XFail("no boost for classes"),
            notes="classes first",
        ),
        Invariant(
            "runbooks only", Relation.FILTER_ONLY, (Query("deploy", 10, runbook),), only=("runbooks/**",)
        ),
        Invariant(
            "single-term-no-bonus-oauth-xqzvk",
            Relation.SINGLE_TERM_NO_BONUS,
            (Query("oauth"), Query("oauth xqzvk")),
        ),
        Invariant(
            "different-results-go-java",
            Relation.DIFFERENT_RESULTS,
            (Query("go"), Query("java")),
            xfail=XFail("one language", date(2030, 1, 31)),
        ),
        Invariant(
            "rare-term-refresh-a-token-xqzvk",
            Relation.RARE_TERM,
            (Query("refresh a token", 3), Query("refresh a token xqzvk", 3)),
        ),
        Invariant(
            "monotone-deploy",
            Relation.MONOTONE,
            (Query("deploy", 3), Query("deploy", 10), Query("deploy", 20)),
        ),
        Invariant("stable-deploy", Relation.STABLE, (Query("deploy"),) * 2),
        Invariant("stable-deploy-2", Relation.STABLE, (Query("deploy"),) * 3),
        Invariant("empty-blockchain-404", Relation.EMPTY, (Query("blockchain"), Query("404"))),
        Invariant("empty-deploy", Relation.EMPTY, (Query("deploy", 10, {"type": ("recipe",)}),)),
    )
    assert [each.where for each in found[:3]] == ["s.yaml:3:5", "s.yaml:7:5", "s.yaml:12:5"]


def test_without_a_corpus_what_ranks_is_an_id() -> None:
    found = read("ranks-above: q, above: 'a.md#B', below: 7")
    assert (found.above, found.below) == ((Location.of_id("a.md#B"),), (Location.of_id("7"),))


def test_a_name_that_was_written_goes_before_one_that_is_made() -> None:
    text = "invariants: [{stable: a}, {name: stable-a, empty: b}]\ncases: [{query: q}]\n"
    assert [each.name for each in parse_suite(text, Path("s")).invariants] == ["stable-a-2", "stable-a"]


def test_all_problems_of_invariants_come_at_once() -> None:
    text = """\
invariants:
  - x
  - name: n
  - {name: n, same_results: [a, b]}
  - {stable: a, empty: b}
  - {stable: a, above: b}
  - {ranks-above: a, below: b}
  - {ranks-above: a, above: b, below: b}
  - {filter-only: a}
  - {single-term-no-bonus: a b, beside: c}
  - {single-term-no-bonus: a, beside: A}
  - {monotone: a, k: [10, 3]}
  - {empty: []}
"""
    relations = (
        "same-results, different-results, ranks-above, filter-only, single-term-no-bonus, rare-term, "
        "monotone, stable, empty"
    )
    assert problems(text) == [
        "s.yaml:2:5: found 'x', expected an invariant: a mapping with its relation; such as stable: deploy",
        f"s.yaml:3:5: found an invariant without a relation, expected one of {relations}",
        (
            f"s.yaml:4:15: found the key 'same_results', expected one of name, k, filters, xfail, "
            f"notes, {relations}, by, order, above, below, only, beside, times; did you mean same-results?"
        ),
        "s.yaml:4:12: found 'n' a second time, first in line 3, expected a name of its own",
        ("s.yaml:5:5: found both stable and empty, expected one relation; make them invariants of their own"),
        "s.yaml:6:24: found above beside stable, expected none but name, k, filters, xfail, notes, times",
        "s.yaml:7:5: found ranks-above without above, expected above and below",
        "s.yaml:8:5: found 'b' both above and below, expected two locations",
        "s.yaml:9:5: found filter-only without filters, expected filters and only",
        "s.yaml:9:5: found filter-only without only, expected filters and only",
        "s.yaml:10:28: found 'a b', expected one word",
        "s.yaml:11:39: found 'A' again, expected another word; one word that does not occur in the corpus",
        (
            "s.yaml:12:22: found [10, 3], expected two numbers of hits or more, each larger than "
            "the one before"
        ),
        "s.yaml:13:13: found an empty list, expected a query, or a list of queries",
    ]


@pytest.mark.parametrize(
    ("invariant", "told"),
    [
        ("same-results: [a]", "found a list, expected a list of two queries or more"),
        ("same-results: [a, b, a]", "found the same query twice, expected queries that differ; use stable"),
        ("different-results: [a]", "found a list, expected a list of two queries or more"),
        ("rare-term: a b", "found rare-term without beside, expected beside"),
        ("rare-term: a b, beside: B", "found 'B' again, expected another word"),
        ("stable: a, xfail: true", "found 'true', expected the reason as text, or a mapping of reason"),
        ("same-results: [a, b], by: title", "found 'title', expected place or document"),
        ("monotone: a, k: [3]", "found a list, expected two numbers of hits or more, each larger"),
        ("monotone: a, k: 3", "found '3', expected two numbers of hits or more"),
        ("monotone: a, k: [3, 3]", "found [3, 3], expected two numbers"),
        ("monotone: a, k: [3, x]", "found 'x', expected a whole number, 1 or more"),
        ("monotone: a", "found monotone without k, expected k"),
        ("stable: a, times: 1", "found '1', expected a whole number from 2 to 1000"),
        ("stable: a, times: 1001", "found '1001', expected a whole number from 2 to 1000"),
        ("stable: a, times: 2147483648", "found '2147483648', expected a whole number from 2 to 1000"),
        ("stable: ' '", "found ' ', expected the text of a query"),
        ("stable: a, k: 0", "found '0', expected a whole number, 1 or more"),
        ("filter-only: a, filters: {}, only: b", "found an empty mapping, expected a facet and its value"),
        ("filter-only: a, filters: {t: x}, only: []", "found an empty list, expected a glob of paths, or"),
        ("single-term-no-bonus: a", "found single-term-no-bonus without beside, expected beside"),
        ("single-term-no-bonus: a, beside: b c", "found 'b c', expected one word that does not occur"),
        ("ranks-above: a, above: b", "found ranks-above without below, expected above and below"),
    ],
)
def test_a_problem_of_an_invariant_is_told_once(invariant: str, told: str) -> None:
    (found,) = problems(f"invariants: [{{{invariant}}}]")
    assert told in found


def test_invariants_are_written_as_a_person_would(tmp_path: Path) -> None:
    suite = parse_suite(FULL, Path("s.yaml"))
    assert write(suite, tmp_path / "s.yaml", "native") == ()
    assert (tmp_path / "s.yaml").read_text() == (
        """\
name: s
corpus: docs/
invariants:
  - {same-results: [authentication, authenticate], k: 5, by: document, order: false}
  - ranks-above: router
    above: [src/router.ts::Router, src/router.ts]
    below: src/router.ts::Router.addRoute
    xfail: no boost for classes
    notes: classes first
  - {name: runbooks only, filter-only: deploy, filters: {type: runbook}, only: runbooks/**}
  - {single-term-no-bonus: oauth, beside: xqzvk}
  - {different-results: [go, java], xfail: {reason: one language, until: "2030-01-31"}}
  - {rare-term: refresh a token, beside: xqzvk}
  - {monotone: deploy, k: [3, 10, 20]}
  - {name: stable-deploy, stable: deploy, times: 2}
  - {name: stable-deploy-2, stable: deploy}
  - {empty: [blockchain, "404"]}
  - {empty: deploy, filters: {type: [recipe]}}
cases:
  - query: q
    id: "1"
"""
    )
    assert load_suite(tmp_path / "s.yaml") == suite


def test_json_lines_keep_invariants(tmp_path: Path) -> None:
    suite = parse_suite(FULL, Path("s.yaml"))
    assert write(suite, tmp_path / "s.suite.jsonl", "jsonl") == ()
    assert load_suite(tmp_path / "s.suite.jsonl").invariants == suite.invariants


@pytest.mark.parametrize(
    ("invariant", "told"),
    [
        (Invariant("n", Relation.STABLE, ()), "the text of a query"),
        (Invariant("n", Relation.SAME_RESULTS, (Query("a"),)), "two queries or more"),
        (
            Invariant("n", Relation.SINGLE_TERM_NO_BONUS, (Query("a"), Query("b c"))),
            "'b c', expected one word",
        ),
        (Invariant("n", Relation.EMPTY, (Query("a"),), only=("x",)), "only beside empty"),
    ],
)
def test_what_no_file_could_hold_is_refused_when_it_is_written(
    invariant: Invariant, told: str, tmp_path: Path
) -> None:
    suite = Suite("s", (Case("a", "q"),), invariants=(invariant,))
    with pytest.raises(InputError, match=told):
        write(suite, tmp_path / "s.yaml", "native")


def test_queries_that_are_asked_unlike_are_told_to_become_alike(tmp_path: Path) -> None:
    apart = Invariant("n", Relation.SAME_RESULTS, (Query("a", 5), Query("b", 6)))
    suite = Suite("s", (Case("a", "q"),), invariants=(apart,))
    (told,) = write(suite, tmp_path / "s.yaml", "native")
    assert told.startswith("1 invariant: ")
    assert "one k and one set of filters holds for all queries" in told
