"""Reading gates: what is a gate, and what is said about what is not."""

from __future__ import annotations

import pytest

from rankgate.errors import InputError
from rankgate.gates.language import Measure, Slice, parse_gate, parse_gates
from rankgate.model import GateText


def gate(text: str) -> GateText:
    return GateText(text, "search.yaml:3:9")


@pytest.mark.parametrize(
    ("text", "label", "sign", "bar"),
    [
        ("ndcg@10 >= 0.65", "ndcg@10", ">=", 0.65),
        ("nDCG_at_10>=65%", "ndcg@10", ">=", 0.65),
        ("  mrr   >   .5 ", "rr", ">", 0.5),
        ("rr(rel=2) = 1", "rr(rel=2)", "=", 1.0),
        ("ndcg(gain=exp)@10 >= 0.6", "ndcg(gain=exp)@10", ">=", 0.6),
        ("0.4*p@5 + 0.6*rr >= 0.8", "0.4*p@5 + 0.6*rr", ">=", 0.8),
        ("relevance = 0.4*p@5 + 0.6*rr >= 0.8", "relevance", ">=", 0.8),
        ("latency.p95 < 200ms", "latency.p95", "<", 200.0),
        ("latency.p95 <= 200", "latency.p95", "<=", 200.0),
        ("p@5 == 1", "p@5", "=", 1.0),
    ],
)
def test_a_threshold_has_a_metric_a_comparison_and_a_number(
    text: str, label: str, sign: str, bar: float
) -> None:
    read = parse_gate(gate(text))
    assert (read.measure, read.label, read.sign, read.bar) == (Measure.METRIC, label, sign, bar)
    assert (read.only, read.worst, read.where) == (None, None, "search.yaml:3:9")


@pytest.mark.parametrize(
    ("text", "only"),
    [
        ("r@5 >= 0.8 where category = exact", Slice("category", "exact")),
        ("r@5 >= 80% where language=go", Slice("language", "go")),
        ("r@5 >= 0.8 where category = error handling", Slice("category", "error handling")),
        ("r@5 >= 0.8 where tag = 'a = b'", Slice("tag", "a = b")),
        ("r@5 >= 0.8 where group = x >= 0.5", Slice("group", "x >= 0.5")),
    ],
)
def test_a_gate_may_be_about_one_slice(text: str, only: Slice) -> None:
    assert parse_gate(gate(text)).only == only


def test_the_worst_slice_of_a_key_can_be_gated() -> None:
    read = parse_gate(gate("worst(language) ndcg@10 >= 0.65 where category = code"))
    assert (read.worst, read.label, read.only) == ("language", "ndcg@10", Slice("category", "code"))


def test_errors_and_checks_are_measures_of_their_own() -> None:
    errors, share, checks = parse_gates(map(gate, ["errors = 0", "errors < 1%", "checks = 100%"]))
    assert (errors.measure, errors.bar, errors.unit) == (Measure.ERRORS, 0, "count")
    assert (share.measure, share.bar, share.unit) == (Measure.ERRORS, 0.01, "%")
    assert (checks.measure, checks.bar, checks.unit) == (Measure.CHECKS, 1, "%")


def test_scenarios_and_invariants_are_shares() -> None:
    scenarios, invariants = parse_gates(map(gate, ["scenarios = 100%", "invariants >= 95%"]))
    assert (scenarios.measure, scenarios.bar, scenarios.unit) == (Measure.SCENARIOS, 1, "%")
    assert (invariants.measure, invariants.bar, invariants.unit) == (Measure.INVARIANTS, 0.95, "%")


def test_a_gate_may_name_a_weighted_sum_of_the_suite_by_its_title() -> None:
    (read,) = parse_gates([gate("relevance >= 0.85")], ["relevance = 0.5*p@5 + 0.5*rr", "ndcg@10"])
    assert read.label == "relevance"
    assert read.metric == "relevance = 0.5*p@5 + 0.5*rr"


@pytest.mark.parametrize(
    ("text", "measure", "label", "bar", "lost", "against"),
    [
        ("drop(nDCG@10) < 0.05", "drop", "ndcg@10", 0.05, None, None),
        ("drop(relevance) <= 5%", "drop", "relevance", 0.05, None, None),
        ("lost(1 -> absent@10) = 0", "lost", None, 0, (1, 10), None),
        ("lost( 3→absent@5 ) <= 0.5% against main", "lost", None, 0.005, (3, 5), "main"),
    ],
)
def test_gates_may_compare_with_a_baseline(
    text: str, measure: str, label: str | None, bar: float, lost: tuple[int, int] | None, against: str | None
) -> None:
    read = parse_gate(gate(text), ["relevance = 0.5*p@5 + 0.5*rr"])
    assert (read.measure, read.label, read.bar, read.lost, read.against) == (
        measure,
        label,
        bar,
        lost,
        against,
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ndgc@10 >= 0.65", "did you mean ndcg"),
        ("ndcg >= x", "a metric, a comparison and a number"),
        ("ndcg@10", "say what the metric is compared with"),
        ("ndcg@10 => 0.65", "a metric, a comparison and a number"),
        ("ndcg@10 >= 0.65 and rr >= 0.5", "write two gates"),
        ("ndcg@10 >= 0.65, rr >= 0.5", "write two gates"),
        ("ndcg@10 >= 65ms", "a bar in ms for latency alone"),
        ("latency.p95 < 20%", "a percentage for a figure in ms"),
        ("checks = 1", "write checks = 100%"),
        ("worst(language) errors = 0", "worst(…) and a metric"),
        ("ndcg@10 >= 0.65 where", "a metric, a comparison and a number"),
        ("drop(errors) < 1", "drop(…) of a metric"),
        ("drop(latency.p95) < 5ms", "a metric of the answers"),
        ("drop(ndgc@10) < 0.1", "did you mean ndcg"),
        ("lost(1) = 0", "lost(10 -> absent@10)"),
        ("lost(0 -> absent@10) = 0", "lost(10 -> absent@10)"),
        ("lost(10)", "lost(10 -> absent@10)"),
        ("ndcg@10 >= 0.5 against main", "drop or lost"),
        ("scenarios = 1", "write scenarios = 100%"),
        ("invariants >= 3", "write invariants = 100%"),
        ("worst(language) scenarios = 100%", "worst(…) and a metric"),
        ("scenarios = 100% where category = exact", "scenarios without where"),
        ("scenario = 100%", "did you mean"),
        ("", "say what the metric is compared with"),
    ],
)
def test_what_is_not_a_gate_is_refused_where_it_was_written(text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_gate(gate(text))
    assert str(caught.value).startswith("search.yaml:3:9: found ")
    assert said in str(caught.value)


def test_a_misspelt_title_is_shown_the_titles_there_are() -> None:
    with pytest.raises(InputError, match=r"the suite's own: relevance"):
        parse_gate(gate("relevanc >= 0.85"), ["relevance = 0.5*p@5 + 0.5*rr"])


def test_the_problems_of_all_gates_come_at_once() -> None:
    with pytest.raises(InputError) as caught:
        parse_gates(map(gate, ["ndgc@10 >= 0.65", "rr >= 0.5", "checks = 1"]))
    assert len(caught.value.problems) == 2


def test_a_long_line_of_signs_is_refused_quickly() -> None:
    with pytest.raises(InputError):
        parse_gate(gate("a" + " = 1" * 5000 + "x"))


def test_both_sides_are_rounded_to_a_billionth_before_they_are_compared() -> None:
    read = parse_gate(gate("ndcg@10 >= 0.65"))
    assert read.holds(0.65 - 4e-10)
    assert not read.holds(0.65 - 6e-10)
    assert not parse_gate(gate("ndcg@10 > 0.65")).holds(0.65 + 4e-10)
    assert parse_gate(gate("ndcg@10 = 0.3")).holds(0.1 + 0.2)


@pytest.mark.parametrize(
    ("text", "bar", "goal", "said"),
    [
        ("ndcg@5 >= 0.73 goal 0.80", 0.73, 0.8, "0.80"),
        ("ndcg@5 > 73% goal 80% where category = exact", 0.73, 0.8, "80%"),
        ("latency.p95 < 200ms goal 50ms", 200.0, 50.0, "50ms"),
        ("worst(language) r@5 >= 0 goal 1", 0.0, 1.0, "1"),
        ("drop(ndcg@10) < 0.05 goal 0.01 against main", 0.05, 0.01, "0.01"),
    ],
)
def test_a_goal_lies_beyond_the_bar(text: str, bar: float, goal: float, said: str) -> None:
    read = parse_gate(gate(text))
    assert (read.bar, read.goal, read.goal_text) == (bar, goal, said)
    assert read.reaches_goal(goal) or read.sign in "<>"
    assert not read.reaches_goal(bar)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ndcg@5 >= 0.80 goal 0.80", "a goal beyond the bar; where it is reached, make it the bar"),
        ("ndcg@5 >= 0.80 goal 0.7", "a goal beyond the bar"),
        ("latency.p95 < 50ms goal 60ms", "a goal beyond the bar"),
        ("errors = 0 goal 1", "a goal beside >=, <=, > or <"),
        ("ndcg@5 >= 73% goal 0.8", "the bar and the goal in one unit"),
    ],
)
def test_a_goal_that_says_nothing_is_refused(text: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_gate(gate(text))
    assert expected in str(caught.value)


def test_without_a_goal_every_value_reaches_it() -> None:
    assert parse_gate(gate("ndcg@5 >= 0.73")).reaches_goal(0.0)
