"""Scenarios are read with every problem where it stands, and written as a person would write them."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rankgate.errors import FormatError, InputError
from rankgate.model import Action, Case, CorpusSource, Location, Scenario, Step, Suite
from rankgate.suites.formats import format_named, load_suite
from rankgate.suites.native.yaml_suite import parse_suite

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
        (
            "s.yaml:2:38: found 'a.md' as a location in a corpus of beir records, "
            "expected a corpus of files; records have no tree; search steps need none"
        )
    ]


def test_all_problems_of_scenarios_come_at_once() -> None:
    text = """\
corpus: docs/
scenarios:
  - steps: [{search: q, finds: a.md}]
  - name: n
  - name: n
    steps: []
  - name: two
    steps:
      - {search: q, tree: a.md, has: x}
      - finds: a.md
      - {serach: q, finds: a.md}
      - {search: q, finds: 'a:b', has: x}
      - {tree: a.md#B, has: x}
      - {tree: 'a.md:1-2', has: x}
      - {read: ../a.md, contains: []}
      - {read: a.md, contains: [x, y], excludes: y}
      - x
  - name: three
    steps:
      - {search: q, k: 3}
      - {subtree: a.md, complete: false}
"""
    actions = "search, tree, read or subtree"
    assert problems(text) == [
        "s.yaml:3:5: found a scenario without a name, expected a name",
        f"s.yaml:4:5: found a scenario without steps, expected steps, each with {actions}",
        "s.yaml:5:11: found 'n' a second time, first in line 4, expected a name of its own",
        (
            "s.yaml:6:12: found an empty list, expected a list of steps; "
            "such as - search: rotate a key, with finds: below it"
        ),
        f"s.yaml:9:9: found both search and tree, expected one of {actions}; make them steps of their own",
        f"s.yaml:10:9: found a step that does nothing, expected one of {actions}",
        (
            "s.yaml:11:10: found the key 'serach', expected one of search, k, filters, finds, tree, has, "
            "under, read, contains, excludes, subtree, complete; did you mean search?"
        ),
        "s.yaml:12:40: found has beside search, expected none but k, filters, finds",
        (
            "s.yaml:12:28: found 'a:b', a stray ':', expected path, path:10-50, path#Heading or "
            "path::symbol; lines are path:10-50, a symbol is path::name, a : inside a path is %3A"
        ),
        "s.yaml:13:16: found 'a.md#B', a part of a file, expected a file; write tree: a.md",
        "s.yaml:14:16: found 'a.md:1-2', a part of a file, expected a file; write tree: a.md",
        ("s.yaml:15:16: found '../a.md', a path outside the corpus, expected a relative path without .."),
        "s.yaml:15:35: found an empty list, expected text that must be there, or a list of such",
        "s.yaml:16:9: found 'y' in both contains and excludes, expected one of the two",
        f"s.yaml:17:9: found 'x', expected a step: a mapping with {actions}",
        (
            "s.yaml:18:5: found a scenario that expects nothing, expected one of finds, has, under, "
            "contains, excludes, complete in a step; it would succeed whatever is found"
        ),
    ]


@pytest.mark.parametrize(
    ("step", "at", "told"),
    [
        (
            "{subtree: a.md, complete: true}",
            "true",
            (
                "complete: true in a suite without a corpus, expected a corpus that says what is below; "
                "name it as corpus:, or write contains"
            ),
        ),
        ("{tree: a.md, under: {A: []}}", "[]", "an empty list, expected the title above it, or a list"),
        ("{tree: a.md, under: A}", "A", "'A', expected a mapping of titles to the title above each; such"),
        ("{search: q, finds: {}}", "{}", "an empty mapping, expected a location, or a list of locations"),
        ("{search: q, finds: {path: a}}", "path", "the key 'path', expected one of at, id; did you mean at?"),
        ("{search: q, finds: [{at: a, id: b}]}", "{at", "both at and id, expected one of the two"),
        ("{search: ' ', finds: x}", "' '", "' ', expected the text of a query"),
        ("{search: q, finds: x, filters: y}", "y", "'y', expected a mapping of facets to values; such as"),
        ("{query: q, finds: x}", "query", "the key 'query', expected one of search, k, filters, finds, tree"),
        ("{search: q, finds: null}", "null", "nothing, expected a location; put it in quotes if the word is"),
    ],
)
def test_a_problem_of_a_step_is_told_where_it_stands(step: str, at: str, told: str) -> None:
    before = "scenarios: [{name: s, steps: ["
    column = len(before) + step.index(at) + 1
    assert problems(f"{before}{step}]}}]")[0].startswith(f"s.yaml:1:{column}: found {told}")


def test_scenarios_must_be_a_list() -> None:
    told = "s.yaml:1:12: found a mapping, expected a list of scenarios; the least is - name: and steps:"
    assert problems("scenarios: {name: n}") == [told]


def test_scenarios_are_written_as_a_person_would(tmp_path: Path) -> None:
    suite = parse_suite(FULL, Path("s.yaml"))
    assert write(suite, tmp_path / "s.yaml", "native") == ()
    assert (tmp_path / "s.yaml").read_text() == (
        """\
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


def test_json_lines_keep_scenarios_and_tell_their_paths(tmp_path: Path) -> None:
    suite = parse_suite(FULL, Path("s.yaml"))
    assert write(suite, tmp_path / "s.suite.jsonl", "jsonl") == ()
    found = load_suite(tmp_path / "s.suite.jsonl")
    assert found.scenarios == suite.scenarios
    assert found.fingerprint == suite.fingerprint
    assert found.scenarios[0].steps[2].where.endswith("scenarios[0].steps[2]")


def write(suite: Suite, path: Path, name: str) -> Sequence[str]:
    to = format_named(name).write
    assert to is not None
    return to(suite, path)


@pytest.mark.parametrize(
    ("step", "told"),
    [
        (Step(Action.TREE, has=("x",)), "found ''"),
        (Step(Action.TREE, at=Location.at("a.md#B"), has=("x",)), "expected a file"),
        (Step(Action.SEARCH, "q"), "expects nothing"),
        (Step(Action.SEARCH, " ", finds=(Location.at("a.md"),)), "the text of a query"),
        (Step(Action.READ, at=Location.at("a.md"), has=("x",)), "has beside read"),
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


def test_many_steps_of_one_json_line_are_placed_in_a_moment(tmp_path: Path) -> None:
    steps = [{"tree": "a", "has": "x"}] * 30_000
    about = {"version": 1, "scenarios": [{"name": "n", "steps": steps}]}
    path = tmp_path / "s.suite.jsonl"
    path.write_text(json.dumps(about) + '\n{"query": "q", "id": "1"}\n')
    start = time.process_time()
    found = load_suite(path)
    assert time.process_time() - start < 20
    assert found.scenarios[0].steps[-1].where.endswith("scenarios[0].steps[29999]")
