"""Before a system is asked: how many queries a drop takes, what gates can claim, how often they err."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.commands import rankgate
from support.topics import topics_project

REPORT = Path(".rankgate/search/app/report.json")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    topics_project(tmp_path, 48, "'noninferior(ndcg@10) within 0.02', 'noninferior(ndcg@10) within 0.1'")


def test_a_plan_says_which_margins_can_pass_and_a_test_agrees() -> None:
    plan = json.loads(rankgate("plan", "--format", "json").printed())["plans"][0]
    can_pass = {row["gate"]: row["can_pass"] for row in plan["claims"] if row["claim"] == "bound"}
    assert can_pass == {"noninferior(ndcg@10) within 0.02": False, "noninferior(ndcg@10) within 0.1": True}
    rankgate("test")
    rankgate("baseline", "set", "--failed").printed()
    rankgate("test")
    report = json.loads(REPORT.read_text())
    passed = {row["gate"]: row["status"] == "passed" for row in report["verdicts"]}
    assert {gate: passed[gate] for gate in can_pass} == can_pass


def test_a_plan_says_how_many_queries_a_drop_takes() -> None:
    shown = rankgate("plan", "--drop", "0.05").printed()
    assert "0.05   1 query in 20 lost              157" in shown


def test_a_report_says_how_often_a_gate_fails_on_an_unchanged_system() -> None:
    done = rankgate("test")
    assert "unchanged system: one of the 2 gates on the baseline fails in 0 of 100 tests" in done.out
    assert json.loads(REPORT.read_text())["false_alarms"]["no_worse"] == 0.1
