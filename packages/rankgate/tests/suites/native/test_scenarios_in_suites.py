"""Scenarios are read with every problem where it stands, and written as a person would write them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rankgate.errors import FormatError, InputError
from rankgate.locations import Location
from rankgate.model import Action, Case, CorpusSource, Scenario, Step, Suite
from rankgate.suites.formats import format_named
from rankgate.suites.native import parse_suite

if TYPE_CHECKING:
    from collections.abc import Sequence

FULL = """\
corpus: docs/
scenarios:
  - name: authorization code flow
    steps:
      - search: oauth authorization code
        k: 5
        filters: {type: guide, language: [go, rust]}
        finds: [auth/oauth.md#Flows, {id: doc-17}]
      - tree: auth/oauth.md
        has: [Authorization Code Flow, Client Credentials Flow]
        under: {Authorization Code Flow: Flows, Steps: [Rotation, Expiry]}
      - read: auth/oauth.md#Flows/Authorization Code Flow
        contains: [redirect_uri, authorization_code]
        excludes: client_secret
      - subtree: auth/oauth.md#Flows
        complete: true
  - name: find a symbol
    steps:
      - read: src/router.ts::Router.addRoute
        contains: |
          addRoute(path)
cases: [{query: q, id: 1}]
"""


def scenarios(steps: str, corpus: str = "corpus: docs/\n") -> tuple[Scenario, ...]:
    text = f"{corpus}scenarios: [{{name: s, steps: [{steps}]}}]\ncases: [{{query: q, id: 1}}]\n"
    return parse_suite(text, Path("s.yaml")).scenarios


def problems(text: str) -> list[str]:
    with pytest.raises(FormatError) as caught:
        parse_suite(f"{text}\ncases: [{{query: q, id: 1}}]\n", Path("s.yaml"))
    return str(caught.value).split("\n")


def test_everything_that_a_scenario_may_say_is_read_with_its_line() -> None:
    first, second = parse_suite(FULL, Path("s.yaml")).scenarios
    assert first == Scenario(
        "authorization code flow",
        (
            Step(
                Action.SEARCH,
                "oauth authorization code",
                {"type": "guide", "language": ("go", "rust")},
                5,
                finds=(Location.at("auth/oauth.md#Flows"), Location.of_id("doc-17")),
            ),
            Step(
                Action.TREE,
                at=Location.at("auth/oauth.md"),
                has=("Authorization Code Flow", "Client Credentials Flow"),
                under=(
                    ("Authorization Code Flow", "Flows"),
                    ("Steps", "Rotation"),
                    ("Steps", "Expiry"),
                ),
            ),
            Step(
                Action.READ,
                at=Location.at("auth/oauth.md#Flows/Authorization Code Flow"),
                contains=("redirect_uri", "authorization_code"),
                excludes=("client_secret",),
            ),
            Step(Action.SUBTREE, at=Location.at("auth/oauth.md#Flows"), complete=True),
        ),
    )
    assert second.steps[0].at == Location.at("src/router.ts::Router.addRoute")
    assert second.steps[0].contains == ("addRoute(path)",)
    assert (first.where, second.where) == ("s.yaml:3:5", "s.yaml:17:5")
    assert [step.where for step in first.steps] == [f"s.yaml:{line}:9" for line in (5, 9, 12, 15)]


def test_without_a_corpus_what_is_found_is_an_id_and_what_is_read_is_a_place() -> None:
    ((scenario,),) = (scenarios("{search: q, finds: 'a.md#B'}, {read: 'a.md#B', contains: x}", ""),)
    search, read = scenario.steps
    assert search.finds == (Location.of_id("a.md#B"),)
    assert read.at == Location(path="a.md", heading=("B",))


def test_among_records_what_is_found_is_an_id_and_nothing_can_be_read() -> None:
    records = "corpus: {beir: scifact/}\n"
    (found,) = scenarios("{search: q, finds: 007}", records)
    assert found.steps[0].finds == (Location.of_id("007"),)
    assert problems(f"{records}scenarios: [{{name: s, steps: [{{tree: a.md, has: x}}]}}]") == [
        "s.yaml:2:38: a corpus of beir records has no tree. Only `search` steps work with it."
    ]


def test_scenarios_are_written_as_a_person_would(tmp_path: Path) -> None:
    suite = parse_suite(FULL, Path("s.yaml"))
    assert write(suite, tmp_path / "s.yaml", "native") == ()
    assert (tmp_path / "s.yaml").read_text() == (
        """\
# yaml-language-server: $schema=.rankgate/suite.schema.json
name: s
corpus: docs/
scenarios:
  - name: authorization code flow
    steps:
      - search: oauth authorization code
        k: 5
        filters: {type: guide, language: [go, rust]}
        finds: [auth/oauth.md#Flows, {id: doc-17}]
      - tree: auth/oauth.md
        has: [Authorization Code Flow, Client Credentials Flow]
        under: {Authorization Code Flow: Flows, Steps: [Rotation, Expiry]}
      - read: auth/oauth.md#Flows/Authorization Code Flow
        contains: [redirect_uri, authorization_code]
        excludes: client_secret
      - {subtree: auth/oauth.md#Flows, complete: true}
  - {name: find a symbol, steps: [{read: src/router.ts::Router.addRoute, contains: addRoute(path)}]}
cases:
  - query: q
    id: "1"
"""
    )


def write(suite: Suite, path: Path, name: str) -> Sequence[str]:
    to = format_named(name).write
    assert to is not None
    return to(suite, path)


@pytest.mark.parametrize(
    ("step", "told"),
    [
        (Step(Action.TREE, has=("x",)), "the text is empty"),
        (Step(Action.TREE, at=Location.at("a.md#B"), has=("x",)), "expected a file"),
        (Step(Action.SEARCH, "q"), "the scenario expects nothing"),
        (Step(Action.SEARCH, " ", finds=(Location.at("a.md"),)), "the text is empty"),
        (Step(Action.READ, at=Location.at("a.md"), has=("x",)), "unknown key `has`"),
    ],
)
def test_what_no_file_could_hold_is_refused_when_it_is_written(step: Step, told: str, tmp_path: Path) -> None:
    suite = Suite("s", (Case("a", "q"),), corpus=CorpusSource("docs/"), scenarios=(Scenario("n", (step,)),))
    with pytest.raises(InputError, match=told):
        write(suite, tmp_path / "s.yaml", "native")
    assert not (tmp_path / "s.yaml").exists()


def test_places_of_scenarios_without_a_corpus_are_told_to_become_ids(tmp_path: Path) -> None:
    step = Step(Action.SEARCH, "q", finds=(Location.at("a.md"),))
    suite = Suite("s", (Case("a", "q"),), scenarios=(Scenario("n", (step,)),))
    (told,) = write(suite, tmp_path / "s.yaml", "native")
    assert told.startswith("1 scenario: ")
    assert "locations are read as ids where the suite names no corpus" in told


def test_a_line_about_the_suite_that_no_reader_takes_is_not_written(tmp_path: Path) -> None:
    steps = tuple(Step(Action.SEARCH, "q" * 1000, finds=(Location.of_id("x"),)) for _ in range(1000))
    suite = Suite("s", (Case("a", "q"),), scenarios=(Scenario("n", steps),))
    with pytest.raises(InputError, match="bytes about the suite"):
        write(suite, tmp_path / "s.suite.jsonl", "jsonl")
    assert not (tmp_path / "s.suite.jsonl").exists()
