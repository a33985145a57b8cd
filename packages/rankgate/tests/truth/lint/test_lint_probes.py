"""Lint holds scenarios and invariants to the corpus, as it does cases."""

from __future__ import annotations

from typing import Any

import pytest

from rankgate.locations import Location
from rankgate.model import Action, Invariant, Query, Relation, Scenario, Step, Suite
from rankgate.truth.lint import RULES, Finding, Severity, lint
from support.memory_corpus import MemoryCorpus

OAUTH = """\
# OAuth

Send a client_secret.

## Flows

Choose one.

### Code Flow

Send  a
redirect_uri.
"""
CORPUS = MemoryCorpus(
    {"auth/oauth.md": OAUTH, "runbooks/2024/deploy.md": "# Deploy\n\nXQZ-tokens.\n", "a.csv": "1\n"}
)


def walking(*steps: Step) -> Suite:
    return Suite("s", (), scenarios=(Scenario("walk", steps),), path="s.yaml")


def step(action: Action, place: str, **more: Any) -> Step:
    return Step(action, at=Location.at(place), where="s.yaml:7:9", **more)


def holding(*invariants: Invariant) -> Suite:
    return Suite("s", (), invariants=invariants, path="s.yaml")


def told(rule: str, suite: Suite, corpus: MemoryCorpus | None = CORPUS) -> list[Finding]:
    return [each for each in lint(suite, corpus, rules=[rule]) if each.rule == rule]


def test_right_scenarios_and_invariants_give_nothing() -> None:
    read = step(Action.READ, "auth/oauth.md#Flows", contains=("Choose one.",), excludes=("redirect_uri",))
    tree = step(Action.TREE, "auth/oauth.md", has=("Code Flow",), under=(("Code  Flow", "Flows"),))
    whole = step(Action.SUBTREE, "auth/oauth.md", contains=("Send a redirect_uri",), complete=True)
    search = Step(Action.SEARCH, "q", finds=(Location.at("auth/oauth.md:1-3"), Location.of_id("x")))
    suite = Suite(
        "s",
        (),
        scenarios=(Scenario("walk", (search, tree, read, whole)),),
        invariants=(
            Invariant("a", Relation.FILTER_ONLY, (Query("q"),), only=("runbooks/**", "*/*.md")),
            Invariant("b", Relation.SINGLE_TERM_NO_BONUS, (Query("q"), Query("q xqzvk"))),
            Invariant(
                "c",
                Relation.RANKS_ABOVE,
                (Query("q"),),
                (Location.at("a.csv"),),
                (Location.at("auth/oauth.md"),),
            ),
        ),
    )
    assert lint(suite, CORPUS) == ()


def test_places_that_are_not_there_are_told_where_they_were_written() -> None:
    gone = Location.at("auth/oath.md")
    suite = Suite(
        "s",
        (),
        scenarios=(
            Scenario("walk", (Step(Action.SEARCH, "q", finds=(gone, gone), where="s.yaml:5:9"),)),
            Scenario("again", (step(Action.READ, "auth/oauth.md#Flow"), Step(Action.TREE, at=gone))),
        ),
        invariants=(Invariant("i", Relation.RANKS_ABOVE, (Query("q"),), (gone,), (Location.at("a.csv:9"),)),),
        path="s.yaml",
    )
    assert [
        (each.problem.where, each.problem.found, each.severity) for each in told("unresolved", suite)
    ] == [
        ("s.yaml:5:9", "'auth/oath.md'", Severity.ERROR),
        ("s.yaml:7:9", "'auth/oauth.md#Flow'", Severity.ERROR),
        ("s.yaml: scenario again, step 2", "'auth/oath.md'", Severity.ERROR),
        ("s.yaml: invariant i", "'auth/oath.md'", Severity.ERROR),
    ]
    (past,) = told("past-the-end", suite)
    assert (past.problem.where, past.problem.found) == ("s.yaml: invariant i", "'a.csv:9-9'")


@pytest.mark.parametrize(
    ("place", "action", "expects", "found"),
    [
        (
            "auth/oauth.md#Flows",
            Action.SUBTREE,
            {"contains": ("redirect_url",)},
            "contains: 'redirect_url', which does not stand in 'auth/oauth.md#Flows'",
        ),
        (
            "auth/oauth.md#Flows",
            Action.READ,
            {"contains": ("client_secret",)},
            "contains: 'client_secret', which does not stand in 'auth/oauth.md#Flows'",
        ),
        (
            "auth/oauth.md#Flows",
            Action.SUBTREE,
            {"excludes": ("a redirect_uri",)},
            "excludes: 'a redirect_uri', which stands in 'auth/oauth.md#Flows'",
        ),
        (
            "auth/oauth.md#Flows",
            Action.READ,
            {"excludes": ("Choose one",)},
            "excludes: 'Choose one', which stands in 'auth/oauth.md#Flows'",
        ),
        ("auth/oauth.md#Flows", Action.READ, {"excludes": ("redirect_uri",)}, None),
        ("auth/oauth.md#Flows", Action.READ, {"contains": ("Send a redirect_uri",)}, None),
        ("auth/oauth.md", Action.READ, {"excludes": ("client_secret",)}, None),
        (
            "auth/oauth.md:3-3",
            Action.READ,
            {"excludes": ("client_secret",)},
            "excludes: 'client_secret', which",
        ),
        ("a.csv", Action.READ, {"excludes": ("1",)}, "excludes: '1', which stands in 'a.csv'"),
    ],
)
def test_a_text_that_the_place_cannot_show_or_must_show_is_told(
    place: str, action: Action, expects: dict[str, Any], found: str | None
) -> None:
    findings = told("text-not-there", walking(step(action, place, **expects)))
    if found is None:
        assert findings == []
        return
    (finding,) = findings
    assert finding.problem.found.startswith(found)
    assert (finding.problem.where, finding.severity) == ("s.yaml:7:9", Severity.ERROR)


def test_titles_that_the_outline_has_not_are_told_with_what_was_meant() -> None:
    tree = step(
        Action.TREE,
        "auth/oauth.md",
        has=("Code Flwo", "Flows"),
        under=(("Code Flow", "OAuth"), ("Flows", "OAuth"), ("Grants", "Flows")),
    )
    assert [str(each.problem) for each in told("title-not-there", walking(tree))] == [
        (
            "s.yaml:7:9: found 'Code Flwo', which 'auth/oauth.md' has not, "
            "expected the title of a section or a symbol of that file; did you mean Code Flow?"
        ),
        (
            "s.yaml:7:9: found 'Grants', which 'auth/oauth.md' has not, "
            "expected the title of a section or a symbol of that file; correct the title"
        ),
        "s.yaml:7:9: found 'Code Flow' under 'OAuth', expected it under 'Flows', as in 'auth/oauth.md'",
    ]
    assert told("title-not-there", walking(step(Action.TREE, "a.csv", has=("x",)))) == []


def test_a_subtree_of_nothing_cannot_be_complete() -> None:
    steps = [
        step(Action.SUBTREE, f"auth/oauth.md#{title}", complete=True) for title in ("Flows", "Code Flow")
    ]
    (finding,) = told("nothing-below", walking(*steps))
    assert finding.problem.found.startswith("complete: true of 'auth/oauth.md#Code Flow'")


def test_a_glob_that_no_document_fits_is_told() -> None:
    only = Invariant(
        "i", Relation.FILTER_ONLY, (Query("q"),), only=("runbook/**", "runbooks/*.md", "**/*.md", "runbooks/")
    )
    assert [each.problem.found for each in told("only-nothing", holding(only))] == [
        "only: 'runbook/**', which no document of the corpus fits",
        "only: 'runbooks/*.md', which no document of the corpus fits",
    ]


@pytest.mark.parametrize(
    ("beside", "place"),
    [("xqz", "runbooks/2024/deploy.md:3"), ("REDIRECT", "auth/oauth.md:12"), ("csv", "a.csv"), ("xqzvk", "")],
)
def test_a_word_that_stands_in_the_corpus_is_told_with_its_place(beside: str, place: str) -> None:
    bonus = Invariant("i", Relation.SINGLE_TERM_NO_BONUS, (Query("send"), Query(f"send {beside}")))
    found = [each.problem.found for each in told("beside-in-corpus", holding(bonus))]
    assert found == ([f"the word '{beside}', which stands in '{place}'"] if place else [])


def test_without_a_corpus_the_rules_are_named_and_not_run() -> None:
    suite = walking(step(Action.READ, "auth/oauth.md#Gone", contains=("x",), complete=True))
    (hint,) = lint(suite, None)
    assert hint.rule == "not-run"
    assert "text-not-there, title-not-there, nothing-below, only-nothing, beside-in-corpus" in hint.message
    assert {"text-not-there", "title-not-there", "nothing-below"} <= set(RULES)
