"""What the report of an evaluation says, whatever lays it out."""

from __future__ import annotations

from datetime import date

import pytest

from rankgate.model import Answer, Case, ExitCode, Location, Status, Top, XFail
from rankgate.reports.evaluation.recommendations import Costs, recommendations
from rankgate.reports.evaluation.report import Header
from rankgate.truth.facts.checked import CheckedFact, FactKind
from support.builders import at
from support.evaluations import evaluated, target

WRONG = [f"wrong{number}" for number in range(1, 11)]


def one(case: Case, answer: list[str] | Answer, *gates: str) -> tuple[str, ...]:
    report = evaluated([case], {case.id: answer}, metrics=["rr"]).report(*gates)
    return report.failures[0].reasons if report.failures else ()


def test_a_case_without_a_fault_is_no_failure() -> None:
    assert one(Case("q", "q", (target("a"),)), ["a"], "rr >= 1") == ()


def test_a_case_fails_by_an_error_a_check_finding_nothing_or_a_value_under_the_bar() -> None:
    case = Case("q", "q", (target("a"),), top=(Top(Location.of_id("a"), 2),))
    assert one(case, Answer.ERROR) == ("error: connection refused",)
    assert one(case, Answer.TIMEOUT) == ("timed out: connection refused",)
    missed = ("expected a in the top 2, not found", "nothing relevant was found")
    assert one(case, WRONG) == missed
    assert one(case, WRONG, "rr >= 0.5") == (*missed, "rr 0.0000 < 0.5")
    low = ("expected a in the top 2, found at rank 3", "rr 0.3333 < 0.5")
    assert one(case, [*WRONG[:2], "a"], "rr >= 0.5", "rr >= 0.4") == low


def test_a_gate_of_one_slice_sets_no_bar_for_the_others() -> None:
    cases = [Case(name, name, (target("a"),), category=name) for name in ("docs", "code")]
    found = evaluated(cases, {"docs": ["x", "a"], "code": ["x", "a"]}, metrics=["rr"])
    assert [failure.case for failure in found.report("rr >= 0.9 where category = code").failures] == ["code"]


def test_what_fails_the_run_comes_first_and_is_marked() -> None:
    cases = [
        Case("short", "short", (target("a"),)),
        Case("good", "good", (target("a"),)),
        Case("hard", "hard", expect_empty=True),
    ]
    answers = {"short": ["x", "a"], "good": ["a"], "hard": ["x"]}
    report = evaluated(cases, answers, metrics=["rr"]).report("rr >= 0.7")
    assert [(failure.case, failure.mark) for failure in report.failures] == [("hard", "❌"), ("short", "⚠️")]


def test_a_query_under_the_bar_fails_nothing_while_its_gate_passes() -> None:
    cases = [Case(name, name, (target("a"),)) for name in ("good", "poor")]
    report = evaluated(cases, {"good": ["a"], "poor": ["x", "a"]}, metrics=["rr"]).report("rr >= 0.7")
    assert report.exit_code is ExitCode.PASSED
    assert report.status == "1 gate passed; 1 query below the value of a gate"
    assert [(failure.case, failure.mark, failure.blocks) for failure in report.failures] == [
        ("poor", "⚠️", False)
    ]


def test_every_expected_place_says_where_it_ended_up() -> None:
    targets = (
        target("auth/keys.md:10-20", 3),
        target("a.md", group="g"),
        target("b.md", group="g"),
        target("c.md", reviewed=False),
        target("d.md", 0.0),
    )
    hits = [at("d.md"), at("x.md"), at("b.md"), at("auth/keys.md", 20, 30)]
    report = evaluated([Case("q", "q", targets)], {"q": hits}, metrics=["rr"]).report("rr >= 0.5")
    assert [(one.location, one.ended) for one in report.failures[0].expected] == [
        ("auth/keys.md:10-20 (grade 3)", "rank 4"),
        ("a.md (grade 1)", "not found, but another of its group was"),
        ("b.md (grade 1)", "rank 3"),
        ("c.md (grade 1, unreviewed)", "not in the top 4"),
    ]
    assert [(hit.rank, hit.location, hit.mark) for hit in report.failures[0].hits] == [
        (1, "d.md", "❌"),
        (2, "x.md", ""),
        (3, "b.md", "✅"),
        (4, "auth/keys.md:20-30", "✅"),
    ]


def test_an_explanation_reads_by_itself() -> None:
    case = Case(
        "keys", "rotate an API key", (target("keys.md:10-20", 3), target("文档.md")), where="s.yaml:4:5"
    )
    report = evaluated([case], {"keys": [at("x.md"), at("keys.md", 20, 30)]}, metrics=["rr"]).report(
        "rr >= 0.9"
    )
    assert report.failures[0].explain() == "\n".join(
        [
            "❌ rotate an API key",
            "   keys, s.yaml:4",
            "   - rr 0.5000 < 0.9",
            "   expected",
            "     keys.md:10-20 (grade 3)  rank 2",
            "     文档.md (grade 1)        not in the top 2",
            "   top 2 of 2 hits",
            "     1  x.md",
            "     2  keys.md:20-30  ✅ grade 3",
        ]
    )


def test_a_known_miss_is_listed_and_one_that_passes_is_noted() -> None:
    cases = [
        Case(name, name, (target("a"),), xfail=XFail("later", date(2026, 6, 1))) for name in ("bad", "good")
    ]
    report = evaluated(cases, {"bad": [], "good": ["a"]}, metrics=["rr"]).report("rr >= 0.9")
    assert report.failures == ()
    assert [(miss.case, miss.passes) for miss in report.known] == [("bad", False), ("good", True)]
    assert report.notes == ("good is an xfail and passes now: take its xfail out",)


def test_an_excuse_that_ran_out_is_a_reason() -> None:
    case = Case("q", "q", (target("a"),), xfail=XFail("later", date(2026, 2, 28)))
    assert one(case, []) == ("nothing relevant was found", "xfail ended on 2026-02-28: later")


@pytest.mark.parametrize(
    ("gates", "answer", "mark", "status"),
    [
        ([], ["a"], "⚠️", "No gates defined"),
        (["rr >= 1"], ["a"], "✅", "1 gate passed"),
        (["rr >= 1", "errors = 0"], ["a"], "✅", "2 gates passed"),
        (["rr >= 1", "errors = 0"], [], "❌", "1 query does not find its target"),
        (
            ["rr >= 1"],
            Answer.ERROR,
            "❌",
            (
                "System error on 1 of 1 query: connection refused; 1 gate failed, "
                "with errors counted as 0, which says nothing about the search"
            ),
        ),
        (["rr >= 1 where category = c"], ["a"], "⚠️", "1 gate inconclusive: rr >= 1 where category = c"),
    ],
)
def test_the_first_line_says_how_it_ended(
    gates: list[str], answer: list[str] | Answer, mark: str, status: str
) -> None:
    report = evaluated([Case("q", "q", (target("a"),), category="c")], {"q": answer}, metrics=["rr"]).report(
        *gates
    )
    assert (report.mark, report.status) == (mark, status)


def test_a_suite_that_nobody_reviewed_is_reported_and_not_gated() -> None:
    report = evaluated([Case("q", "q", (target("a", reviewed=False),))], {"q": []}, metrics=["rr"]).report(
        "rr >= 1"
    )
    assert (report.mark, report.exit_code) == ("⚠️", ExitCode.PASSED)
    assert report.status == "Not enforced: 0 of 1 reviewed"


def test_gates_that_passed_are_told_from_those_that_were_not_enforced() -> None:
    cases = [
        Case("good", "good", (target("a"),)),
        Case("noise", "noise", expect_empty=True, xfail=XFail("later", date(2026, 6, 1))),
    ]
    report = evaluated(cases, {"good": ["a"], "noise": ["x"]}, metrics=["rr"]).report("rr >= 1")
    assert (report.mark, report.exit_code) == ("⚠️", ExitCode.PASSED)
    assert report.status == "1 of 2 gates passed, 1 not enforced"


def test_a_system_that_is_only_reported_fails_nothing() -> None:
    found = evaluated([Case("q", "q", (target("a"),)), Case("r", "r")], {"q": [], "r": []}, metrics=["rr"])
    report = found.report("rr >= 1", enforce=False)
    assert (report.mark, report.exit_code) == ("⚠️", ExitCode.PASSED)
    assert report.status == "Not enforced: 1 of 1 gate fails"
    assert not any(failure.blocks for failure in report.failures)
    assert {verdict.status for verdict in report.verdicts} == {Status.NOT_ENFORCED}


def test_a_system_that_is_only_reported_still_has_to_answer() -> None:
    found = evaluated(
        [Case("q", "q", (target("a"),)), Case("r", "r")], {"q": [], "r": Answer.ERROR}, metrics=["rr"]
    )
    report = found.report("rr >= 1", enforce=False)
    assert (report.mark, report.exit_code) == ("❌", ExitCode.SYSTEM_FAILED)
    assert report.status == "System error on 1 of 2 queries: connection refused"
    assert [failure.case for failure in report.failures if failure.blocks] == ["r"]
    assert {verdict.status for verdict in report.verdicts} == {Status.NOT_ENFORCED}


def test_the_summary_shows_as_many_digits_as_its_gate_needs() -> None:
    cases = [
        Case("good", "good", (target("a"),), weight=64_996),
        Case("bad", "bad", (target("a"),), weight=35_004),
    ]
    report = evaluated(cases, {"good": ["a"], "bad": []}, metrics=["rr", "r@5"]).report("rr >= 0.65")
    assert [(row.mark, row.metric, row.value) for row in report.metrics] == [
        ("❌", "rr", "0.64996"),
        ("", "r@5", "0.6500"),
    ]
    told = "2 queries; weighted: 1.8 effective, largest share 65%, unweighted 0.5000"
    assert (report.verdicts[0].value, report.verdicts[0].detail) == ("0.64996", told)


def test_without_a_fact_nothing_is_recommended() -> None:
    cases = [Case(f"q{number}", f"query {number}", (target("a"),)) for number in range(5)]
    report = evaluated(cases, {case.id: ["x"] for case in cases}, metrics=["rr"]).report()
    assert len(report.failures) == 5
    assert report.recommendations == ()


def test_many_queries_of_one_fact_are_counted_and_some_are_named() -> None:
    cases = [Case(f"q{number}", f"query {number}", (target("a"),)) for number in range(5)]
    fact = CheckedFact(FactKind.BELOW, tuple(case.id for case in cases), "'query 0' returns it at rank 12")
    (advice,) = recommendations(cases, [fact], Costs())
    assert (advice.finding, len(advice.examples), advice.more, advice.evidence) == (
        "5 queries return the first relevant hit too far down",
        3,
        "and 2 more",
        "'query 0' returns it at rank 12.",
    )


def test_advice_is_sorted_by_what_its_queries_cost_of_the_gated_metric() -> None:
    cases = [Case(name, name, (target("a"),)) for name in ("one", "two", "deep")]
    found = evaluated(cases, {"one": ["x", "a"], "two": ["x", "a"], "deep": ["x"]}, metrics=["rr"])
    facts = [
        CheckedFact(FactKind.BELOW, ("one",), "rank 2"),
        CheckedFact(FactKind.DUPLICATE, ("deep",), "none"),
    ]
    told = recommendations(cases, facts, Costs.of(found.scored()))
    # rr is 0.5, 0.5 and 0 of 1: the second fact costs a third of the mean, the first half as much.
    assert [(one.kind, one.cost) for one in told] == [
        ("duplicate", "costs 0.3333 of rr"),
        ("below-the-cut", "costs 0.1667 of rr"),
    ]


def test_categories_keep_their_order_and_thin_ones_are_marked() -> None:
    cases = [Case(f"q{number}", "q", (target("a"),), category="zeta") for number in range(5)]
    cases += [Case("lone", "q", (target("a"),)), Case("few", "q", (target("a"),), category="alpha")]
    slices = evaluated(cases, {case.id: ["a"] for case in cases}, metrics=["rr"]).report().slices
    assert [(row.name, row.cases, row.values, row.mark) for row in slices.rows] == [
        ("zeta", 5, ("1.0000",), ""),
        ("alpha", 1, ("1.0000",), "⚠️"),
        ("(none)", 1, ("1.0000",), "⚠️"),
    ]


def test_the_same_evaluation_gives_the_same_report_but_for_its_header() -> None:
    found = evaluated([Case("q", "q", (target("a"),))], {"q": ["x", "a"]}, metrics=["rr"])
    early, late = (found.report("rr >= 1", header=Header(time=time)) for time in ("10:00", "11:00"))
    assert early.header != late.header
    assert early.provenance == late.provenance
    assert early.failures == late.failures
