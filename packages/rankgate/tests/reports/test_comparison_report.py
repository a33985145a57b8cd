"""What a comparison says in words: every compared query is counted, and nothing is said of nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from rankgate.model import Answer, Case
from rankgate.reports.comparison.formats import render
from rankgate.reports.comparison.terminal import comparison_group
from rankgate.reports.page.comparison import compare_pages
from rankgate.reports.page.content import page_of
from rankgate.reports.text.console import laid_out
from support.evaluations import evaluated, target

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.reports.comparison.report import ComparisonReport
    from rankgate.reports.page.model import ReportPage
    from support.evaluations import Evaluated

CASES = [Case(name, name, (target("x"),)) for name in "abc"]


def made(answers: Mapping[str, Sequence[str] | Answer]) -> Evaluated:
    return evaluated(CASES, answers, metrics=["ndcg@10", "rr"])


def compared(before: Evaluated, after: Evaluated) -> ComparisonReport:
    report = after.report(against=after.since(before)).comparison
    assert report is not None
    return report


def page(made: Evaluated) -> ReportPage:
    return page_of(made.scored(), made.report())


def test_queries_without_hits_on_both_sides_agree_and_are_counted() -> None:
    before = made({"a": ["x"], "b": ["x"], "c": []})
    after = made({"a": ["x"], "b": ["y"], "c": []})
    report = compared(before, after)
    assert report.compared == "3 queries compared"
    assert report.agreement == ("top 10 unchanged in 2 of 3 queries; RBO 0.667, overlap@10 0.667")
    pages = compare_pages(page(before), page(after), ("before", "after")).report.comparison
    assert pages is not None
    assert pages.agreement == report.agreement


def test_where_no_query_has_hits_all_agree() -> None:
    nothing = made({"a": [], "b": Answer.ERROR, "c": []})
    assert "top 10 unchanged in 3 of 3 queries" in compared(nothing, nothing).agreement


@pytest.mark.parametrize("style", ["terminal", "markdown"])
def test_of_queries_too_few_to_show_any_difference_nothing_is_promised(style: str) -> None:
    few = made({"a": ["x"], "b": ["x"], "c": []})
    report = compared(few, few)
    assert [row.detectable for row in report.rows] == ["–", "–"]
    text = render([report], style)
    assert report.compared in text
    assert "can detect" not in text
    assert "\n\n\n" not in text


def test_only_metrics_in_which_a_difference_would_show_are_named() -> None:
    report = compared(made({"a": ["x"]}), made({"a": ["x"]}))
    shown, hidden = report.rows
    rows = (replace(shown, detectable="0.2500", better=1), hidden)
    assert replace(report, rows=rows).detectable_words == (
        "can detect changes of 0.2500 or more in ndcg@10 (80 % power, if all queries shift alike)"
    )


def test_where_nothing_changed_no_shift_of_queries_is_spoken_of() -> None:
    report = compared(made({"a": ["x"]}), made({"a": ["x"]}))
    same, changed = (replace(row, detectable="0.2500") for row in report.rows)
    assert replace(report, rows=(same,)).detectable_words == (
        "can detect changes of 0.2500 or more in ndcg@10 (80 % power, if queries that change do so by the "
        "whole range)"
    )
    both = replace(report, rows=(same, replace(changed, worse=2))).detectable_words
    assert f"or more in {changed.metric} (80 % power, if all queries shift alike); 0.2500 or more in" in both


def test_what_two_queries_moved_by_promises_nothing_of_the_others() -> None:
    cases = [Case(f"q{n}", f"q{n}", (target("x"),)) for n in range(16)]
    found = {case.id: ["x", "y"] for case in cases}
    before = evaluated(cases, found, metrics=["ndcg@10"])
    for moved, told in ((0, True), (2, False), (5, False), (6, True)):
        answers = {**found, **{f"q{n}": ["y", "x"] for n in range(moved)}}
        (row,) = compared(before, evaluated(cases, answers, metrics=["ndcg@10"])).rows
        assert (row.detectable != "–") is told, moved
        assert row.numbers.detectable is not None


def test_of_a_metric_in_which_too_few_queries_changed_it_says_why_nothing_is_known() -> None:
    cases = [Case(f"q{n}", f"q{n}", (target("x"),)) for n in range(16)]
    found = {case.id: ["x", "y"] for case in cases}
    moved = {**found, "q0": ["y", "x"], "q1": ["y", "x"]}
    metrics = ["ndcg@10", "hit@5"]
    before, after = (evaluated(cases, answers, metrics=metrics) for answers in (found, moved))
    words = compared(before, after).detectable_words
    assert " or more in hit@5 (80 % power, " in words
    assert words.endswith("; not known of ndcg@10: too few queries changed to tell by how much")


def test_ranks_at_which_marks_differ_are_shown_however_deep() -> None:
    others = [f"y{n}" for n in range(9)]
    before = made({"a": [*others[:8], "x", others[8]], "b": ["x"], "c": []})
    after = made({"a": [*others[:6], "x", *others[6:]], "b": ["x"], "c": []})
    (moved,) = compared(before, after).moved
    assert [hit.rank for hit in moved.hits] == [1, 2, 3, 4, 5, 7, 9]
    assert [(hit.before, hit.after, hit.move) for hit in moved.hits[5:]] == [
        ("y6", "x", "↑2"),
        ("x", "y7", "↓1"),
    ]


def test_at_most_four_ranks_below_the_first_five_are_shown() -> None:
    many = [Case("a", "a", tuple(target(f"x{n}") for n in range(6)))]
    right, wrong = [f"x{n}" for n in range(5)], [f"y{n}" for n in range(5)]
    before = evaluated(many, {"a": [*wrong, *right]}, metrics=["ndcg@10"])
    after = evaluated(many, {"a": [*right, *wrong]}, metrics=["ndcg@10"])
    (moved,) = compared(before, after).moved
    assert [hit.rank for hit in moved.hits] == list(range(1, 10))


@pytest.mark.parametrize("width", [40, 60, 80, 100, 110, 120, 160])
def test_no_figure_is_cut_however_narrow_the_terminal(width: int) -> None:
    report = compared(made({"a": ["x"], "b": ["y"], "c": []}), made({"a": ["y"], "b": ["y", "x"], "c": []}))
    said = laid_out([comparison_group(report)], width)
    assert max(map(len, said.splitlines())) <= width
    words = " ".join(said.split())
    for row in report.rows:
        for figure in (row.metric, row.before, row.after, row.difference, row.p, *row.finding.split()):
            assert figure in words


def test_queries_beyond_those_looked_at_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankgate.reports.comparison.rankings._MOST_AGREED", 2)
    some = made({"a": ["x"], "b": ["x"], "c": ["y"]})
    assert "top 10 unchanged in 2 of 2 queries" in compared(some, some).agreement
    assert compared(some, some).agreement.endswith(", 1 more not looked at")
    (moved,) = compared(some, made({"a": ["x"], "b": ["x"], "c": ["x"]})).moved
    assert [(hit.before, hit.after) for hit in moved.hits] == [("y", "x")]
