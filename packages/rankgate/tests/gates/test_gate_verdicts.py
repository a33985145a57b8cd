"""Judging gates: statuses, reasons with their counts, and exit codes."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

import pytest

from rankgate.errors import InputError
from rankgate.gates.exit_code import exit_code, waive
from rankgate.model import Answer, Case, ExitCode, Location, Status, Top, XFail
from support.evaluations import TODAY, Evaluated, evaluated, target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.gates.scored import GateVerdict


def graded(
    *ranks: int | None, category: str | None = None, first: int = 0
) -> tuple[list[Case], dict[str, list[str]]]:
    """Cases whose one target stands at these ranks; None: it is not found."""
    cases, answers = [], {}
    for number, rank in enumerate(ranks, first):
        name = f"q{number}"
        cases.append(Case(name, f"query {number}", (target("right"),), category=category))
        answers[name] = [] if rank is None else [*(f"wrong{n}" for n in range(1, rank)), "right"]
    return cases, answers


def ranked(*ranks: int | None, metrics: Sequence[str] = ("rr",)) -> Evaluated:
    return evaluated(*graded(*ranks), metrics=metrics)


def test_a_gate_passes_or_fails_and_says_by_what() -> None:
    passed, failed = ranked(1, 2, None).judge("rr >= 0.5", "rr >= 0.75")
    assert (passed.status, passed.value, passed.reason) == (Status.PASSED, 0.5, "0.5000 >= 0.5: 3 queries")
    assert (failed.status, failed.reason) == (Status.FAILED, "0.5000 < 0.75: 3 queries")
    assert failed.where == "search.yaml:2:3"


def test_a_goal_is_told_beside_the_bar_and_decides_nothing() -> None:
    missed, reached, failed = ranked(1, 2, None).judge(
        "rr >= 0.4 goal 0.6", "rr >= 0.4 goal 0.5", "rr >= 0.55 goal 0.9"
    )
    assert (missed.status, missed.reason) == (
        Status.PASSED,
        "0.5000 >= 0.4: 3 queries; below goal 0.6",
    )
    assert reached.reason.endswith("; goal 0.5 reached: make it the gate's value")
    assert (failed.status, failed.reason) == (Status.FAILED, "0.5000 < 0.55: 3 queries")


def test_a_near_miss_is_shown_with_the_digits_that_tell() -> None:
    cases = [
        Case("good", "good", (target("a"),), weight=64_996),
        Case("bad", "bad", (target("a"),), weight=35_004),
    ]
    found = evaluated(cases, {"good": ["a"], "bad": []}, metrics=["rr"])
    share, percent, above = found.judge("rr >= 0.65", "rr >= 65%", "rr >= 0.6")
    told = "2 queries; weighted: 1.8 effective, largest share 65%, unweighted"
    assert (share.status, share.reason) == (Status.FAILED, f"0.64996 < 0.65: {told} 0.5000")
    assert (percent.status, percent.reason) == (Status.FAILED, f"64.996% < 65%: {told} 50%")
    assert above.reason == f"0.6500 >= 0.6: {told} 0.5000"


def test_the_counts_behind_a_value_stand_in_its_reason() -> None:
    cases, answers = graded(1, 1, 1)
    cases += [
        Case("down", "down", (target("right"),)),
        Case("absent", "absent", (target("right"),)),
        Case("none", "none", (target("wrong", 0.0),)),
        Case("new", "new", (target("right", reviewed=False),)),
    ]
    found = evaluated(cases, {**answers, "down": Answer.TIMEOUT, "none": [], "new": []}, metrics=["rr"])
    verdict, errors = found.judge("rr >= 0.65")
    assert (
        verdict.reason
        == "0.6000 < 0.65: 5 queries (1 not applicable, 1 unreviewed, 1 missing, 1 error, counted as 0)"
    )
    assert (verdict.counts.scored, verdict.counts.unreviewed, verdict.counts.errored) == (5, 1, 1)
    assert (errors.gate, errors.status) == ("errors <= 0", Status.FAILED)
    assert errors.reason == "1 > 0: errors on 1 of 7 queries"


def test_an_outage_does_not_pass() -> None:
    """Queries that errored count as 0: dropping them from the mean would let an outage pass."""
    cases, answers = graded(1, 1)
    found = evaluated(cases, {**answers, "q1": Answer.ERROR}, metrics=["rr"])
    verdicts = found.judge("rr >= 0.9")
    assert verdicts[0].value == 0.5
    assert exit_code(verdicts, found.scores) is ExitCode.SYSTEM_FAILED
    allowed = found.judge("rr >= 0.9", max_errors=1)
    assert exit_code(allowed, found.scores, 1) is ExitCode.GATE_FAILED


@pytest.mark.parametrize(
    ("gate", "said"),
    [
        ("rr >= 0.5 where category = exct", "did you mean exact?"),
        ("rr >= 0.5 where categry = exact", "did you mean category?"),
        ("worst(langage) rr >= 0.5", "did you mean language?"),
        ("rr >= 0.5 where category = empty", "over no scored query: 0 queries (1 not applicable)"),
        ("p@5 >= 0.5", "found p@5, which was not scored"),
        ("checks = 100% where category = exact", "no case has top, never or expect: empty"),
    ],
)
def test_a_gate_over_nothing_is_an_error_and_never_a_pass(gate: str, said: str) -> None:
    cases = [
        Case("q0", "one", (target("right"),), category="exact", tags=frozenset({"language=go"})),
        Case("q1", "two", expect_empty=True, category="empty"),
    ]
    found = evaluated(cases, {"q0": ["right"], "q1": []}, metrics=["rr"])
    with pytest.raises(InputError) as caught:
        found.judge(gate)
    assert str(caught.value).startswith("search.yaml:2:3: ")
    assert said in str(caught.value)


def test_the_problems_of_all_gates_come_at_once() -> None:
    with pytest.raises(InputError) as caught:
        ranked(1).judge("rr >= 0.5 where category = a", "worst(b) rr >= 0.5")
    assert len(caught.value.problems) == 2


def test_a_slice_under_min_n_decides_nothing() -> None:
    cases, answers = graded(1, 1, 1, 1, category="exact")
    found = evaluated(cases, answers, metrics=["rr"])
    (verdict,) = found.judge("rr >= 0.5 where category = exact")
    assert verdict.status is Status.INCONCLUSIVE
    assert verdict.reason == "1.0000 >= 0.5: 4 queries; too few queries: needs 5, has 4"
    assert exit_code([verdict], found.scores) is ExitCode.INCONCLUSIVE
    assert found.judge("rr >= 0.5 where category = exact", min_n=4)[0].status is Status.PASSED
    assert found.judge("rr >= 0.5")[0].status is Status.PASSED


def test_a_slice_can_be_a_group_a_tag_or_the_value_of_a_tag() -> None:
    cases = [
        Case("a", "a", (target("right"),), group="g", tags=frozenset({"slow", "language=go"})),
        Case("b", "b", (target("right"),), tags=frozenset({"language=rust"})),
    ]
    found = evaluated(cases, {"a": ["right"], "b": ["x", "right"]}, metrics=["rr"])
    gates = ["group = g", "tag = slow", "tag = language=go", "language = go", "language = rust"]
    verdicts = found.judge(*(f"rr >= 0.1 where {gate}" for gate in gates), min_n=1)
    assert [verdict.value for verdict in verdicts] == [1, 1, 1, 1, 0.5]


def test_the_worst_slice_decides_and_is_named() -> None:
    good, answers = graded(1, 1, category="docs")
    bad, more = graded(2, 4, category="code", first=2)
    found = evaluated(
        [*good, *bad, Case("x", "x", (target("a"),))], {**answers, **more, "x": ["a"]}, metrics=["rr"]
    )
    (verdict,) = found.judge("worst(category) rr >= 0.5", min_n=2)
    assert (verdict.status, verdict.value) == (Status.FAILED, 0.375)
    said = "0.3750 < 0.5 in category = code: 2 queries; lowest of 3 categories; "
    said += "fewer than 2 queries in (none) (pooled: 1)"
    assert verdict.reason == said


def test_a_thin_slice_keeps_the_worst_from_passing_but_not_from_failing() -> None:
    cases, answers = graded(1, 1, category="docs")
    thin, more = graded(1, category="code", first=2)
    found = evaluated([*cases, *thin], {**answers, **more}, metrics=["rr"])
    (verdict,) = found.judge("worst(category) rr >= 0.5", min_n=2)
    assert verdict.status is Status.INCONCLUSIVE
    assert "fewer than 2 queries in code" in verdict.reason
    bad, worse = graded(4, 4, category="docs")
    (verdict,) = evaluated([*bad, *thin], {**worse, **more}, metrics=["rr"]).judge(
        "worst(category) rr >= 0.5", min_n=2
    )
    assert verdict.status is Status.FAILED


def test_for_a_bar_from_above_the_worst_is_the_largest() -> None:
    cases = [Case(name, name, (target("a"),), category=name) for name in ("fast", "slow")]
    found = evaluated(
        cases, {"fast": ["a"], "slow": ["a"]}, metrics=["latency.max"], latency={"fast": 10, "slow": 199.96}
    )
    (verdict,) = found.judge("worst(category) latency.max < 200ms", min_n=1)
    assert verdict.reason.startswith("199.96 ms < 200ms in category = slow")


def test_targets_that_nobody_reviewed_are_shown_and_not_gated() -> None:
    cases = [Case(f"q{n}", f"{n}", (target("a", reviewed=False),)) for n in range(10)]
    found = evaluated(cases, {f"q{n}": ["b"] for n in range(10)}, metrics=["rr"])
    verdicts = found.judge("rr >= 0.65")
    assert [(one.status, one.value, one.reason) for one in verdicts] == [
        (Status.NOT_ENFORCED, 0, "0 of 10 reviewed, gates not enforced")
    ]
    assert exit_code(verdicts, found.scores) is ExitCode.PASSED


def test_a_target_judged_irrelevant_needs_no_review() -> None:
    cases = [Case("q", "q", (target("a"), target("b", 0.0, reviewed=False)))]
    (verdict,) = evaluated(cases, {"q": ["a"]}, metrics=["rr"]).judge("rr >= 1")
    assert verdict.reason == "1.0000 >= 1: 1 query"


def test_a_known_miss_is_left_out_until_its_date_and_counted() -> None:
    excuse = XFail("needs embeddings", TODAY)
    cases = [
        Case("good", "good", (target("a"),)),
        Case("bad", "bad", (target("a"),), top=(Top(Location.of_id("a")),), xfail=excuse),
    ]
    found = evaluated(cases, {"good": ["a"], "bad": []}, metrics=["rr"])
    gate, checks = found.judge("rr >= 1")
    assert (gate.status, gate.reason) == (Status.PASSED, "1.0000 >= 1: 1 query, 1 xfail")
    assert (checks.status, checks.reason) == (Status.NOT_ENFORCED, "0 checks run, 1 xfail")
    assert exit_code([gate, checks], found.scores) is ExitCode.PASSED
    gate, checks = found.judge("rr >= 1", today=TODAY + timedelta(days=1))
    assert (gate.status, checks.status) == (Status.FAILED, Status.FAILED)


def test_when_every_case_is_a_known_miss_nothing_can_be_decided() -> None:
    cases = [Case("bad", "bad", (target("a"),), xfail=XFail("later", date(2030, 1, 1)))]
    (verdict,) = evaluated(cases, {"bad": []}, metrics=["rr"]).judge("rr >= 1")
    assert (verdict.status, verdict.value) == (Status.INCONCLUSIVE, None)
    assert verdict.reason == "nothing left to judge: 0 queries, 1 xfail"


def test_how_long_it_took_counts_whatever_was_reviewed() -> None:
    cases = [Case("a", "a", (target("a"),)), Case("b", "b", (target("a", reviewed=False),))]
    found = evaluated(cases, {"a": ["a"], "b": ["a"]}, metrics=["latency.max"], latency={"a": 10, "b": 300})
    (verdict,) = found.judge("latency.max < 200ms")
    assert (verdict.status, verdict.reason) == (Status.FAILED, "300.0 ms >= 200ms: 2 queries")


def test_a_gate_on_errors_is_judged_beside_the_bound() -> None:
    cases, answers = graded(*[1] * 10)
    found = evaluated(cases, {**answers, "q9": Answer.ERROR}, metrics=["rr"])
    (share,) = found.judge("errors <= 10%", max_errors=1)
    assert (share.status, share.reason) == (Status.PASSED, "10% <= 10%: errors on 1 of 10 queries")
    (none,) = found.judge("errors = 0")
    assert (none.status, none.reason) == (Status.FAILED, "1 ≠ 0: errors on 1 of 10 queries")
    loose, bound = found.judge("errors <= 5")
    assert (loose.status, bound.status, bound.gate) == (Status.PASSED, Status.FAILED, "errors <= 0")


def test_what_failed_first_in_the_order_of_exit_codes_wins() -> None:
    cases, answers = graded(1, 2, category="a")
    found = evaluated(cases, answers, metrics=["rr"])
    failed, thin = found.judge("rr >= 0.9", "rr >= 0.9 where category = a")
    assert exit_code([thin, failed], found.scores) is ExitCode.GATE_FAILED
    assert exit_code([thin], found.scores) is ExitCode.INCONCLUSIVE
    assert exit_code([], found.scores) is ExitCode.PASSED


def test_a_system_that_is_only_reported_fails_nothing() -> None:
    found = ranked(2, 2)
    passed, failed = waive(found.judge("rr >= 0.5", "rr >= 0.9"))
    assert (passed.status, failed.status) == (Status.PASSED, Status.NOT_ENFORCED)
    assert failed.reason == "0.5000 < 0.9: 2 queries (failed)"


def test_latency_gate_counts_time_outs_and_skips_errors() -> None:
    cases = [Case(name, name, (target("a"),)) for name in ("fast", "late", "broken")]
    found = evaluated(
        cases,
        {"fast": ["a"], "late": Answer.TIMEOUT, "broken": Answer.ERROR},
        metrics=["latency.max"],
        latency={"fast": 10, "late": 500, "broken": 900},
    )
    (verdict,) = found.judge("latency.max < 200ms", max_errors=2)
    assert verdict.reason == "500.0 ms >= 200ms: 2 queries (1 not applicable, 2 errors)"


def test_gate_ignores_unreviewed_target_beside_reviewed_one() -> None:
    cases = [
        Case("both", "both", (target("a"), target("b", reviewed=False))),
        Case("fresh", "fresh", (target("a", reviewed=False),)),
        Case("none", "none", (target("a"), target("c", 0.0, reviewed=False)), exhaustive=True),
    ]
    answers = {"both": ["b", "b", "a"], "fresh": ["x"], "none": ["c", "a"]}
    found = evaluated(cases, answers, metrics=["rr", "r@5", "ndcg@10", "p@2"])
    verdicts = found.judge("rr >= 1", "r@5 >= 1", "ndcg@10 >= 1", "p@2 >= 0.5")
    assert [verdict.status for verdict in verdicts] == [Status.PASSED] * 4
    assert verdicts[0].reason == "1.0000 >= 1: 2 queries (1 unreviewed)"
    # What is shown counts every target.
    assert found.scores["rr"] == (1 + 0 + 1 / 2) / 3


WANTED = [Case(f"case-{at}", f"query {at}", (target("right"),)) for at in range(5)]


SILENT = [Case(f"case-{at}", f"query {at}", expect_empty=True) for at in range(5)]


ONE_DOWN = {**{f"case-{at}": ["right"] for at in range(4)}, "case-4": Answer.ERROR}


@pytest.mark.parametrize(
    ("cases", "metric"),
    [
        (WANTED, "abstention_r"),
        (WANTED, "pndcg@10"),
        (WANTED, "rr(rel=2)@10"),
        (WANTED, "judged@10"),
        (SILENT, "zero"),
        (SILENT, "ndcg@10"),
    ],
)
def test_gate_without_scored_query_raises_despite_errors(cases: list[Case], metric: str) -> None:
    run = evaluated(cases, ONE_DOWN, metrics=(metric,))
    with pytest.raises(InputError, match="over no scored query"):
        run.judge(f"{metric} >= 0.5", max_errors=1)


@pytest.mark.parametrize(
    ("cases", "gate"),
    [(SILENT, "abstention_r >= 0.5"), (WANTED, "zero <= 0.5"), (WANTED, "latency.p95 < 200ms")],
)
def test_gate_without_answers_is_inconclusive(cases: list[Case], gate: str) -> None:
    metric = gate.split(maxsplit=1)[0]
    run = evaluated(cases, {case.id: Answer.ERROR for case in cases}, metrics=(metric,))
    verdict, *_ = run.judge(gate)
    assert verdict.status is Status.INCONCLUSIVE
    assert "the system did not answer" in verdict.reason


def worst_slice(**slices: tuple[int, int]) -> GateVerdict:
    """Judge ``worst(category) rr >= 0.5`` over slices of so many right and so many wrong answers."""
    cases, answers = [], {}
    for category, (right, wrong) in slices.items():
        for number in range(right + wrong):
            name = f"{category}{number}"
            value = None if category == "none" else category
            cases.append(Case(name, name, (target("a"),), category=value))
            answers[name] = ["a"] if number < right else ["x"]
    (verdict,) = evaluated(cases, answers, metrics=["rr"]).judge("worst(category) rr >= 0.5")
    return verdict


def test_worst_slice_pools_small_slices() -> None:
    verdict = worst_slice(large=(10, 0), a=(0, 3), b=(1, 2))
    assert verdict.status is Status.FAILED
    assert (
        "in category = other: 6 queries; lowest of 3 categories; fewer than 5 queries in a, b (pooled: 6)"
        in (verdict.reason)
    )
    assert worst_slice(large=(10, 0), a=(3, 0), b=(2, 1)).status is Status.PASSED


def test_worst_slice_passes_with_few_cases_in_small_slices() -> None:
    verdict = worst_slice(large=(8, 0), small=(0, 2))
    assert (verdict.status, verdict.value) == (Status.PASSED, 1)
    assert "fewer than 5 queries in small" in verdict.reason
    open_verdict = worst_slice(large=(7, 0), small=(1, 1))
    assert open_verdict.status is Status.INCONCLUSIVE
    assert "7 of 9 queries in slices of 5 or more" in open_verdict.reason
    assert worst_slice(a=(2, 0), b=(2, 0)).status is Status.INCONCLUSIVE


def test_waived_gates_do_not_hide_errors() -> None:
    cases, answers = graded(1, 1)
    found = evaluated(cases, {**answers, "q1": Answer.ERROR}, metrics=["rr"])
    assert exit_code(waive(found.judge("rr >= 0.9")), found.scores) is ExitCode.SYSTEM_FAILED
    allowed = waive(found.judge("rr >= 0.9", max_errors=1))
    assert exit_code(allowed, found.scores, 1) is ExitCode.PASSED
