"""Figures for people: nothing that was measured is shown as nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.gates.wording import figure
from rankgate.model import Case
from rankgate.reports.evaluation import markdown, terminal
from support.evaluations import evaluated, target


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (12.34, "12.3 ms"),
        (0.05, "0.1 ms"),
        (0.049, "0.05 ms"),
        (0.03, "0.03 ms"),
        (0.005, "0.01 ms"),
        (0.0049, "<0.01 ms"),
        (1e-9, "<0.01 ms"),
        (0.0, "0.0 ms"),
        (-0.03, "-0.03 ms"),
        (-0.003, "0.00 ms"),
    ],
)
def test_short_times_have_the_digits_that_they_need(value: float, shown: str) -> None:
    assert figure(value, "ms") == shown


def test_digits_that_were_asked_for_are_kept() -> None:
    assert figure(0.00123, "ms", decimals=4) == "0.0012 ms"
    assert figure(0.00001, "ms", decimals=4) == "<0.0001 ms"


@given(st.floats(0, 1e6, exclude_min=True), st.none() | st.integers(1, 9))
def test_no_time_is_shown_as_none(value: float, decimals: int | None) -> None:
    shown = figure(value, "ms", decimals=decimals).removesuffix(" ms").replace(",", "")
    assert float(shown.removeprefix("<")) > 0
    if shown.startswith("<"):
        assert value < float(shown[1:])


def test_reports_of_a_system_in_process_show_its_times() -> None:
    cases = [Case(name, name, (target("x"),)) for name in "ab"]
    times = {"a": 0.031, "b": 0.031}
    made = evaluated(cases, {"a": ["x"], "b": ["x"]}, metrics=["ndcg@10", "latency.p95"], latency=times)
    report = made.report("latency.p95 < 20ms")
    assert report.verdicts[0].value == "0.03 ms"
    assert report.verdicts[0].reason.startswith("0.03 ms < 20ms")
    for layout in (terminal, markdown):
        assert "0.03 ms" in layout.render(report)
