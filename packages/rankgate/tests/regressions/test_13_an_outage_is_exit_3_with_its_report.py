"""An outage beside a gate that needs an answer, or in one slice, is exit code 3 with the report of it."""

from __future__ import annotations

from contextlib import chdir
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.pytest_sessions import GOOD, Project

if TYPE_CHECKING:
    from pathlib import Path

SUITE = """\
gates: ["{gate}"]
cases:
  - {{name: keys, query: rotate a key, id: keys, category: a}}
  - {{name: hooks, query: retry webhooks, id: hooks, category: b}}
"""
GATES = [
    "latency.p95 < 200ms",
    "latency.p95 < 200ms where category = a",
    "worst(category) latency.p95 < 200ms",
    "judged@10 >= 0 where category = a",
    "rr >= 0.5 where category = a",
]
TOKENS = ["r@4000tokens >= 0.1", "tokens_to(recall=1) <= 4000"]


@pytest.mark.parametrize(
    ("gate", "broken"),
    [(gate, 1) for gate in GATES] + [(gate, 2) for gate in (*GATES, *TOKENS)],
)
def test_an_outage_is_exit_3_with_the_report(tmp_path: Path, gate: str, broken: int) -> None:
    errors = dict.fromkeys(["rotate a key", "retry webhooks"][:broken], "no index")
    answers: dict[str, list[str] | str] = {**GOOD, **errors}
    Project.of(tmp_path, SUITE.format(gate=gate), answers)
    with chdir(tmp_path):
        done = rankgate("test", "search.yaml", "-o", "junit=told.xml")
    assert done.code == 3, done.out + done.err
    assert "the system failed on" in done.out
    assert "no index" in (tmp_path / "told.xml").read_text()


def test_a_gate_over_a_slice_that_nobody_has_is_still_refused(tmp_path: Path) -> None:
    Project.of(tmp_path, SUITE.format(gate="rr >= 0.5 where category = c"), {"rotate a key": "no index"})
    with chdir(tmp_path):
        done = rankgate("test", "search.yaml")
    assert done.code == 2
    assert "category 'c'" in done.err
