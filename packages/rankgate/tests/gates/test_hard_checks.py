"""Hard checks: what must be at the top, and what must find nothing."""

from __future__ import annotations

from rankgate.gates.checks import CheckResult
from rankgate.model import Answer, Case, ExitCode, Location, Status, Top
from support.builders import at
from support.evaluations import evaluated, target

PLACE = Location.at("auth/keys.md:10-20")


def top(place: Location = PLACE, within: int = 1, name: str = "q") -> Case:
    return Case(name, name, top=(Top(place, within),))


def test_a_top_is_reached_by_the_rule_that_scores_go_by() -> None:
    hits = [at("auth/oauth/keys.md", 10, 20), at("auth/keys.md", 21, 30), at("auth/keys.md", 18, 40)]
    found = evaluated([top(within=3)], {"q": hits})
    assert [str(check) for check in found.checks.results] == [
        "expected auth/keys.md:10-20 in the top 3, found at rank 3"
    ]
    assert found.checks.results[0].result is CheckResult.PASSED


def test_a_top_below_its_bound_fails() -> None:
    found = evaluated([top()], {"q": [at("x.md"), at("auth/keys.md", 10, 12)]})
    (check,) = found.checks.results
    assert (check.result, str(check)) == (
        CheckResult.FAILED,
        "expected auth/keys.md:10-20 first, found at rank 2",
    )


def test_no_hits_at_all_fail_a_top() -> None:
    """A check that returns early where nothing came back would pass."""
    (check,) = evaluated([top()], {"q": []}).checks.results
    assert (check.result, check.found) == (CheckResult.FAILED, "not found")


def test_two_bounds_for_one_place_are_two_checks() -> None:
    case = Case("q", "q", top=(Top(Location.of_id("a"), 1), Top(Location.of_id("a"), 2)))
    found = evaluated([case], {"q": ["b", "a"]})
    assert [check.result for check in found.checks.results] == [CheckResult.FAILED, CheckResult.PASSED]
    (verdict,) = found.judge()
    assert (verdict.gate, verdict.reason) == ("checks = 100%", "50% ≠ 100%: 1 of 2 checks passed")


def test_expect_empty_fails_on_any_hit() -> None:
    cases = [Case("some", "some", expect_empty=True), Case("none", "none", expect_empty=True)]
    found = evaluated(cases, {"some": ["a", "b"], "none": []})
    assert [str(check) for check in found.checks.results] == [
        "expected no hits, got 2 hits",
        "expected no hits, got none",
    ]
    assert list(found.checks.failed()) == ["some"]


def test_an_error_is_not_a_failed_check_and_not_a_passed_one() -> None:
    cases = [Case("empty", "e", expect_empty=True), top(name="top"), top(Location.of_id("a"), name="fine")]
    found = evaluated(cases, {"empty": Answer.ERROR, "top": Answer.TIMEOUT, "fine": ["a"]})
    assert [check.result for check in found.checks.results[:2]] == [CheckResult.NOT_RUN] * 2
    (verdict,) = found.judge(max_errors=2)
    said = "100% = 100%: 1 of 1 check passed, 2 not run, because the system did not answer"
    assert (verdict.status, verdict.reason) == (Status.PASSED, said)


def test_a_check_that_could_not_be_run_is_left_open() -> None:
    found = evaluated([Case("empty", "e", expect_empty=True)], {"empty": Answer.ERROR})
    (verdict,) = found.judge(max_errors=1)
    said = "0 checks run, 1 not run, because the system did not answer"
    assert (verdict.status, verdict.reason) == (Status.INCONCLUSIVE, said)


def test_a_query_that_a_run_does_not_have_passes_no_check() -> None:
    found = evaluated([Case("empty", "e", expect_empty=True), top(name="top")], {})
    assert [check.result for check in found.checks.results] == [CheckResult.FAILED] * 2


def test_checks_are_held_to_without_a_gate_and_can_be_loosened_by_one() -> None:
    cases = [Case(f"q{n}", "q", expect_empty=True) for n in range(4)]
    found = evaluated(cases, {"q0": ["a"], "q1": [], "q2": [], "q3": []})
    assert found.report().exit_code is ExitCode.GATE_FAILED
    (verdict,) = found.judge("checks >= 75%")
    assert (verdict.status, verdict.reason) == (Status.PASSED, "75% >= 75%: 3 of 4 checks passed")


def test_without_checks_nothing_is_held() -> None:
    assert evaluated([Case("q", "q", (target("a"),))], {"q": ["a"]}).judge() == ()
