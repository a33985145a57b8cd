"""`rankgate plan`: what is assumed, how many queries a drop takes, what gates can claim; nothing is asked."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.evaluation.project.planning import PlanRequest, plan_suite
from rankgate.evaluation.project.project import projects
from rankgate.reports.suite.plan_terminal import render
from support.commands import rankgate
from support.topics import lose, topics_project

if TYPE_CHECKING:
    from pathlib import Path

GATES = "'ndcg@10 >= 0.8', 'drop(ndcg@10) < 0.05', 'noninferior(ndcg@10) within 0.02'"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    topics_project(tmp_path, 48, GATES)
    return tmp_path


def planned(*words: str) -> dict[str, Any]:
    """Plan as JSON, and give the one plan."""
    found = json.loads(rankgate("plan", "search.yaml", *words, "--format", "json").printed())
    assert found["schema"] == 1
    (plan,) = found["plans"]
    return dict(plan)


def folded(text: str) -> str:
    return " ".join(text.split())


def test_it_says_what_it_assumes_and_asks_nobody(project: Path) -> None:
    (project / "app.py").write_text("raise SystemError('asked')\n")
    shown = rankgate("plan", "search.yaml").printed()
    assert shown.startswith(
        "search: what 48 queries can show\nAssumed, as no answers are given (--from): a drop"
    )
    assert re.search(r"0\.05   1 query in 20 lost +157 +3 %", shown)
    assert re.search(r"157  \|#{32} {8}\| +80 %  needed", shown)
    told = folded(shown)
    assert "passes with 2 of them lost whole; 3 fail it" in told
    assert "48 queries can show a drop under 0.061 at best; 149 are needed for 0.02; 6 lost fail it" in told
    assert "of 48 queries none may be lost; holds unwritten, once there is a baseline" in told
    assert "unchanged system: one of the 3 gates on the baseline fails in 0 of 100 tests" in told
    assert not (project / ".rankgate").exists()


def printed(project: Path, width: int) -> str:
    ((found, suite),) = projects([project / "search.yaml"])
    return render([plan_suite(found, suite, None, PlanRequest())], width)


@pytest.mark.parametrize("width", [80, 120])
def test_no_line_is_wider_than_the_terminal(project: Path, width: int) -> None:
    assert max(map(len, printed(project, width).splitlines())) <= width


def test_programs_get_the_same_figures(project: Path) -> None:
    plan = planned("--drop", "0.05", "--drop", "0.2", "--power", "0.9")
    assert [row["drop"] for row in plan["drops"]] == [0.05, 0.2]
    assert plan["drops"][0]["needed"] == 184
    assert plan["drops"][1]["here"]["share"] == pytest.approx(0.9379, abs=1e-4)
    fact, drop, bound, lost = plan["claims"]
    assert (fact["claim"], fact["can_pass"]) == ("fact", None)
    assert (drop["forgives"], drop["fails_at"]) == (2, 3)
    assert (bound["claim"], bound["can_pass"], bound["needed"], bound["fails_at"]) == ("bound", False, 149, 6)
    assert [row["drop"] for row in bound["powers"]] == [0.0, 0.05, 0.2]
    assert (lost["written"], lost["forgives"]) == (False, 0)
    assert plan["slices"][0]["forgiven"] == [None, None, 1]
    assert plan["false_alarms"] == {
        "gates": 3,
        "chance": 0.0,
        "low": 0.0,
        "high": 0.0,
        "repeats": 1,
        "no_worse": 0.05,
    }


def test_it_goes_by_a_baseline_or_by_two_answers_where_they_are_named(project: Path) -> None:
    rankgate("test")
    rankgate("baseline", "set", "--failed").printed()
    lose(project, "topic003.md", "topic004.md", "topic020.md")
    rankgate("test")
    one = planned("--from", "baseline", "--drop", "0.1")
    assert (
        "the answers of the baseline of app: a drop comes from queries that lose all they had there, 1.0000"
        in (one["basis"])
    )
    both = planned("--from", "baseline", "--from", "app", "--drop", "0.1")
    assert (
        "the others move as between the two: 3 of 48 do, by 1.0000 on average, up or down alike"
        in both["basis"]
    )
    # What moves beside what is lost hides it, and how far is known of 48 queries only.
    assert both["drops"][0]["needed"] > one["drops"][0]["needed"] == 78
    figure = both["drops"][0]["here"]
    assert figure["low"] < figure["share"] < figure["high"]
    compared = json.loads(rankgate("compare", "baseline", "app", "--format", "json").printed())
    (row,) = [row for row in compared["comparisons"][0]["rows"] if row["metric"] == "ndcg@10"]
    assert both["detectable"] == row["numbers"]["detectable"]


def test_repeats_say_how_often_a_gate_fails_by_itself(project: Path) -> None:
    app = (project / "app.py").read_text()
    (project / "app.py").write_text(
        app.replace("def search", "import random\n\nrandom.seed(2)\n\n\ndef search").replace(
            "if wanted in lost", "if wanted < 'topic006' and random.random() < 0.5"
        )
    )
    rankgate("test", "--repeat", "3")
    found = planned("--from", "app")["false_alarms"]
    assert found["repeats"] == 3
    assert 0.1 < found["low"] < found["chance"] < found["high"] <= 1
    report = json.loads((project / ".rankgate/search/app/report.json").read_text())
    # There is no baseline yet, so that only written gates are judged, and none on lost queries.
    assert report["false_alarms"]["gates"] == 2
    assert any(note.startswith("unchanged system: ") for note in report["notes"])


def test_groups_and_weights_are_counted_by_slice(project: Path) -> None:
    file = project / "search.yaml"
    text = file.read_text()
    for number in range(12):
        text = text.replace(
            f"at: topic{number:03}.md", f"at: topic{number:03}.md, group: g{number // 4}, category: a"
        )
    file.write_text(text.replace("at: topic047.md", "at: topic047.md, weight: 5, category: b"))
    plan = planned()
    assert (plan["unit"], plan["size"]) == ("groups", 39)
    rows = {
        row["name"]: (row["queries"], row["groups"], round(row["effective"], 2)) for row in plan["slices"]
    }
    assert rows == {
        "all": (48, 39, 37.56),
        "category = a": (12, 3, 12.0),
        "category = b": (1, 1, 1.0),
        "category = (none)": (35, 35, 35.0),
    }
    shown = rankgate("plan").printed()
    assert "groups needed" in shown
    assert "effective" in shown


def test_what_is_not_there_is_refused(project: Path) -> None:
    assert "three" not in rankgate("plan", "--from", "baseline").refused()
    assert (
        "one run or baseline, or two to compare"
        in rankgate(*["plan", "--from", "a", "--from", "b", "--from", "c"]).refused()
    )
    assert rankgate("plan", "--drop", "0").code == 2


def test_a_drop_that_there_is_not_is_no_crash(project: Path) -> None:
    shown = rankgate("plan", "--drop", "3").printed()
    assert "more than there is to lose" in shown
    assert "How often a drop of 3" not in shown


def test_a_suite_in_which_nothing_counts_is_refused(project: Path) -> None:
    (project / "search.yaml").write_text(
        "gates: [ndcg@10 >= 0.5]\ncases:\n  - {query: a, id: x, reviewed: false}\n"
    )
    told = rankgate("plan", "search.yaml").refused()
    assert "no query that counts in ndcg@10" in told


def test_drops_are_shares_of_the_range_where_a_gate_has_another_metric(project: Path) -> None:
    file = project / "search.yaml"
    text = file.read_text()
    file.write_text(text.replace(GATES, "'noninferior(2*p@5) within 0.3', 'noninferior(ndcg@10) within 0.1'"))
    rows = planned("--drop", "0.1")["claims"]
    assert [row["drop"] for row in rows[0]["powers"]] == [0.0, 0.1]
    assert [row["drop"] for row in rows[1]["powers"]] == [0.0, 0.05]


def test_a_suite_without_a_configuration_is_planned_by_its_own_gates(project: Path) -> None:
    (project / "rankgate.toml").unlink()
    assert [row["gate"] for row in planned()["claims"]][:2] == ["ndcg@10 >= 0.8", "drop(ndcg@10) < 0.05"]
