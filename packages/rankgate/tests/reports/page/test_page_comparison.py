"""Two kept pages compared: the figures are those of the runs, and only what can be compared is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from rankgate.model import Case
from rankgate.reports.page.comparison import compare_pages
from rankgate.reports.page.content import page_of
from rankgate.runs.store.tables import MemoryRun
from support.evaluations import evaluated, target
from support.pages import generated
from support.reported import HEADER

if TYPE_CHECKING:
    from rankgate.gates.scored import Against
    from rankgate.reports.page.model import ReportPage
    from support.evaluations import Evaluated

NAMES = ("the baseline of app", "app")


def _page(made: Evaluated, against: Against | None = None) -> ReportPage:
    report = made.report(header=HEADER, against=against)
    return page_of(made.scored(against=against), report)


@pytest.fixture(scope="module")
def pages() -> tuple[ReportPage, ReportPage, ReportPage]:
    """The page of a run, that of another before it, and the first with the other as its baseline."""
    made, against = generated(300, 10, length=80)
    assert against.comparison is not None
    assert isinstance(against.run, MemoryRun)
    before = replace(made, run=against.run, scores=against.comparison.before)
    return _page(made), _page(before), _page(made, against)


def test_the_figures_are_those_of_the_runs_themselves(
    pages: tuple[ReportPage, ReportPage, ReportPage],
) -> None:
    after, before, both = pages
    found, expected = compare_pages(before, after, NAMES).report.comparison, both.report.comparison
    assert found is not None
    assert expected is not None
    assert found.rows == expected.rows
    assert found.moved == expected.moved
    assert found.unmoved == expected.unmoved
    assert found.unjudged == expected.unjudged
    assert found.agreement == expected.agreement
    assert found.compared == expected.compared


def test_every_query_is_as_with_a_baseline(pages: tuple[ReportPage, ReportPage, ReportPage]) -> None:
    after, before, both = pages
    for found, expected in zip(compare_pages(before, after, NAMES).queries, both.queries, strict=True):
        assert found.before == expected.before
        assert found.targets == expected.targets
        assert [hit.move for hit in found.hits] == [hit.move for hit in expected.hits]


def test_a_page_compared_with_itself_has_moved_nowhere(
    pages: tuple[ReportPage, ReportPage, ReportPage],
) -> None:
    page = compare_pages(pages[0], pages[0], NAMES)
    assert {hit.move for query in page.queries for hit in query.hits} == {"="}
    assert page.report.comparison is not None
    assert {row.finding for row in page.report.comparison.rows} == {"unchanged"}


def test_queries_with_other_targets_or_another_text_are_left_out() -> None:
    def page(query: str, place: str, grade: float = 1.0) -> ReportPage:
        case = Case("a", query, (target(place, grade),))
        return _page(evaluated([case, Case("b", "b", (target("x"),))], {"a": ["y"], "b": ["x"]}))

    base = page("q", "x")
    for other in (page("other", "x"), page("q", "y"), page("q", "x", 2.0)):
        found = compare_pages(other, base, NAMES)
        assert [query.before is not None for query in found.queries] == [False, True]
        assert found.report.comparison is not None
        assert "1 query compared, 1 left out" in found.report.comparison.compared


def test_pages_without_a_common_query_or_metric_are_compared_in_nothing() -> None:
    one = _page(evaluated([Case("a", "a", (target("x"),))], {"a": ["x"]}, metrics=["ndcg@10", "rr"]))
    other = _page(evaluated([Case("b", "b", (target("x"),))], {"b": ["x"]}))
    for before, after in ((one, other), (other, one)):
        comparison = compare_pages(before, after, NAMES).report.comparison
        assert comparison is not None
        assert comparison.rows == ()
        assert comparison.agreement == ""
    same = _page(evaluated([Case("a", "a", (target("x"),))], {"a": ["x"]}, metrics=["p@5"]))
    found = compare_pages(one, same, NAMES)
    assert found.queries[0].before is not None
    assert found.queries[0].before.values == (None,)


def _judged_page(rankings: dict[str, list[str]]) -> Evaluated:
    """Queries with a right document, one of two that are alternatives, and some that are judged wrong."""
    either = [target(name, 1, group="either") for name in ("fair", "good")]
    judged = [target("right", 3), *(target(f"wrong{n}", 0) for n in range(7)), *either]
    cases = [
        Case(f"q{n:02}", f"query {n}", tuple(judged), exhaustive=n == 5, weight=1.0 + n % 3)
        for n in range(20)
    ]
    answers = {case.id: rankings["odd" if n % 2 else "even"] for n, case in enumerate(cases)}
    return evaluated(cases, answers, metrics=("ndcg@10", "rr@10", "r@5", "ap@10"))


def test_unjudged_hits_are_those_of_the_runs_themselves() -> None:
    wrong = [f"wrong{n}" for n in range(7)]
    then = _judged_page({"odd": [wrong[0], "right", *wrong[1:]], "even": [*wrong[:3], "good", "x", "right"]})
    now = _judged_page(
        {"odd": ["right", *wrong[:5], "y", "z"], "even": ["right", "x", *wrong[:3], "y", "fair"]}
    )
    found = compare_pages(_page(then), _page(now), NAMES).report.comparison
    expected = _page(now, now.since(then)).report.comparison
    assert found is not None
    assert expected is not None
    assert found.rows == expected.rows
    assert found.rows[0].finding.startswith("not comparable: judged@10")
    assert found.unjudged == expected.unjudged
    assert found.comparable == expected.comparable
