"""A query that a system fails on costs it something: nothing becomes better by dropping out of a mean."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankgate.model import Case, Hit, Status
from rankgate.reports.comparison.report import comparison_report
from rankgate.scoring.comparison import compare
from rankgate.scoring.evaluate import score
from rankgate.scoring.matches import Column
from rankgate.truth.judgments.table import Judgments
from support.builders import at, id_targets, place_targets, run_of
from support.evaluations import evaluated, target

if TYPE_CHECKING:
    from rankgate.scoring.scores import Scores

TARGETS = Judgments.of(id_targets(*((f"q{number}", "a", 1.0) for number in range(4))))
CHEAP, DEAR, NOWHERE = ([Hit(id=name, tokens=cost)] for name, cost in (("a", 100), ("a", 900), ("x", 50)))
LINES = Judgments.of(place_targets(("q", "a.py", 1, 10, 1.0), ("r", "a.py", 1, 10, 1.0)))


def test_the_system_that_finds_less_is_not_the_cheaper_one() -> None:
    finds_all = run_of({"q0": CHEAP, "q1": CHEAP, "q2": DEAR, "q3": DEAR})
    finds_half = run_of({"q0": CHEAP, "q1": CHEAP, "q2": NOWHERE, "q3": []})
    metric = "tokens_to(recall=1)@1000tokens"
    good, bad = (score(TARGETS, run, [metric]) for run in (finds_all, finds_half))
    assert good[metric] == 500
    assert bad[metric] == 550
    assert bad.per_query(metric) == {"q0": 100, "q1": 100, "q2": 1000, "q3": 1000}
    assert bad.counts(metric).undefined == 0


def test_without_a_budget_it_is_the_usual_one_and_stands_in_the_name() -> None:
    scores = score(TARGETS, run_of({"q0": CHEAP}), ["tokens_to(recall=1)"])
    assert list(scores.columns) == ["tokens_to@8000tokens"]
    assert scores.per_query("tokens_to(recall=1)")["q1"] == 8000


def test_hits_without_lines_count_against_line_precision() -> None:
    exact = [at("a.py", 1, 10)]
    scores = score(LINES, run_of({"q": exact, "r": [at("a.py")]}), ["line_p@3", "line_r@3", "iou@3"])
    for metric in scores.columns:
        assert scores.per_query(metric) == {"q": 1, "r": 0}
    mixed = score(LINES, run_of({"q": [*exact, at("b.py")], "r": exact}), ["line_p@3", "line_r@3", "iou@3"])
    assert [mixed.per_query(metric)["q"] for metric in mixed.columns] == [0.5, 1, 0.5]


def without(scores: Scores, *rows: int) -> Scores:
    """Take the values of some queries out, as a metric of somebody else's may leave them undefined."""
    columns = {}
    for label, column in scores.columns.items():
        defined = column.defined.copy()
        defined[list(rows)] = False
        columns[label] = Column(column.values, defined)
    return replace(scores, columns=columns)


def test_a_comparison_over_different_queries_is_counted() -> None:
    run = run_of({f"q{number}": CHEAP for number in range(4)})
    scores = score(TARGETS, run, ["rr"])
    compared = compare(TARGETS, (run, without(scores, 0)), (run, without(scores, 1, 2)))
    everything = np.ones(4, dtype=bool)
    assert compared.one_sided("rr", everything) == "2 queries before alone, 1 query after alone"
    assert compare(TARGETS, (run, scores), (run, scores)).one_sided("rr", everything) == ""


def test_a_gate_over_different_queries_is_refused_with_counts() -> None:
    cases = [Case(f"q{number}", f"query {number}", (target("right"),)) for number in range(8)]
    run = evaluated(cases, {case.id: ["right"] for case in cases}, metrics=("rr",))
    against = run.since(run)
    assert against.comparison is not None
    other = replace(against.comparison, before=without(run.scores, 0, 1))
    drop, _ = run.judge("drop(rr) < 0.1", against=replace(against, comparison=other))
    assert drop.status is Status.REFUSED
    assert "rr is not comparable" in drop.reason
    assert "2 queries after alone" in drop.reason


def test_a_comparison_of_runs_with_values_for_different_queries_shows_neither_row_nor_moves() -> None:
    cases = [Case(f"q{number}", f"query {number}", (target("right"),)) for number in range(8)]
    now = evaluated(cases, {case.id: ["right"] for case in cases}, metrics=("rr",))
    then = evaluated(cases, {case.id: ["wrong"] for case in cases}, metrics=("rr",))
    comparison = now.since(then).comparison
    assert comparison is not None
    comparison = replace(comparison, before=without(comparison.before, *range(8)))
    report = comparison_report(("before", "after"), comparison, (then.run, now.run), cases)
    assert report.rows == ()
    assert report.moved == ()
    assert report.notes == ("rr is not compared: it has a value for 8 queries after alone",)
