"""Checks of cases: top, never and expect."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from rankgate.gates.checks import CheckResult, check_cases, expired_xfails, in_every_repeat
from rankgate.locations import Location
from rankgate.model import Answer, Case, Hit, Suite, Top, XFail
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.evaluate import score
from rankgate.suites.native import parse_suite
from rankgate.truth.resolve import resolve
from support.builders import at
from support.evaluations import Evaluated, evaluated


def checked(case: str, *hits: Hit | str, depth: int = 10) -> list[tuple[str, bool, str]]:
    """Return the checks of one case of a suite without a corpus."""
    suite = parse_suite(f"cases: [{{query: q, {case}}}]", Path("s.yaml"))
    truth = resolve(suite, None)
    run = MemoryRun("m", [Shard.of_rankings({"q": hits})])
    scores = score(truth.judgments, run, ["rr"], depth=depth)
    results = check_cases(suite, truth.tops, run, scores)
    assert all(result.case == "q" for result in results)
    return [(result.check, result.passed, result.found) for result in results]


def test_top_named_target_within_first_results() -> None:
    assert checked("top: {id: a, within: 3}", "b", "c", "a") == [("top: a within 3", True, "rank 3")]
    assert checked("top: {id: a}", "b", "a") == [("top: a within 1", False, "rank 2")]
    assert checked("top: {id: a, within: 3}") == [("top: a within 3", False, "not found")]
    two = "top: [{id: a}, {id: a, within: 2}]"
    assert [passed for _, passed, _ in checked(two, "b", "a")] == [False, True]


def test_top_within_checks_each_relevant_target() -> None:
    case = "id: {a: 3, b: 1, c: 0}, top: [{within: 2}, {id: d, within: 5}]"
    assert checked(case, "a", "x", "b", "d") == [
        ("top: a within 2", True, "rank 1"),
        ("top: b within 2", False, "rank 3"),
        ("top: d within 5", True, "rank 4"),
    ]


def test_top_within_needs_one_target_per_any_of_group() -> None:
    case = "id: a, any_of: [[b, c]], top: {within: 2}"
    assert checked(case, "c", "a", "b") == [
        ("top: a within 2", True, "rank 2"),
        ("top: b or c within 2", True, "rank 1"),
    ]
    assert checked(case, "a", "x", "b", "c")[1] == ("top: b or c within 2", False, "rank 3")


def test_never_looks_at_the_depth_unless_within_is_given() -> None:
    case = "id: a, never: [b, {id: c, within: 2}]"
    assert checked(case, "a", "x", "c") == [
        ("never: b", True, "not found"),
        ("never: c within 2", True, "rank 3"),
    ]
    assert checked(case, "b", "c") == [("never: b", False, "rank 1"), ("never: c within 2", False, "rank 2")]
    # A system may return more results than the depth.
    assert checked("id: a, never: b", "a", "x", "b", depth=2) == [("never: b", True, "rank 3")]


def test_expect_empty_fails_with_any_result() -> None:
    assert checked("expect: empty") == [("expect: empty", True, "no results")]
    assert checked("expect: empty", "a", "b") == [("expect: empty", False, "2 results")]


def test_expect_max_score_fails_with_a_higher_or_missing_score() -> None:
    def scored(*scores: float | None) -> list[tuple[str, bool, str]]:
        hits = [Hit(f"d{number}", score=score) for number, score in enumerate(scores)]
        return checked("expect: {max_score: 2.0}", *hits)

    check = "expect: max_score 2"
    assert scored() == [(check, True, "no results")]
    assert scored(2.0, 1.0) == [(check, True, "score 2 at rank 1")]
    assert scored(-3.0, -1.0) == [(check, True, "score -1 at rank 2")]
    assert scored(1.0, 3.5) == [(check, False, "score 3.5 at rank 2")]
    assert scored(1.0, None) == [(check, False, "no score at rank 2")]


def test_top_is_reached_by_overlapping_lines() -> None:
    case = Case("q", "q", top=(Top(Location.at("auth/keys.md:10-20"), 3),))
    hits = [at("auth/oauth/keys.md", 10, 20), at("auth/keys.md", 21, 30), at("auth/keys.md", 18, 40)]
    (check,) = _checked(evaluated([case], {"q": hits}))
    assert check == CheckResult("q", "top: auth/keys.md:10-20 within 3", passed=True, found="rank 3")


@pytest.mark.parametrize("error", [Answer.ERROR, Answer.TIMEOUT])
def test_error_has_no_check_results(error: Answer) -> None:
    cases = [Case("empty", "e", expect_empty=True), Case("top", "t", top=(Top(Location.of_id("a")),))]
    assert _checked(evaluated(cases, {"empty": error, "top": error})) == ()


def test_query_absent_from_run_has_no_results() -> None:
    cases = [Case("empty", "e", expect_empty=True), Case("top", "t", top=(Top(Location.of_id("a")),))]
    results = _checked(evaluated(cases, {}))
    assert [(one.passed, one.found) for one in results] == [(True, "no results"), (False, "not found")]


def test_in_every_repeat_fails_if_any_repeat_fails() -> None:
    good = CheckResult("q", "expect: empty", passed=True, found="no results")
    bad = replace(good, passed=False, found="1 result")
    assert in_every_repeat([(good,), (bad,), (bad,)]) == (replace(bad, found="1 result in repeat 2"),)
    assert in_every_repeat([(bad,), (good,)]) == (bad,)
    # The query had an error in the first run.
    assert in_every_repeat([(), (good,)]) == (good,)


def test_expired_xfail_is_a_failed_check() -> None:
    last = date(2026, 3, 1)
    cases = (Case("a", "a", xfail=XFail("no synonyms", last)), Case("b", "b", xfail=XFail("slow")))
    suite = Suite("s", cases)
    assert expired_xfails(suite, last) == ()
    assert expired_xfails(suite, date(2026, 3, 2)) == (
        CheckResult("a", "xfail: until 2026-03-01", passed=False, found="expired"),
    )


def _checked(found: Evaluated) -> tuple[CheckResult, ...]:
    return check_cases(found.suite, resolve(found.suite, None).tops, found.run, found.scores)
