"""The places of scenarios and invariants become what a navigator is held to, or are all told at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankgate.errors import InputError
from rankgate.locations import Location
from rankgate.model import Action, Invariant, Query, Relation, Scenario, Step, Suite, Top, Waypoint, probes
from rankgate.suites.native import parse_suite
from rankgate.truth.resolve import ResolvedTop, plan
from support.memory_corpus import MemoryCorpus

OAUTH = """\
# OAuth

## Flows

### Authorization Code Flow

Send a redirect_uri.

### Client Credentials Flow

Send a client_secret.

## Scopes

All of them.
"""
STORE = """\
package keys

func (s *Store) Put(key string) {
}

type Store struct{}

func (s *Store) Get(key string) {
}

func Open() {
}
"""
CORPUS = MemoryCorpus({"auth/oauth.md": OAUTH, "store.go": STORE, "data.csv": "a,b\n1,2\n"})


def going_to(*places: str, action: Action = Action.SUBTREE, complete: bool = False) -> Suite:
    steps = tuple(
        Step(action, at=Location.at(place), complete=complete, where=f"s.yaml:{number}:5")
        for number, place in enumerate(places, 1)
    )
    return Suite("s", (), scenarios=(Scenario("walk", steps),), path="s.yaml")


def waypoint(place: str, corpus: MemoryCorpus | None = CORPUS) -> Waypoint:
    return plan(going_to(place), corpus).waypoints["walk", 0]


FLOWS = ("Flows", "Authorization Code Flow", "Client Credentials Flow")


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ("auth/oauth.md", Waypoint("auth/oauth.md", below=("OAuth", *FLOWS, "Scopes"))),
        (
            "auth/oauth.md#flows",
            Waypoint("auth/oauth.md", 3, 12, ("OAuth", "Flows"), FLOWS[1:]),
        ),
        ("auth/oauth.md#Scopes", Waypoint("auth/oauth.md", 13, 15, ("OAuth", "Scopes"))),
        (
            "auth/oauth.md#authorization-code-flow",
            Waypoint("auth/oauth.md", 5, 8, ("OAuth", "Flows", "Authorization Code Flow")),
        ),
        ("auth/oauth.md:3-12", Waypoint("auth/oauth.md", 3, 12, ("OAuth", "Flows"), FLOWS[1:])),
        ("auth/oauth.md:2-13", Waypoint("auth/oauth.md", 2, 13, (), FLOWS)),
        ("store.go::Store", Waypoint("store.go", 6, 6, ("Store",), ("Put", "Get"))),
        ("store.go::Put", Waypoint("store.go", 3, 4, ("Store", "Put"))),
        ("data.csv", Waypoint("data.csv")),
    ],
)
def test_with_a_corpus_a_place_has_its_lines_its_whole_titles_and_what_is_below(
    place: str, found: Waypoint
) -> None:
    assert waypoint(place) == found


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ("a.md", Waypoint("a.md")),
        ("a.md#Flows/Code", Waypoint("a.md", titles=("Flows", "Code"))),
        ("a.ts::Router.addRoute", Waypoint("a.ts", titles=("Router", "addRoute"))),
        ("a.md:3-5", Waypoint("a.md", 3, 5)),
    ],
)
def test_without_a_corpus_a_node_is_known_by_what_was_written(place: str, found: Waypoint) -> None:
    assert waypoint(place, None) == found


def test_what_searches_must_find_is_named_by_their_probes() -> None:
    flows, scopes = Location.at("auth/oauth.md#Flows"), Location.at("auth/oauth.md#Scopes")
    walk = Scenario(
        "walk",
        (
            Step(Action.TREE, at=Location.at("auth/oauth.md"), has=("Flows",)),
            Step(Action.SEARCH, "q", k=3, finds=(flows, Location.of_id("doc-1"))),
            Step(Action.SEARCH, "r"),
        ),
    )
    above = Invariant("first", Relation.RANKS_ABOVE, (Query("q", 7),), (flows,), (scopes,))
    stable = Invariant("same", Relation.STABLE, (Query("q"), Query("q")))
    suite = Suite("s", (), scenarios=(walk,), invariants=(above, stable))
    found = plan(suite, CORPUS)
    assert found.tops == {
        "scenario:walk:1": (
            ResolvedTop(Top(flows, 3), None, "auth/oauth.md", 3, 12),
            ResolvedTop(Top(Location.of_id("doc-1"), 3), "doc-1"),
        ),
        "invariant:first:0": (
            ResolvedTop(Top(flows, 7), None, "auth/oauth.md", 3, 12),
            ResolvedTop(Top(scopes, 7), None, "auth/oauth.md", 13, 15),
        ),
    }
    assert set(found.waypoints) == {("walk", 0)}
    assert set(found.tops) <= {name for name, _ in probes(suite)}


def test_every_place_that_is_not_there_is_told_where_it_was_written() -> None:
    text = """\
corpus: docs/
scenarios:
  - name: walk
    steps:
      - search: q
        finds: [auth/oath.md, auth/oauth.md#Flow, auth/oath.md]
      - tree: auth/oath.md
        has: x
      - read: auth/oauth.md:3-99
        contains: x
invariants:
  - ranks-above: q
    above: store.go::Stroe
    below: data.csv#A
cases: [{query: q, at: nowhere.md}]
"""
    with pytest.raises(InputError) as caught:
        plan(parse_suite(text, Path("s.yaml")), CORPUS)
    # What is gone is no reason to refuse a suite.
    assert str(caught.value) == (
        "s.yaml:12:5: found 'data.csv#A', expected a file whose sections are known; "
        "write lines instead, data.csv:10-50"
    )
    found = plan(parse_suite(text.replace("data.csv#A", "data.csv"), Path("s.yaml")), CORPUS)
    assert [(one.owner, one.where, one.target, one.why, one.likely) for one in found.gone] == [
        (
            "scenario walk, step 1",
            "s.yaml:5:9",
            "auth/oath.md",
            "auth/oath.md does not exist",
            "did you mean auth/oauth.md?",
        ),
        (
            "scenario walk, step 1",
            "s.yaml:5:9",
            "auth/oauth.md#Flow",
            "auth/oauth.md has no such section",
            "did you mean auth/oauth.md#Flows?",
        ),
        (
            "scenario walk, step 2",
            "s.yaml:7:9",
            "auth/oath.md",
            "auth/oath.md does not exist",
            "did you mean auth/oauth.md?",
        ),
        ("scenario walk, step 3", "s.yaml:9:9", "auth/oauth.md:3-99", "auth/oauth.md has 15 lines", ""),
        (
            "invariant ranks-above-q",
            "s.yaml:12:5",
            "store.go::Stroe",
            "store.go has no such symbol",
            "did you mean store.go::Store?",
        ),
    ]
    assert found.gone_scenarios == {"walk"}
    assert len(found.gone_invariants) == 1


def test_near_misses_are_looked_for_twenty_times() -> None:
    found = plan(going_to(*(f"data{number}.csv" for number in range(30))), CORPUS)
    assert len(found.gone) == 30
    assert [bool(one.likely) for one in found.gone] == [True] * 20 + [False] * 10


@pytest.mark.parametrize("place", ["auth/oauth.md#Scopes", "data.csv", "store.go::Open"])
def test_what_has_nothing_below_cannot_be_complete(place: str) -> None:
    with pytest.raises(InputError, match=r"s.yaml:1:5: found complete: true of .* the corpus has nothing"):
        plan(going_to(place, complete=True), CORPUS)
    plan(going_to(place), CORPUS)
    plan(going_to("auth/oauth.md#Flows", complete=True), CORPUS)


def test_records_have_no_places_to_go_to() -> None:
    with pytest.raises(InputError, match="a corpus of records, which have ids and no locations"):
        plan(going_to("a"), MemoryCorpus({"a": "text"}, records=True))


def test_two_of_one_name_are_refused_because_their_answers_would_be_one() -> None:
    suite = Suite(
        "s",
        (),
        scenarios=(Scenario("a", ()), Scenario("a", (), "s.yaml:9:1"), Scenario("a", ())),
        invariants=(Invariant("a", Relation.EMPTY, ()), Invariant("a", Relation.EMPTY, ())),
    )
    with pytest.raises(InputError) as caught:
        plan(suite, None)
    assert str(caught.value).split("\n") == [
        "s.yaml:9:1: found 'a' a second time, expected a name of its own",
        "invariant a: found 'a' a second time, expected a name of its own",
    ]


def test_a_suite_without_scenarios_and_invariants_has_an_empty_itinerary() -> None:
    found = plan(Suite("s", ()), CORPUS)
    assert (found.waypoints, found.tops) == ({}, {})
