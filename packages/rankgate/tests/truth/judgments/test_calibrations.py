"""Labels of model judges count where the suite says so and people were asked first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from rankgate.errors import FormatError
from rankgate.model.suite import Suite
from rankgate.truth.judgments.calibrations import (
    CalibrationVerdict,
    DrawnPair,
    KeptCalibration,
    ModelLabels,
    PooledPassage,
    calibration_path,
    counted_labels,
    drawn_units,
    read_calibration,
    write_calibration,
)
from rankgate.truth.judgments.labels import Label, Labels

if TYPE_CHECKING:
    from pathlib import Path

LABEL = Label("reader", "c", "q", at="a.md:1-2", grade=0, source="model", prompt="p.j", guidelines="g")
MET = CalibrationVerdict("2026-11-17T10:00:00Z", met=True, report={"pairs": 100})


def _suite(folder: Path, *sources: str, name: str = "s.yaml") -> Suite:
    return Suite("s", (), gating_sources=sources or ("person", "import"), path=str(folder / name))


def _kept(verdict: CalibrationVerdict | None = MET, prompt: str = "p.j") -> KeptCalibration:
    pool = (PooledPassage("c", "a.md:1-2", {"bm25": 1, "hybrid": 3}),)
    return KeptCalibration(prompt, "g", ("bm25", "hybrid"), pool, (DrawnPair("c", "a.md:1-2", 3.5),), verdict)


def test_what_is_written_is_read_again_and_suites_beside_each_other_share_the_file(tmp_path: Path) -> None:
    write_calibration(tmp_path / "a.yaml", "reader", _kept())
    write_calibration(tmp_path / "b.yaml", "reader", _kept(None))
    assert read_calibration(tmp_path / "a.yaml", "reader") == _kept()
    assert read_calibration(tmp_path / "b.yaml", "reader") == _kept(None)
    assert read_calibration(tmp_path / "c.yaml", "reader") is None
    line = '{ "case": "c", "location": "a.md:1-2", "ranks": { "bm25": 1, "hybrid": 3 } }'
    assert calibration_path(tmp_path / "a.yaml", "reader").read_text().count(f"    {line}\n") == 2
    assert drawn_units(tmp_path / "a.yaml") == ()
    assert drawn_units(tmp_path / "b.yaml") == (("c", "a.md:1-2"),)


def test_labels_of_people_are_not_touched(tmp_path: Path) -> None:
    person = Label("ada", "c", "q", at="a.md:1-2", grade=0)
    assert ModelLabels(_suite(tmp_path)).why_not(person) is None


def test_by_default_no_label_of_a_model_counts_whatever_was_measured(tmp_path: Path) -> None:
    write_calibration(tmp_path / "s.yaml", "reader", _kept())
    assert "gating_sources does not name" in str(ModelLabels(_suite(tmp_path)).why_not(LABEL))


def test_a_suite_whose_truth_is_a_models_alone_says_so_and_counts_them(tmp_path: Path) -> None:
    assert ModelLabels(_suite(tmp_path, "model")).why_not(LABEL) is None
    assert ModelLabels(_suite(tmp_path, "person", "model")).why_not(LABEL) is not None
    assert ModelLabels(_suite(tmp_path, "import", "model")).why_not(LABEL) is not None


@pytest.mark.parametrize(
    ("kept", "words"),
    [
        (None, "has not been calibrated"),
        (_kept(None), "has not been calibrated"),
        (_kept(CalibrationVerdict("2026-11-17T10:00:00Z", met=False)), "below the bar"),
        (_kept(prompt="p.other"), "not calibrated"),
        (_kept(), None),
    ],
)
def test_beside_people_a_model_counts_where_it_met_the_bar_as_it_is(
    tmp_path: Path, kept: KeptCalibration | None, words: str | None
) -> None:
    if kept is not None:
        write_calibration(tmp_path / "s.yaml", "reader", kept)
    why = ModelLabels(_suite(tmp_path, "person", "model")).why_not(LABEL)
    assert why is None if words is None else words in str(why)


def test_a_calibration_of_another_suite_or_judge_says_nothing_of_this_one(tmp_path: Path) -> None:
    write_calibration(tmp_path / "other.yaml", "reader", _kept())
    write_calibration(tmp_path / "s.yaml", "second", _kept())
    assert ModelLabels(_suite(tmp_path, "person", "model")).why_not(LABEL) is not None


def test_what_a_model_says_gives_way_to_people_on_the_same_passage(tmp_path: Path) -> None:
    write_calibration(tmp_path / "s.yaml", "reader", _kept())
    other = replace(LABEL, at="b.md:1-2")
    person = Label("ada", "c", "q", at="a.md:1-2", grade=2)
    unsure = Label("ben", "c", "q", at="b.md:1-2", said="unsure")
    labels = Labels((LABEL, other, person, unsure), ("a note",))
    counted = counted_labels(_suite(tmp_path, "person", "model"), labels)
    assert counted.each == (other, person, unsure)
    said = "1 label of the model judge reader on passages that people graded: not counted"
    assert counted.notes == ("a note", said)
    assert counted_labels(_suite(tmp_path, "model"), labels) == labels


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[" * 100_000,
        "[]",
        '{"suites": {"s.yaml": {}}}',
        '{"suites": {"s.yaml": {"prompt": "p", "verdict": {"time": "t", "met": 1}}}}',
        '{"suites": {"s.yaml": {"prompt": "p", "drawn": [{"case": "c", "location": "l", "weight": NaN}]}}}',
        '{"suites": {"s.yaml": {"prompt": "p", "drawn": [{"case": "c", "location": "l", "weight": 0}]}}}',
        '{"suites": {"s.yaml": {"prompt": "p", "mets": true}}}',
    ],
)
def test_a_file_that_is_not_right_is_refused_and_never_counts(tmp_path: Path, text: str) -> None:
    path = calibration_path(tmp_path / "s.yaml", "reader")
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(FormatError, match=r"calibration-reader\.json"):
        ModelLabels(_suite(tmp_path, "person", "model")).why_not(LABEL)
    with pytest.raises(FormatError):
        write_calibration(tmp_path / "s.yaml", "reader", _kept())
    assert path.read_text() == text
