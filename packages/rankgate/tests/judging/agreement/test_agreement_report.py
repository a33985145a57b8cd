"""`rankgate judge agreement`: figures from labels beside a suite, and disagreements side by side."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from rankgate.cli.judge import judge as command
from rankgate.errors import InputError
from rankgate.judging.agreement.reporting import cuts_of
from rankgate.truth.judgments.labels import Label, LabelLog

if TYPE_CHECKING:
    from pathlib import Path

SUITE = """
metrics: [ndcg@10, rr(rel=2)]
gates: [p(rel=3)@1 >= 0.5]
cases:
"""
GRADES = {"ada": (0, 1, 2, 3), "bo": (0, 1, 3, 3), "cy": (0, 2, 1, 3)}


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A suite of twelve cases in two categories, each with four passages that three judged."""
    path = tmp_path / "search.yaml"
    cases = "".join(
        f"  - {{name: c{at}, query: query {at}, id: doc, category: {'code' if at % 2 else 'prose'}}}\n"
        for at in range(12)
    )
    path.write_text(SUITE + cases, encoding="utf-8")
    (tmp_path / "judgments").mkdir()
    for judge, grades in GRADES.items():
        lines = [
            {"judge": judge, "case": f"c{at}", "query": f"query {at}", "id": f"d{number}", "grade": grade}
            | ({"comment": f"{judge} says so"} if number == 2 else {})
            for at in range(12)
            for number, grade in enumerate(grades)
        ]
        log = "".join(f"{json.dumps(line)}\n" for line in lines)
        (tmp_path / "judgments" / f"{judge}.jsonl").write_text(log, encoding="utf-8")
    return path


def called(*arguments: str | Path) -> str:
    """Return what the command prints."""
    found = CliRunner().invoke(command, ["agreement", *map(str, arguments)], catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return found.stdout


def as_json(suite: Path) -> Any:
    return json.loads(called(suite, "--format", "json"))


def test_figures_of_pairs_of_each_beside_the_others_and_of_categories(suite: Path) -> None:
    found = as_json(suite)
    assert [row["judge"] for row in found["judges"]] == ["ada", "bo", "cy"]
    assert [(row["one"], row["other"]) for row in found["pairs"]] == [
        ("ada", "bo"),
        ("ada", "cy"),
        ("bo", "cy"),
    ]
    assert [row["same"]["value"] for row in found["pairs"]] == [0.75, 0.5, 0.5]
    assert [row["passages"] for row in found["pairs"]] == [48, 48, 48]
    # Of eight grades that the others gave to four passages, ada gave the same five times.
    assert [row["other"] for row in found["against_others"]] == ["others"] * 3
    assert found["against_others"][0]["same"]["value"] == 0.625
    assert [(row["passages_of"], row["passages"]) for row in found["categories"]] == [
        ("code", 24),
        ("prose", 24),
    ]
    assert [cut["cut"] for cut in found["all"]["cuts"]] == ["grade > 0", "grade >= 2", "grade >= 3"]
    assert found["all"]["cuts"][0]["kappa"]["value"] == 1.0
    assert found["all"]["cuts"][1]["kappa"]["value"] < 0.8


def test_disagreements_stand_side_by_side_with_comments_the_furthest_apart_first(suite: Path) -> None:
    rows = as_json(suite)["disagreements"]
    assert len(rows) == 24
    assert [row["apart"] for row in rows] == [2.0] * 12 + [1.0] * 12
    assert rows[0]["location"] == "d2"
    assert rows[0]["said"] == [
        {"judge": "ada", "grade": 2.0, "comment": "ada says so"},
        {"judge": "bo", "grade": 3.0, "comment": "bo says so"},
        {"judge": "cy", "grade": 1.0, "comment": "cy says so"},
    ]
    assert rows[0]["settled"] is None


def test_a_label_that_settles_is_shown_and_counts_in_no_figure(suite: Path) -> None:
    before = as_json(suite)
    label = Label("dee", "c0", "query 0", id="d2", grade=2, settles=True)
    LabelLog(suite, "dee").append(label)
    after = as_json(suite)
    assert after["all"] == before["all"]
    assert [row["settled"] for row in after["disagreements"] if row["case"] == "c0"] == [2.0, None]
    assert after["notes"] == ["left out of every figure, as said with the others in sight: 1 label"]


def test_the_terminal_shows_figures_and_ten_disagreements_or_all(suite: Path) -> None:
    found = called(suite)
    assert "48 passages of 12 queries graded by two judges or more." in found
    assert "Judges disagree on 24 passages, 24 of them not settled" in found
    assert found.count("ada says so") == 10
    assert "14 more: --all shows them." in found
    assert called(suite, "--all").count("ada says so") == 12


def test_what_judges_write_cannot_steer_a_terminal(suite: Path) -> None:
    for judge, grade in (("eve", 0), ("mal", 3)):
        label = Label(judge, "c0", "query \x1b[31m", id="\x1b]0;d9", grade=grade, comment="\x1b[2J\u202e")
        LabelLog(suite, judge).append(label)
    assert not {"\x1b", "\u202e"} & set(called(suite, "--all"))


def test_one_judge_has_nobody_to_agree_with(tmp_path: Path) -> None:
    path = tmp_path / "search.yaml"
    path.write_text("cases: [{query: q, id: d}]\n", encoding="utf-8")
    LabelLog(path, "ada").append(Label("ada", "q", "q", id="d", grade=1))
    assert "No passage was graded by two judges" in called(path)
    assert as_json(path)["all"]["fleiss"] == {"value": None, "low": None, "high": None}


def test_without_labels_it_is_said_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "search.yaml"
    path.write_text("cases: [{query: q, id: d}]\n", encoding="utf-8")
    with pytest.raises(InputError, match="judge first"):
        CliRunner().invoke(command, ["agreement", str(path)], catch_exceptions=False)


def test_cuts_are_those_of_metrics_and_gates() -> None:
    assert cuts_of(["ndcg@10"]) == (None,)
    assert cuts_of(["rr(rel=2)", "p(rel=1)@1"]) == (1.0, 2.0)
