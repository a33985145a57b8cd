"""What is said of a model judge: from labels, for people and as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from judge_worlds import JUDGES, World
from rankgate.judging.calibration.drawing import draw_pairs
from rankgate.judging.calibration.pool import CalibrationPool
from rankgate.judging.calibration.reporting import PEOPLE, calibration_report
from rankgate.reports.judging.calibration import calibration_json
from rankgate.reports.judging.calibration_terminal import render_calibration
from rankgate.truth.judgments.labels import Label, Labels

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.truth.judgments.labels import UnitKey


def model_grades(labels: Labels, judge: str, prompt: str | None = None) -> Mapping[UnitKey, float]:
    """Return the grades that a model judge gave, by one prompt where that is said."""
    return {
        label.unit: label.grade
        for label in labels.of(judge)
        if label.grade is not None and (prompt is None or label.prompt == prompt)
    }


def still_to_grade(pool: CalibrationPool, labels: Labels, drawn: Sequence[int]) -> tuple[UnitKey, ...]:
    """Return the passages that were drawn and that no person graded yet, in the order of the draw."""
    graded = labels.graded(PEOPLE)
    return tuple(pool.keys[row] for row in drawn if pool.keys[row] not in graded)


def labelled(judge: str, pairs: int) -> tuple[CalibrationPool, Labels, list[int]]:
    """Return a pool that a simulated judge graded, and people's labels of the pairs drawn."""
    world = World.drawn(np.random.default_rng(1), 60)
    simulated = next(one for one in JUDGES if one.name == judge)
    grades = simulated.grades(np.random.default_rng(2), world)
    labels = [
        Label("robot", case, f"query {case}", id=at, grade=grade, source="model", prompt="p1")
        for (case, at), grade in zip(world.keys, grades.tolist(), strict=True)
    ]
    names = {key: dict(zip(("bm25", "hybrid"), ranks, strict=True)) for key, ranks in zip(
        world.keys, world.ranks.tolist(), strict=True
    )}  # fmt: skip
    pool = CalibrationPool.of(model_grades(Labels(tuple(labels)), "robot"), names, ["bm25", "hybrid"])
    drawn = draw_pairs(pool, pairs).tolist()
    for row in drawn:
        case, at = pool.keys[row]
        grade = float(world.truth[world.keys.index((case, at))])
        labels.append(Label("ada", case, f"query {case}", id=at, grade=grade))
    return pool, Labels(tuple(labels)), drawn


def test_a_lazy_model_is_refused_with_its_reasons_and_its_confusion() -> None:
    pool, labels, drawn = labelled("lazy", 120)
    report = calibration_report("docs", "robot", pool, labels, drawn)
    assert (report.drawn, report.pairs, report.people, report.passed) == (120, 120, ("ada",), False)
    text = render_calibration(report)
    assert text.startswith("❌ robot: its labels may order the queue, and may not gate\n")
    assert "- the lower bound of quadratic kappa is" in text
    assert "bias between bm25 and hybrid" in text
    found = json.loads(calibration_json(report))
    assert np.sum(found["confusion"]) == pytest.approx(1.0)
    assert found["reasons"] == list(report.reasons)


def test_a_perfect_model_may_gate() -> None:
    pool, labels, drawn = labelled("perfect", 200)
    report = calibration_report("docs", "robot", pool, labels, drawn)
    assert report.reasons == ()
    assert render_calibration(report).startswith("✅ robot: its labels may gate\n")


def test_labels_of_people_on_what_was_not_drawn_count_for_nothing() -> None:
    pool, labels, drawn = labelled("good, kappa 0.85", 100)
    other = next(key for row, key in enumerate(pool.keys) if row not in drawn)
    more = Label("ada", other[0], "query", id=other[1], grade=3)
    report = calibration_report("docs", "robot", pool, Labels((*labels.each, more)), drawn)
    assert report == calibration_report("docs", "robot", pool, labels, drawn)


def test_where_people_differ_a_pair_is_left_out_and_counted() -> None:
    pool, labels, drawn = labelled("good, kappa 0.85", 100)
    first = next(label for label in labels.each if label.judge == "ada")
    against = Label("bo", first.case, first.query, id=first.id, grade=(first.grade or 0) + 1)
    report = calibration_report("docs", "robot", pool, Labels((*labels.each, against)), drawn)
    assert (report.pairs, report.unsettled) == (99, 1)
    assert "1 pair left out: people disagree" in render_calibration(report)


def test_what_is_still_to_be_graded_is_known() -> None:
    pool, labels, drawn = labelled("good, kappa 0.85", 100)
    models = Labels(tuple(label for label in labels.each if label.source == "model"))
    assert still_to_grade(pool, models, drawn) == tuple(pool.keys[row] for row in drawn)
    assert still_to_grade(pool, labels, drawn) == ()


def test_the_grades_of_another_prompt_are_another_judges() -> None:
    _, labels, _ = labelled("good, kappa 0.85", 100)
    assert model_grades(labels, "robot", "p2") == {}
    assert len(model_grades(labels, "robot", "p1")) > 500
