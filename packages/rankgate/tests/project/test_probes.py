"""Probing a system: what is asked and kept, how it is judged, and how a broken navigator is found out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rankgate.gates.scenarios import NO_SYSTEM, NOT_NAVIGABLE
from rankgate.model import Hit, Ranking
from rankgate.project.opening import open_corpus
from rankgate.project.probes import Probed, probe
from rankgate.runs.asking.execute import KeepOptions, execute
from rankgate.runs.navigation.transcripts import read_transcript, write_transcript
from rankgate.runs.store.manifest import Manifest
from rankgate.runs.store.run_folder import StoredRun
from rankgate.runs.store.tables import MemoryRun
from rankgate.suites.formats import load_suite
from rankgate.truth.resolve import plan
from support.navigators import DropsAChild, LosesATitle, MarkdownNavigator, SiblingsToo, WrongParent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.gates.checks import ProbeResult
    from rankgate.model import Node, Query, Suite, System
    from rankgate.runs.asking.ask import CaseQuery
    from rankgate.runs.store.tables import Run
    from rankgate.truth.resolve import ProbePlan

OAUTH = """# OAuth

How apps get in.

## Flows

Two of them.

### Authorization Code Flow

Send the redirect_uri and get an authorization_code.

### Client Credentials Flow

Send the client_secret.

## Scopes

Ask for few.
"""
FLOWS = "auth/oauth.md#Flows"
CODE_FLOW = f"{FLOWS}/Authorization Code Flow"
SUITE = """corpus: docs/
cases:
  - {query: authorization code, at: auth/oauth.md#Flows}
scenarios:
  - name: authorization code flow
    steps:
      - search: redirect_uri
        k: 5
        finds: auth/oauth.md#Flows/Authorization Code Flow
      - tree: auth/oauth.md
        has: [Authorization Code Flow, Client Credentials Flow, Scopes]
        under: {Authorization Code Flow: Flows}
      - read: auth/oauth.md#Flows/Authorization Code Flow
        contains: [redirect_uri, authorization_code]
        excludes: client_secret
      - subtree: auth/oauth.md#Flows
        complete: true
        excludes: Ask for few
  - name: search alone
    steps:
      - {search: redirect_uri, finds: auth/oauth.md}
invariants:
  - {same-results: [redirect_uri, Redirect_URI]}
  - {monotone: flow, k: [1, 2, 9]}
  - {stable: flow}
  - {empty: blockchain}
  - {single-term-no-bonus: client_secret, beside: xqzvk}
  - {filter-only: flow, filters: {type: guide}, only: auth/**}
  - ranks-above: send the client_secret
    above: auth/oauth.md#Client Credentials Flow
    below: auth/oauth.md#Authorization Code Flow
"""


@dataclass(frozen=True)
class Tried:
    """A suite, where its places are, and what came of it."""

    suite: Suite
    probe_plan: ProbePlan
    probed: Probed

    @property
    def scenarios(self) -> tuple[ProbeResult, ...]:
        return tuple(one for one in self.probed.results if one.kind == "scenario")

    @property
    def invariants(self) -> tuple[ProbeResult, ...]:
        return tuple(one for one in self.probed.results if one.kind == "invariant")

    @property
    def every(self) -> tuple[ProbeResult, ...]:
        return self.probed.results


class SearchOnly:
    """A system without documents to walk."""

    name = "search only"

    def __init__(self) -> None:
        self._inner = MarkdownNavigator({"auth/oauth.md": OAUTH})

    def search(self, query: Query) -> Ranking:
        return self._inner.search(query)


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    (tmp_path / "docs" / "auth").mkdir(parents=True)
    (tmp_path / "docs" / "auth" / "oauth.md").write_text(OAUTH)
    (tmp_path / "docs" / "start.md").write_text("# Start\n\nHello.\n")
    (tmp_path / "rankgate.toml").write_text("")
    (tmp_path / "search.yaml").write_text(SUITE)
    return load_suite(tmp_path / "search.yaml")


def tried(suite: Suite, system: System | Run, folder: Path | None = None) -> Tried:
    probe_plan = plan(suite, open_corpus(suite, None))

    def ask(questions: Sequence[CaseQuery], where: Path | None) -> Run:
        manifest = Manifest("x", suite=suite.fingerprint)
        return execute(questions, system, keep=KeepOptions(folder=where), manifest=manifest)  # type: ignore[arg-type]

    probed = probe(suite, system, probe_plan, folder, ask)
    return Tried(suite, probe_plan, probed)


def reasons(suite: Suite, kind: type[MarkdownNavigator]) -> tuple[str, ...]:
    scenario = tried(suite, kind({"auth/oauth.md": OAUTH})).scenarios[0]
    assert (scenario.passed) == (not scenario.reasons)
    return scenario.reasons


def test_an_honest_navigator_passes_everything(suite: Suite, tmp_path: Path) -> None:
    found = tried(suite, MarkdownNavigator.over(tmp_path / "docs"))
    assert [one.reasons for one in found.every] == [()] * 9
    assert {one.passed for one in found.invariants} == {True}
    walk, search = found.scenarios
    # A search, the list of documents, a tree, and two texts.
    assert (walk.calls, search.calls) == (5, 1)
    assert walk.tokens > search.tokens > 0
    # 2 searches, 3 steps, and 2 + 3 + 3 + 1 + 2 + 1 + 1 queries of invariants.
    assert found.probed.failed == 0


def test_a_broken_navigator_is_found_out(suite: Suite) -> None:
    assert reasons(suite, MarkdownNavigator) == ()
    assert reasons(suite, WrongParent) == (
        "step 2, tree auth/oauth.md: 'Authorization Code Flow' is under 'OAuth', not under 'Flows'",
    )
    assert reasons(suite, SiblingsToo) == (
        f"step 3, read {CODE_FLOW}: the text contains 'client_secret', which is excluded",
    )
    assert reasons(suite, DropsAChild) == (
        f"step 4, subtree {FLOWS}: 1 of 2 titles below it not in the text: 'Client Credentials Flow'",
    )
    assert reasons(suite, LosesATitle) == ("step 2, tree auth/oauth.md: no node 'Scopes' among 4 nodes",)


def test_a_system_without_documents_fails_what_must_be_walked_and_is_searched(suite: Suite) -> None:
    found = tried(suite, SearchOnly())
    walk, search = found.scenarios
    assert (walk.passed, walk.reasons, walk.calls) == (False, (NOT_NAVIGABLE,), 1)
    assert search.passed
    assert {one.passed for one in found.invariants} == {True}


def test_a_system_that_is_down_is_counted_and_passes_nothing(suite: Suite) -> None:
    class Down(MarkdownNavigator):
        def search(self, _query: Query) -> Ranking:
            raise TimeoutError("late")

        def documents(self) -> list[Node]:
            raise ConnectionError("refused")

    found = tried(suite, Down({}))
    assert {one.passed for one in found.every} == {None}
    assert found.probed.failed == 18


def test_a_system_that_finds_nothing_passes_only_what_must_be_empty(suite: Suite) -> None:
    class Nothing(MarkdownNavigator):
        def search(self, _query: Query) -> Ranking:
            return Ranking()

        def tree(self, _document: str) -> list[Node]:
            return []

    found = tried(suite, Nothing({"auth/oauth.md": OAUTH}))
    assert [one.name for one in found.every if one.passed] == ["empty-blockchain"]
    assert all(one.reasons for one in found.every if one.passed is False)


def test_what_was_asked_is_kept_and_judged_again_from_its_files(suite: Suite, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    first = tried(suite, MarkdownNavigator.over(tmp_path / "docs"), folder)
    assert sorted(path.name for path in folder.iterdir()) == ["probes", "scenarios.jsonl"]
    assert read_transcript(folder / "scenarios.jsonl") == first.probed.transcript
    execute(
        [], SearchOnly(), keep=KeepOptions(folder=folder), manifest=Manifest("x", suite=suite.fingerprint)
    )
    stored = tried(suite, StoredRun.open(folder))
    assert stored.every == first.every
    assert stored.probed.notes == ()


def test_answers_to_another_suite_are_not_taken(suite: Suite, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    tried(suite, MarkdownNavigator.over(tmp_path / "docs"), folder)
    execute([], SearchOnly(), keep=KeepOptions(folder=folder), manifest=Manifest("x"))
    (tmp_path / "search.yaml").write_text(SUITE.replace("blockchain", "oauth"))
    found = tried(load_suite(tmp_path / "search.yaml"), StoredRun.open(folder))
    assert {one.passed for one in found.every} == {None}
    (note,) = found.probed.notes
    assert note.startswith("2 scenarios and 7 invariants of this suite were not asked when the run was made")


def test_a_transcript_of_another_suite_is_not_taken(suite: Suite, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    first = tried(suite, MarkdownNavigator.over(tmp_path / "docs"), folder)
    execute([], SearchOnly(), keep=KeepOptions(folder=folder), manifest=Manifest("x"))
    assert first.probed.transcript is not None
    write_transcript(replace(first.probed.transcript, suite="another"), folder / "scenarios.jsonl")
    found = tried(suite, StoredRun.open(folder))
    assert [one.passed for one in found.scenarios] == [None, True]
    assert found.invariants == first.invariants
    assert len(found.probed.notes) == 1


def test_a_run_that_was_read_from_a_file_is_not_probed(suite: Suite) -> None:
    found = tried(suite, MemoryRun("old", []))
    assert {one.reasons for one in found.every} == {(NO_SYSTEM,)}
    assert (found.probed.run, found.probed.transcript) == (None, None)


def test_a_suite_without_scenarios_and_invariants_asks_nothing(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text("cases:\n  - {query: a, id: a}\n")
    found = tried(load_suite(tmp_path / "s.yaml"), SearchOnly(), tmp_path / "run")
    assert (found.probed.run, found.probed.transcript, found.probed.notes) == (None, None, ())
    assert not (tmp_path / "run").exists()


def test_a_text_that_was_cut_is_noted(suite: Suite) -> None:
    class Endless(MarkdownNavigator):
        def read(self, node: str) -> str:
            return super().read(node) + "x" * 2_000_000

    found = tried(suite, Endless({"auth/oauth.md": OAUTH}))
    assert found.probed.notes == ("1 text of scenarios kept in part",)
    assert "the text may contain 'client_secret'" in found.scenarios[0].reasons[0]


def test_an_unstable_system_is_found_out(suite: Suite) -> None:
    class Moody(MarkdownNavigator):
        def search(self, query: Query) -> Ranking:
            self.called.append("search")
            first = Hit(path=f"{len(self.called)}.md", score=1 / len(query.text.split()))
            return Ranking((first, *super().search(query).hits)[: query.k])

    found = tried(suite, Moody({"auth/oauth.md": OAUTH}))
    held = [one.name for one in found.invariants if one.passed]
    assert held == ["single-term-no-bonus-client-secret-xqzvk", "ranks-above-send-the-client-secret"]
