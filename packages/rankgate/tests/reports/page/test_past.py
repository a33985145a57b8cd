"""Earlier evaluations on a page: what changed, and the gate of the time."""

from __future__ import annotations

from rankgate.reports.page.model import MetricGate, PageMetric
from rankgate.reports.page.past import MOST_POINTS, PastRun, metric_gates, trend_of
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
