"""Invariants are read with every problem where it stands, and written as a person would write them."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rankgate.errors import FormatError, InputError
from rankgate.locations import Location
from rankgate.model import Case, Invariant, Query, Relation, Suite, XFail
from rankgate.suites.formats import format_named, load_suite
from rankgate.suites.native import parse_suite

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


def test_invariants_are_written_as_a_person_would(tmp_path: Path) -> None:
    suite = parse_suite(FULL, Path("s.yaml"))
    assert write(suite, tmp_path / "s.yaml", "native") == ()
    assert (tmp_path / "s.yaml").read_text() == (
        """\
# yaml-language-server: $schema=.rankgate/suite.schema.json
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
        (Invariant("n", Relation.STABLE, ()), "the text is empty"),
        (Invariant("n", Relation.SAME_RESULTS, (Query("a"),)), "expected at least"),
        (
            Invariant("n", Relation.SINGLE_TERM_NO_BONUS, (Query("a"), Query("b c"))),
            "expected one word, found the text 'b c'",
        ),
        (Invariant("n", Relation.EMPTY, (Query("a"),), only=("x",)), "unknown key `only`"),
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
