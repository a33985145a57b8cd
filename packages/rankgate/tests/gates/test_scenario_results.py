"""Scenarios: what each step must show, what a scenario costs, and what gates make of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from rankgate.errors import InputError
from rankgate.gates.checks import CheckResult, Checks, InvariantResult, ScenarioResult
from rankgate.gates.exit_code import exit_code
from rankgate.gates.probe_answers import ProbeAnswers
from rankgate.gates.scenarios import NOT_ASKED, NOT_NAVIGABLE, Evidence, judge_scenarios
from rankgate.model import (
    Action,
    Answer,
    Case,
    ExitCode,
    Hit,
    Location,
    Relation,
    Scenario,
    Status,
    Step,
    Waypoint,
)
from rankgate.model.probes import step_id
from rankgate.runs.navigation.transcripts import Observation, SeenNode, StepStatus, Transcript
from rankgate.runs.store.tables import MemoryRun, Shard
from support.builders import at
from support.evaluations import Evaluated, evaluated, target

OAUTH = Location.at("oauth.md")
FLOWS = Location.at("oauth.md#Flows")
NODES = (
    SeenNode("1", "OAuth"),
    SeenNode("2", "Flows", "1"),
    SeenNode("3", "Code  flow", "2"),
    SeenNode("4", "def rotate(self)", "2"),
)


def ended(
    step: Step, *, point: Waypoint | None = None, **observed: Any
) -> tuple[CheckResult, tuple[str, ...]]:
    """Judge a scenario of one step that is no search."""
    scenario = Scenario("s", (step,), "s.yaml:4:5")
    seen = Observation("s", 0, step.action, **observed)
    points = {} if point is None else {("s", 0): point}
    evidence = Evidence(ProbeAnswers(None), Transcript((seen,)), points)
    (result,) = judge_scenarios([scenario], evidence)
    assert (result.name, result.where) == ("s", "s.yaml:4:5")
    return result.result, result.reasons


def tree(nodes: tuple[SeenNode, ...] = NODES, cut: int = 0, **wanted: Any) -> tuple[str, ...]:
    result, reasons = ended(Step(Action.TREE, at=OAUTH, **wanted), nodes=nodes, cut=cut)
    assert (result is CheckResult.PASSED) == (not reasons)
    assert all(reason.startswith("step 1, tree oauth.md: ") for reason in reasons)
    return tuple(reason.removeprefix("step 1, tree oauth.md: ") for reason in reasons)


def text(
    given: str | None, cut: int = 0, below: tuple[str, ...] = (), action: Action = Action.READ, **wanted: Any
) -> tuple[str, ...]:
    point = Waypoint("oauth.md", 1, 9, ("Flows",), below)
    result, reasons = ended(Step(action, at=FLOWS, **wanted), point=point, text=given, cut=cut)
    assert (result is CheckResult.PASSED) == (not reasons)
    return tuple(reason.removeprefix(f"step 1, {action} oauth.md#Flows: ") for reason in reasons)


def test_a_tree_has_its_titles_whatever_their_white_space_and_signature() -> None:
    assert tree() == ()
    assert tree(has=("OAuth", "Code flow", "rotate", "`Flows`")) == ()
    assert tree((SeenNode("1", "The `Store` *class*"),), has=("The Store class",)) == ()
    assert tree(has=("code flow", "Scopes")) == (
        "no node 'code flow' among 4 nodes; near it: 'Code flow'",
        "no node 'Scopes' among 4 nodes",
    )
    assert tree(has=("Flow",)) == ("no node 'Flow' among 4 nodes; near it: 'Flows'",)
    assert tree(cut=7, has=("Scopes",)) == ("no node 'Scopes' among 4 nodes (7 more nodes not kept)",)


def test_a_title_stands_under_its_parent() -> None:
    assert tree(under=(("Code flow", "Flows"), ("rotate", "Flows"), ("Flows", "OAuth"))) == ()
    assert tree(under=(("Code flow", "OAuth"),)) == ("'Code flow' stands under 'Flows', not under 'OAuth'",)
    assert tree(under=(("OAuth", "Flows"),)) == ("'OAuth' stands at the top, not under 'Flows'",)
    assert tree(under=(("Scopes", "Flows"),)) == ("no node 'Scopes' among 4 nodes",)
    orphan = (SeenNode("a", "Code flow", "gone"),)
    assert tree(orphan, under=(("Code flow", "Flows"),)) == (
        "'Code flow' has the parent 'gone', which is not in the tree, not under 'Flows'",
    )
    # Of two nodes of one title, one will do.
    assert tree((*NODES, SeenNode("5", "Code flow", "1")), under=(("Code flow", "OAuth"),)) == ()


def test_a_tree_without_nodes_shows_nothing() -> None:
    assert tree(()) == ("the tree has no nodes",)


def test_a_tree_with_a_circle_or_an_id_that_stands_twice_is_none() -> None:
    circle = (SeenNode("1", "A", "2"), SeenNode("2", "B", "1"))
    assert tree(circle, has=("A",)) == ("the parents of 'A' go in a circle",)
    assert tree((SeenNode("1", "A", "1"),)) == ("the parents of 'A' go in a circle",)
    twice = (SeenNode("1", "A"), SeenNode("1", "B"), SeenNode("2", "C", "1"))
    assert tree(twice, under=(("C", "A"),)) == (
        "1 id of more than one node: '1'",
        "'C' stands under 'A', not under 'A'",
    )


def test_a_text_has_what_it_must_and_not_what_it_must_not() -> None:
    given = "## Flows\n\nThe redirect_uri  is\nsent."
    assert text(given, contains=("redirect_uri is sent",), excludes=("secret",)) == ()
    assert text(given, contains=("Redirect",), excludes=("is sent",)) == (
        "the text does not have 'Redirect'",
        "the text has 'is sent', which belongs elsewhere",
    )
    assert text(" \n") == ("the text is empty",)
    assert text(None) == ("the text is empty",)


def test_what_was_cut_off_passes_nothing() -> None:
    assert text("abc", cut=9, contains=("abc",)) == ()
    assert text("abc", cut=9, contains=("x",), excludes=("y",)) == (
        "the text does not have 'x' (its last 9 bytes were not kept)",
        "it cannot be told whether the text has 'y' (its last 9 bytes were not kept)",
    )


def test_a_complete_text_has_every_title_below_as_whole_words() -> None:
    def complete(given: str, *below: str, cut: int = 0) -> tuple[str, ...]:
        return text(given, cut=cut, below=below, action=Action.SUBTREE, complete=True)

    assert complete("## Flows\n### Code\n### The `Store` *class*\n", "Code", "The Store class") == ()
    assert complete("## Flows\n### Codes", "Code") == ("1 of 1 title below it not in the text: 'Code'",)
    assert complete("Example\nExample", "Example", "Example") == ()
    assert complete("Example", "Example", "Example") == ("1 of 1 title below it not in the text: 'Example'",)
    assert complete("C++", "C++", "C") == ()
    assert complete("### [Code](a.md) flow &amp; more\n", "Code flow & more") == ()
    once = "### [Code](a.md) flow\n"
    assert complete(once, "Code flow", "Code flow") != ()
    assert complete(once * 2, "Code flow", "Code flow") == ()
    assert complete("[Code](a.md) flow &amp; more\n", "Code flow & more") != ()
    assert complete("none", *"ABCDE") == ("5 of 5 titles below it not in the text: 'A', 'B', 'C' and 2 more",)
    assert complete("none") == ("the corpus has nothing below it, so that complete says nothing",)
    assert complete("x", "Code", cut=3) == (
        "1 of 1 title below it not in the text (its last 3 bytes were not kept): 'Code'",
    )


def test_a_step_that_was_not_taken_fails_and_one_that_errored_is_left_open() -> None:
    step = Step(Action.TREE, at=OAUTH)
    assert ended(step, status=StepStatus.NOT_FOUND, error="none of 2 documents is 'oauth.md'") == (
        CheckResult.FAILED,
        ("step 1, tree oauth.md: none of 2 documents is 'oauth.md'",),
    )
    assert ended(step, status=StepStatus.ERROR, error="down") == (
        CheckResult.NOT_RUN,
        ("step 1, tree oauth.md: the system did not answer (down)",),
    )
    assert ended(step, status=StepStatus.TIMEOUT) == (
        CheckResult.NOT_RUN,
        ("step 1, tree oauth.md: the system did not answer in time",),
    )
    (lost,) = judge_scenarios([Scenario("s", (step,))], Evidence(ProbeAnswers(None), Transcript()))
    assert (lost.result, lost.reasons) == (
        CheckResult.FAILED,
        ("step 1, tree oauth.md: the transcript does not have the step",),
    )


def searched(
    hits: list[Hit] | Answer | None, ranks: list[int | None] | None = None, k: int = 3
) -> ScenarioResult:
    """Judge a scenario of one search that must find two places."""
    wanted = (Location.at("a.md"), Location.at("b.md"))
    scenario = Scenario("s", (Step(Action.SEARCH, "how", k=k, finds=wanted),))
    name = step_id("s", 0)
    shard = Shard.of_rankings({} if hits is None else {name: [] if isinstance(hits, Answer) else hits})
    if isinstance(hits, Answer):
        queries = shard.queries.with_columns(status=pl.lit(hits.value), error=pl.lit("down"))
        shard = Shard.of(queries, shard.hits)
    found = {(name, number): rank for number, rank in enumerate(ranks or [])}
    (result,) = judge_scenarios([scenario], Evidence(ProbeAnswers(MemoryRun("m", [shard])), None, {}, found))
    return result


def test_a_search_finds_every_place_among_its_first_hits() -> None:
    hits = [at("a.md", 1, 2, tokens=5), at("c.md"), at("b.md"), at("b.md", 4, 5)]
    good = searched(hits, [1, 3])
    # 5 tokens as reported, and 1 + 1 + 2 for the names of hits without a text.
    assert (good.result, good.reasons, good.calls, good.tokens) == (CheckResult.PASSED, (), 1, 9)
    assert searched(hits, [1, 4]).reasons == (
        "step 1, search 'how': b.md is not among the first 3 hits, but at rank 4",
    )
    assert searched(hits[:1], [1, None]).reasons == ("step 1, search 'how': b.md is not among the one hit",)
    assert searched(hits, [1]).result is CheckResult.FAILED
    assert searched([]).reasons == ("step 1, search 'how': no hits",)
    assert searched(None).reasons == ("step 1, search 'how': the run does not have the query",)
    assert searched(None).calls == 0
    error = searched(Answer.ERROR)
    assert (error.result, error.reasons, error.calls) == (
        CheckResult.NOT_RUN,
        ("step 1, search 'how': the system did not answer (down)",),
        1,
    )


def test_costs_add_up_over_the_steps_and_one_failure_decides_over_an_error() -> None:
    steps = (Step(Action.SEARCH, "q"), Step(Action.TREE, at=OAUTH), Step(Action.READ, at=OAUTH))
    run = MemoryRun("m", [Shard.of_rankings({step_id("s", 0): [at("a.md", tokens=7)]})])
    seen = (
        Observation("s", 1, Action.TREE, calls=2, tokens=30, nodes=NODES),
        Observation("s", 2, Action.READ, StepStatus.ERROR, "down", calls=1, tokens=4),
    )
    evidence = Evidence(ProbeAnswers(run), Transcript(seen))
    (result,) = judge_scenarios([Scenario("s", steps)], evidence)
    assert (result.result, result.calls, result.tokens) == (CheckResult.NOT_RUN, 4, 41)
    (result,) = judge_scenarios(
        [Scenario("s", steps)],
        replace(evidence, transcript=Transcript((replace(seen[0], nodes=()), seen[1]))),
    )
    assert result.result is CheckResult.FAILED
    assert len(result.reasons) == 2


def test_a_system_that_only_searches_fails_what_must_be_walked() -> None:
    walk = Scenario(
        "walk", (Step(Action.SEARCH, "q"), Step(Action.TREE, at=OAUTH), Step(Action.READ, at=OAUTH))
    )
    plain = Scenario("plain", (Step(Action.SEARCH, "q"),))
    rankings = {step_id("walk", 0): [], step_id("plain", 0): [at("a.md")]}
    run = MemoryRun("m", [Shard.of_rankings(rankings)])
    evidence = Evidence(ProbeAnswers(run), Transcript(navigable=False))
    walked, searched = judge_scenarios([walk, plain], evidence)
    assert NOT_NAVIGABLE == "the system cannot be navigated (documents, tree, read, subtree)"
    assert (walked.result, walked.reasons, walked.calls) == (
        CheckResult.FAILED,
        (NOT_NAVIGABLE, "step 1, search 'q': no hits"),
        1,
    )
    assert searched.result is CheckResult.PASSED


def test_without_a_system_nothing_is_run() -> None:
    scenarios = [Scenario("a", (Step(Action.SEARCH, "q"),)), Scenario("b", (Step(Action.TREE, at=OAUTH),))]
    results = judge_scenarios(scenarios, Evidence(ProbeAnswers(None), None))
    assert [(one.result, one.reasons) for one in results] == [(CheckResult.NOT_RUN, (NOT_ASKED,))] * 2


PASS, FAIL, OPEN = CheckResult.PASSED, CheckResult.FAILED, CheckResult.NOT_RUN


def probed(
    scenarios: tuple[CheckResult, ...] = (),
    invariants: tuple[CheckResult, ...] = (),
    errored: int = 0,
    *cases: Case,
) -> Evaluated:
    """An evaluation of one good case, with scenarios and invariants that ended so."""
    cases = cases or (Case("q", "q", (target("a"),)),)
    found = evaluated(cases, {case.id: ["a"] for case in cases}, metrics=["rr"])
    checks = Checks(
        scenarios=tuple(ScenarioResult(f"s{at}", end, ("why",)) for at, end in enumerate(scenarios)),
        invariants=tuple(
            InvariantResult(f"i{at}", Relation.EMPTY, end, ("why",)) for at, end in enumerate(invariants)
        ),
        probes=8,
        probes_errored=errored,
    )
    return replace(found, checks=found.checks.with_probes(checks))


def test_scenarios_and_invariants_are_held_to_without_a_gate() -> None:
    found = probed((PASS, FAIL), (PASS,))
    verdicts = found.judge("rr >= 0.5")
    assert [(one.gate, one.status, one.reason) for one in verdicts[1:]] == [
        ("scenarios = 100%", Status.FAILED, "50% ≠ 100%: 1 of 2 scenarios succeeded"),
        ("invariants = 100%", Status.PASSED, "100% = 100%: 1 of 1 invariant held"),
    ]
    assert exit_code(verdicts, found.scores, 0, found.checks) is ExitCode.GATE_FAILED


def test_a_gate_may_ask_for_less() -> None:
    found = probed((PASS, FAIL), (FAIL, PASS, PASS))
    verdicts = found.judge("scenarios >= 50%", "invariants >= 60%")
    assert [one.status for one in verdicts] == [Status.PASSED, Status.PASSED]


def test_what_was_not_run_is_left_out_and_counted_and_nothing_run_is_inconclusive() -> None:
    (verdict, *_) = probed((PASS, OPEN), errored=2).judge(max_errors=2)
    assert (verdict.status, verdict.reason) == (
        Status.PASSED,
        "100% = 100%: 1 of 1 scenario succeeded, 1 not run, because the system did not answer",
    )
    (verdict,) = probed((OPEN, OPEN)).judge()
    assert (verdict.status, verdict.reason, verdict.value) == (
        Status.INCONCLUSIVE,
        "0 scenarios run, 2 not run",
        None,
    )


def test_probes_that_errored_count_as_errors_of_the_system() -> None:
    found = probed((OPEN,), errored=2)
    verdicts = found.judge("errors <= 50%", max_errors=1)
    assert [(one.gate, one.status) for one in verdicts] == [
        ("errors <= 50%", Status.PASSED),
        ("scenarios = 100%", Status.INCONCLUSIVE),
        ("errors <= 1", Status.FAILED),
    ]
    assert verdicts[0].reason == "22.22% <= 50%: errors on 0 of 1 query and 2 of 8 probes"
    assert verdicts[2].reason == "2 > 1: errors on 0 of 1 query and 2 of 8 probes"
    assert exit_code(verdicts, found.scores, 1, found.checks) is ExitCode.SYSTEM_FAILED
    assert exit_code(found.judge(max_errors=2), found.scores, 2, found.checks) is ExitCode.INCONCLUSIVE


def test_a_slice_of_errors_is_about_cases_alone() -> None:
    case = Case("q", "q", (target("a"),), category="exact")
    (gate, *_) = probed((PASS,), (), 3, case).judge("errors = 0 where category = exact", max_errors=3)
    assert (gate.status, gate.reason) == (Status.PASSED, "0 = 0: errors on 0 of 1 query")
    assert gate.counts.scored == 1


@pytest.mark.parametrize("measure", ["scenarios", "invariants"])
def test_a_gate_over_none_of_them_is_refused(measure: str) -> None:
    with pytest.raises(InputError, match=f"'{measure} = 100%' in a suite without {measure}"):
        probed().judge(f"{measure} = 100%")


def test_scenarios_count_in_a_suite_that_nobody_has_reviewed() -> None:
    case = Case("q", "q", (target("a", reviewed=False),))
    verdicts = probed((FAIL,), (), 0, case).judge("rr >= 0.5")
    assert [one.status for one in verdicts] == [Status.NOT_ENFORCED, Status.FAILED]
