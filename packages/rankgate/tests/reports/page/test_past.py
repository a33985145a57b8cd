"""Earlier evaluations on a page: what changed, the gate of the time, and the rank of each query."""

from __future__ import annotations

from dataclasses import replace

from rankgate.reports.page.model import MetricGate, PageMetric, PageTarget
from rankgate.reports.page.past import (
    ERRORED,
    MOST_MOVED,
    MOST_POINTS,
    NOT_FOUND,
    NOTHING_EXPECTED,
    PastRun,
    metric_gates,
    rank_cell,
    trend_of,
    with_past,
)
from support.page_samples import usual
from support.reported import material

RR, MS = PageMetric("rr", ""), PageMetric("latency.p95", "ms", less=True)


def _run(number: int, made: dict[str, str], value: float = 0.5, **more: object) -> PastRun:
    run = PastRun(number, f"#{number}", "", "✅", "passed", (RR,), (value,), (f"{value}",), made_of=made)
    return run._replace(**more)  # type: ignore[arg-type]


def test_a_point_says_what_is_not_as_before_and_nothing_of_what_is_not_known() -> None:
    runs = [
        _run(1, {"suite": "a", "corpus": "x"}),
        _run(2, {"suite": "a", "corpus": "y", "system": "1"}),
        _run(3, {"suite": "b"}),
        _run(4, {"suite": "b", "corpus": "y", "system": "2"}),
        _run(5, {"suite": "b", "corpus": "y", "system": "2"}),
    ]
    changed = [point.changed for point in trend_of([RR], runs).points]
    assert changed == [(), ("corpus",), ("suite",), ("system",), ()]


def test_values_stand_under_todays_metrics_and_the_gates_are_those_of_their_time() -> None:
    first = MetricGate("rr", 0.4, "rr >= 0.4")
    runs = [
        _run(1, {}, gates=(first,)),
        _run(2, {}, metrics=(MS, RR), values=(12.0, 0.75), shown=("12 ms", "0.75")),
    ]
    trend = trend_of([RR, MS], runs)
    assert [point.values for point in trend.points] == [(0.5, None), (0.75, 12.0)]
    assert [point.shown for point in trend.points] == [("0.5", ""), ("0.75", "12 ms")]
    assert [point.gates for point in trend.points] == [(first,), ()]


def test_only_the_latest_are_shown_and_the_others_are_counted() -> None:
    trend = trend_of([RR], [_run(number, {}) for number in range(1, MOST_POINTS + 4)])
    assert (len(trend.points), trend.points[0].number) == (MOST_POINTS, 4)
    assert trend.note == "3 earlier evaluations not shown"


def test_gates_on_a_slice_or_on_another_measure_have_no_line() -> None:
    made, against = material("handbook")
    gates = ("ndcg@10 >= 0.4", "worst(category) ndcg@10 >= 0.1", "errors = 0")
    verdicts = made.judge(*gates, against=against)
    assert [(one.metric, one.bar) for one in metric_gates(verdicts)] == [("ndcg@10", 0.4)]


def test_the_cell_of_a_query_is_its_first_relevant_rank_or_what_came_instead() -> None:
    query = usual(1).queries[0]
    wrong = PageTarget("a.md", "-1", 1, "rank 1", "❌")
    found = PageTarget("b.md", "2", 3, "rank 3", "✅")
    later = PageTarget("c.md", "1", 7, "rank 7", "✅")
    missed = PageTarget("d.md", "1", None, "not in the top 8", "❌")
    assert rank_cell(replace(query, ended="passed", targets=(wrong, later, found))) == 3
    assert rank_cell(replace(query, ended="failed", targets=(wrong, missed))) == NOT_FOUND
    assert rank_cell(replace(query, ended="passed", targets=(wrong,))) == NOTHING_EXPECTED
    assert rank_cell(replace(query, ended="timeout", targets=(found,))) == ERRORED


def test_queries_that_fell_furthest_come_first_and_still_ones_are_left_out() -> None:
    page = usual(4)
    names = [query.case for query in page.queries]
    cells = {names[0]: (1, 1), names[1]: (2, 1), names[2]: (1, NOT_FOUND), names[3]: (1, 2)}
    made = with_past(page, [_run(1, {}), _run(2, {})], [1, 2], cells)
    assert [one.case for one in made.trend.moved] == [names[2], names[3], names[1]]
    assert made.trend.moved_count == 3
    assert [query.ranks for query in made.queries] == [cells[name] for name in names]
    assert made.trend.runs == ("#1", "#2")


def test_no_more_queries_are_listed_than_there_is_room_and_all_are_counted() -> None:
    page = usual(MOST_MOVED + 5)
    made = with_past(page, [_run(1, {})], [1, 2], {query.case: (1, 2) for query in page.queries})
    assert (len(made.trend.moved), made.trend.moved_count) == (MOST_MOVED, MOST_MOVED + 5)


def test_the_first_evaluation_has_no_past() -> None:
    page = usual(3)
    made = with_past(page, [_run(1, {})], [1], {query.case: (1,) for query in page.queries})
    assert made.trend.runs == ()
    assert all(not query.ranks for query in made.queries)
