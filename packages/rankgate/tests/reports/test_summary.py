"""The first screen as data: eight states, one order of causes, and the queries that broke in theirs."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from rich.cells import cell_len

from rankgate.errors import InputError, Problem
from rankgate.gates.judge import JudgingRules, judge_run
from rankgate.gates.language import parse_gates
from rankgate.gates.scored import Against
from rankgate.model import Answer, Case, ExitCode, GateOutcome, GateText, Hit, State, SuiteVerdict, XFail
from rankgate.model.verdict import Counts, Status
from rankgate.reports.evaluation.refused import refused_report
from rankgate.reports.evaluation.report import EvaluationReport, Header, evaluation_report
from rankgate.reports.evaluation.summary.states import ReportState, report_state
from rankgate.reports.text.printable import columns
from rankgate.truth.diagnosis import MappingFault
from rankgate.truth.facts.checked import CheckedFact, FactKind
from rankgate.truth.gone import GoneLocation
from support.builders import at
from support.evaluations import TODAY, Evaluated, evaluated, target

WRONG = [f"wrong{number}" for number in range(1, 11)]
ORDER = ("suite", "outage", "mapping", "targets", "failed gates", "inconclusive gates")
"""Written down from the issue, not taken from the code."""


def asked(**answers: list[str] | Answer) -> Evaluated:
    """Ask a query for each answer; each expects ``a``."""
    cases = [Case(name, f"how to {name}", (target("a"),)) for name in answers]
    return evaluated(cases, answers, metrics=["rr"])


def drawn(applies: frozenset[str]) -> EvaluationReport:
    """Evaluate a state in which just these causes apply."""
    answers: dict[str, list[Hit | str] | Answer] = {f"good{number}": ["a"] for number in range(9)}
    answers["last"] = Answer.ERROR if "outage" in applies else ["x", "a"]
    cases = [
        Case(name, name, (target("a"),), category="few" if name == "last" else "many") for name in answers
    ]
    gates = ["rr >= 0.2"]
    if "failed gates" in applies:
        gates.append("rr >= 0.99")
    if "inconclusive gates" in applies:
        gates.append("rr >= 0.1 where category = few")
    held: dict[str | None, Against] = {}
    if "suite" in applies:
        gates.append("drop(rr) < 0.1 against main")
        held["main"] = Against("main", why="no baseline", absent=True, required=True)
    scored = evaluated(cases, answers, metrics=["rr"]).scored()
    fault = MappingFault("9 of 10 hits name files that the corpus does not have", "set root = 'docs'")
    gone = GoneLocation("case last", "search.yaml:9:3", "a.md#Keys", "a.md has no such section", case="last")
    scored = replace(
        scored,
        baselines=held,
        faults=(fault,) if "mapping" in applies else (),
        gone=(gone,) if "targets" in applies else (),
    )
    parsed = parse_gates([GateText(gate, "search.yaml:2:3") for gate in gates], scored.suite.metrics)
    return evaluation_report(judge_run(scored, JudgingRules(parsed, ("rr",), TODAY)), Header())


@pytest.mark.parametrize(
    "applies", [frozenset(some) for size in range(len(ORDER) + 1) for some in combinations(ORDER, size)]
)
def test_the_first_cause_that_applies_makes_the_headline_and_every_other_is_one_line(
    applies: frozenset[str],
) -> None:
    said = drawn(applies).summary
    wanted = [cause for cause in ORDER if cause in applies]
    assert said.cause == (wanted[0] if wanted else None)
    assert [line.kind for line in said.lines] == wanted[1:]
    assert all("\n" not in line.words and line.words for line in said.lines)
    assert said.headline
    assert len(said.steps) <= 3


def test_every_state_has_a_sign_of_two_columns_and_a_colour_of_its_own() -> None:
    assert len(ReportState) == 8
    assert len({state.symbol for state in ReportState}) == 8
    assert len({state.colour for state in ReportState}) == 8
    assert {cell_len(state.symbol) for state in ReportState} == {2}
    assert {columns(state.symbol) for state in ReportState} == {2}


GATE = GateOutcome("rr >= 0.5", Status.PASSED, Counts(1))


@pytest.mark.parametrize(
    ("verdict", "state"),
    [
        (SuiteVerdict(State.PASSED, ExitCode.PASSED, (GATE,)), "passed"),
        (SuiteVerdict(State.FAILED, ExitCode.GATE_FAILED, (GATE,)), "failed"),
        (SuiteVerdict(State.INCONCLUSIVE, ExitCode.INCONCLUSIVE, (GATE,)), "inconclusive"),
        (SuiteVerdict(State.INCONCLUSIVE, ExitCode.PASSED, (GATE,)), "inconclusive"),
        (SuiteVerdict(State.NOT_ENFORCED, ExitCode.PASSED, (GATE,)), "not enforced"),
        (SuiteVerdict(State.NOT_ENFORCED, ExitCode.PASSED), "no gates"),
        (SuiteVerdict(State.SYSTEM_FAILED, ExitCode.SYSTEM_FAILED, (GATE,)), "system error"),
        (SuiteVerdict(State.REFUSED, ExitCode.WRONG_CALL, (GATE,)), "suite error"),
        (SuiteVerdict(State.REFUSED, ExitCode.CRASHED), "internal error"),
    ],
)
def test_every_verdict_has_its_state(verdict: SuiteVerdict, state: str) -> None:
    assert report_state(verdict) == state


def test_the_headline_of_a_pass_counts_the_gates_and_nothing_is_broken() -> None:
    said = asked(one=["a"], two=["x", "a"]).report("rr >= 0.5", "rr >= 0.6").summary
    assert (said.state, said.headline, said.broken) == ("passed", "2 gates passed", ())
    # Below the value of a gate that passed, and no reason for anything.
    assert (said.weakest, said.fine) == (1, 1)


def test_no_gates_and_not_enforced_and_inconclusive_are_told_apart() -> None:
    found = asked(one=["a"], two=["x"])
    assert found.report().summary.headline == "No gates defined"
    waived = found.report("rr >= 0.9", "rr >= 0.1", enforce=False).summary
    assert (waived.state, waived.headline) == ("not enforced", "Not enforced: 1 of 2 gates fails")
    cases = [Case("q", "q", (target("a"),), category="few")]
    few = evaluated(cases, {"q": ["a"]}, metrics=["rr"]).report("rr >= 0.5 where category = few").summary
    assert (few.state, few.headline) == (
        "inconclusive",
        "1 gate inconclusive: rr >= 0.5 where category = few",
    )
    assert len({found.report().summary.state.symbol, waived.state.symbol, few.state.symbol}) == 3


def test_an_outage_is_told_once_with_its_count_and_one_command_and_without_a_comparison() -> None:
    before = asked(one=["a"], two=["a"], three=["a"])
    now = asked(one=Answer.ERROR, two=Answer.ERROR, three=["a"])
    said = now.report("rr >= 0.5", against=now.since(before)).summary
    assert said.headline == "System error on 2 of 3 queries: connection refused"
    assert said.reason == "2 errors, counted as 0; 0 allowed; nothing is compared with a baseline."
    assert [(line.kind, line.count, line.reason) for line in said.broken] == [
        ("error", 2, "connection refused")
    ]
    # Nobody answers a single question either: one command.
    assert [one.label for one in said.steps] == ["start it or correct its address, then"]
    assert said.changed == ""
    assert (said.lost_count, said.fine) == (0, 1)


def test_a_lost_query_says_where_it_was_what_it_expects_and_what_came_first() -> None:
    before = asked(one=["x", "a"], two=["a"], three=WRONG)
    now = asked(one=WRONG, two=["a"], three=["y", "a"])
    said = now.report("rr >= 0.1", against=now.since(before)).summary
    assert said.headline == "1 query no longer finds its target"
    (lost,) = said.broken
    assert (lost.kind, lost.query, lost.was, lost.now) == ("lost", "how to one", 2, None)
    assert (lost.ranks, lost.expected, lost.first) == ("rank 2 → not in the top 10", "a", "wrong1")
    (won,) = said.won
    assert (won.case, won.was, won.now, won.ranks) == ("three", None, 2, "not found → rank 2")
    assert (said.lost_count, said.won_count, said.fine) == (1, 1, 2)
    assert "1 lost, 1 won" in said.changed


def test_pages_are_called_pages() -> None:
    case = Case("q", "q", (target("docs/keys.md"),))
    found = evaluated([case], {"q": [at("docs/other.md")]}, metrics=["rr"])
    assert found.report("rr >= 0.5").summary.headline == "1 query does not find its page"


def test_a_section_is_named_where_its_page_came() -> None:
    cases = [Case(name, name, (target("docs/keys.md:5-8"),)) for name in ("q", "r")]
    other, elsewhere = at("docs/other.md"), at("docs/keys.md", 20, 30)
    for hits, noun in (([other, elsewhere], "section"), ([other], "page")):
        found = evaluated(cases[:1], {"q": hits}, metrics=["rr"])
        assert found.report("rr >= 0.5").summary.headline == f"1 query does not find its {noun}"
    # Where one page of several did not come, that is what is wrong.
    found = evaluated(cases, {"q": [elsewhere], "r": [other]}, metrics=["rr"])
    assert found.report("rr >= 0.5").summary.headline == "2 queries do not find their page"


def test_the_allowance_of_errors_is_not_counted_as_a_gate_of_the_suite() -> None:
    now = asked(one=Answer.ERROR, two=Answer.ERROR, three=["a"])
    for gates, words in (
        (["rr >= 0.5"], "1 gate failed"),
        (["rr >= 0.5", "rr >= 0.1"], "1 of 2 gates failed"),
    ):
        (line,) = now.report(*gates).summary.lines
        assert line.words == f"{words}, with errors counted as 0, which says nothing about the search"


def test_broken_queries_stand_in_one_order_and_name_only_a_gate_that_failed() -> None:
    before = asked(low=["a"], lower=["a"], nothing=WRONG, lost=["a"], fine=["a"])
    now = asked(low=["x", "a"], lower=["x", "y", "a"], nothing=WRONG, lost=WRONG, fine=["a"])
    said = now.report("rr >= 0.95", "rr >= 0.01", against=now.since(before)).summary
    assert [(line.kind, line.case) for line in said.broken] == [
        ("lost", "lost"),
        ("nothing found", "nothing"),
        ("low", "lower"),
        ("low", "low"),
    ]
    assert said.broken[3].reason == "rr 0.5000 < 0.95"
    assert "0.01" not in "".join(line.reason for line in said.broken)
    assert said.fine == 1


def test_a_query_whose_right_answer_is_first_is_not_broken_by_a_gate_that_does_not_count_it() -> None:
    cases = [
        Case("right", "right", (target("a"),), category="docs"),
        *(Case(f"bad{number}", "bad", (target("a"),), category="code") for number in range(5)),
    ]
    answers = {case.id: ["a"] if case.id == "right" else ["x", "a"] for case in cases}
    said = evaluated(cases, answers, metrics=["rr"]).report("rr >= 0.9 where category = code").summary
    assert "right" not in [line.case for line in said.broken]
    assert said.broken_count == 5


def test_a_known_miss_breaks_nothing() -> None:
    case = Case("q", "q", (target("a"),), xfail=XFail("synonyms", TODAY))
    other = Case("r", "r", (target("a"),))
    said = evaluated([case, other], {"q": WRONG, "r": ["a"]}, metrics=["rr"]).report("rr >= 0.9").summary
    assert said.broken == ()
    assert said.fine == 1


def test_targets_that_moved_are_the_headline_with_both_locations_and_the_command() -> None:
    cases = [Case("q", "rotate", (target("a.md:3-4"),)), Case("r", "revoke", (target("a.md:9-9"),))]
    answers = {"q": [at("b.md", 1, 2)], "r": [at("a.md", 9, 9)]}
    scored = evaluated(cases, answers, metrics=["rr"]).scored()
    parsed = parse_gates([GateText("rr >= 0.9")], ())
    scored = judge_run(scored, JudgingRules(parsed, ("rr",), TODAY))
    fact = CheckedFact(FactKind.MOVED, ("q",), "it moved", details=("a.md:3-4 → a.md:7-8",))
    said = evaluation_report(scored, Header(), (), (fact,)).summary
    assert said.headline == "1 target moved in the documents"
    assert said.reason == "a.md:3-4 → a.md:7-8."
    assert said.steps[0].command == "rankgate suite fix SUITE"
    assert [(line.kind, line.reason) for line in said.broken] == [
        ("target moved", "moved: a.md:3-4 → a.md:7-8")
    ]
    assert [one.kind for one in said.lines] == ["failed gates"]


HOSTILE = "\x1b[31mred\n::error::x <script> **b** `'\"; rm -rf ~ \u202eabc"


def test_hostile_texts_stay_text() -> None:
    case = Case(HOSTILE, HOSTILE, (target(HOSTILE.replace(".", "")),))
    other = Case("s", HOSTILE, (target("a"),))
    found = evaluated([case, other], {HOSTILE: [HOSTILE], "s": Answer.ERROR}, metrics=["rr"], name=HOSTILE)
    found.run.name = HOSTILE
    said = found.report("rr >= 0.99").summary
    texts = [said.headline, said.reason, said.changed, *(line.words for line in said.lines)]
    texts += [step.command for step in said.steps]
    for line in said.broken:
        texts += [line.query, line.case, line.expected, line.first, line.reason, line.command, line.ranks]
    assert any("red" in text for text in texts)
    assert all(text.isprintable() for text in texts)


@pytest.mark.parametrize(
    ("error", "state", "cause"),
    [
        (InputError(Problem("s.yaml:3", "gates: x", "a gate")), "suite error", "suite"),
        (ExitCode.CRASHED, "internal error", "internal"),
        (ExitCode.INTERRUPTED, "inconclusive", None),
    ],
)
def test_what_came_to_no_verdict_has_a_state_a_headline_and_a_reason(
    error: InputError | ExitCode, state: str, cause: str | None
) -> None:
    said = refused_report("search", "app", error, "s.yaml").summary
    assert (said.state, said.cause) == (state, cause)
    assert said.headline
    assert said.reason
    assert said.gates == "Nothing was judged"
