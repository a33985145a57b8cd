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
    rows = (replace(shown, detectable="0.2500"), hidden)
    assert replace(report, rows=rows).detectable_words == (
        "can detect changes of 0.2500 or more in ndcg@10 (80 % power, if all queries shift alike)"
    )


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
