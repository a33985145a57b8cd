"""Means that rest on a biased model's labels stand beside what people's labels correct them to."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

import rankgate as rg
from rankgate.truth.judgments.calibrations import CalibrationVerdict, KeptCalibration, write_calibration
from rankgate.truth.judgments.labels import Label, LabelLog
from rankgate.truth.model_truth import draw_queries
from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

QUERIES, PASSAGES, WHOLE, DEPTH = 80, 5, 55, 3
_APP = """\
def search(query, k):
    return [f"{query}-{number}" for number in range(5)][:k]
"""


class World:
    """Grades of people and of a model that favours what stands first, of every passage of every query."""

    def __init__(self, seed: int) -> None:
        chance = np.random.default_rng(seed)
        self.people = chance.choice([0, 1, 2], p=[0.5, 0.3, 0.2], size=(QUERIES, PASSAGES))
        self.model = self.people.copy()
        self.model[:, 0] = np.maximum(self.model[:, 0], chance.choice([0, 2], size=QUERIES))
        # Every query has something relevant, so that each has targets.
        self.people[:, 4] = self.model[:, 4] = 1

    def ndcg(self, grades: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> list[float]:
        """Work nDCG out by its definition; the system returns passages in their order."""
        values = []
        for row in grades.tolist():
            gained = sum(grade / math.log2(rank + 2) for rank, grade in enumerate(row[:DEPTH]))
            best = sum(grade / math.log2(rank + 2) for rank, grade in enumerate(sorted(row)[::-1][:DEPTH]))
            values.append(gained / best)
        return values


def _name(number: int) -> str:
    return f"q{number:02}"


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A suite of which people graded some drawn queries whole, and a calibrated model the rest."""
    monkeypatch.chdir(tmp_path)
    world = World(7)
    (tmp_path / "app.py").write_text(_APP)
    (tmp_path / "rankgate.toml").write_text(
        'suites = ["s.yaml"]\n[systems.app]\nfunction = "./app.py:search"\n'
    )
    _write(tmp_path, world, WHOLE)
    return world


def _write(folder: Path, world: World, whole: int) -> None:
    cases = [{"query": _name(number), "id": {}} for number in range(QUERIES)]
    drawn = draw_queries(rg.load_suite(_suite_file(folder, cases)).cases, 60)
    by_people = {*drawn[:whole]}
    for number, case in enumerate(cases):
        name = _name(number)
        grades = world.people if name in by_people else world.model
        source = "person ada" if name in by_people else "model reader, prompt p"
        case["id"] = {
            f"{name}-{at}": {"grade": int(grade), "source": source}
            for at, grade in enumerate(grades[number])
            if grade > 0
        }
        for judge, said, kind in (("reader", world.model, "model"), ("ada", world.people, "person")):
            for at in range(PASSAGES if kind == "model" or name in by_people else 0):
                label = Label(judge, name, name, id=f"{name}-{at}", grade=float(said[number, at]))
                LabelLog(folder / "s.yaml", judge).append(_of(label, kind))
    _suite_file(folder, cases)
    met = CalibrationVerdict("2026-11-17T10:00:00Z", met=True)
    write_calibration(folder / "s.yaml", "reader", KeptCalibration("p.j", verdict=met, queries=drawn))


def _of(label: Label, kind: str) -> Label:
    from dataclasses import replace

    return replace(label, source="model", prompt="p.j") if kind == "model" else label


def _suite_file(folder: Path, cases: object) -> Path:
    head = {"gating_sources": ["person", "model"], "scale": 2, "metrics": [f"ndcg@{DEPTH}", "hit@1"]}
    filled = [{**one, "id": one["id"] or {f"{one['query']}-4": 1}} for one in cases]  # type: ignore[attr-defined]
    gates = [f"ndcg@{DEPTH} >= 0.1"]
    (folder / "s.yaml").write_text(json.dumps({**head, "gates": gates, "cases": filled}))
    return folder / "s.yaml"


def test_the_mean_the_corrected_mean_and_its_interval_are_those_of_their_definition(
    world: World, tmp_path: Path
) -> None:
    from scipy import stats

    result = rg.evaluate(rg.load_suite("s.yaml"), "app")
    suite = rg.load_suite("s.yaml")
    whole = {*draw_queries(suite.cases, 60)[:WHOLE]}
    by_people = np.array([_name(number) in whole for number in range(QUERIES)])
    f, y = np.array(world.ndcg(world.model)), np.array(world.ndcg(world.people))
    rectifier = (y - f)[by_people]
    value = f.mean() + rectifier.mean()
    spread = y[by_people].var(ddof=1) / QUERIES + rectifier.var(ddof=1) * (1 / WHOLE - 1 / QUERIES)
    reach = stats.t.ppf(0.975, WHOLE - 1) * math.sqrt(spread)
    row = result.report.metrics[0]
    assert row.number == pytest.approx(np.where(by_people, y, f).mean(), abs=1e-9)
    found = row.corrected
    assert found is not None
    assert (found.queries, found.graded) == (QUERIES, WHOLE)
    assert found.by_model == pytest.approx(f.mean(), abs=1e-9)
    assert found.value == pytest.approx(value, abs=1e-9)
    assert (found.low, found.high) == pytest.approx((value - reach, value + reach), abs=1e-5)
    # The model favours what stands first, which the plain mean still has of the queries that are its own.
    assert row.number is not None
    assert found.value < row.number
    assert found.low < y.mean() < found.high
    assert result.report.metrics[1].corrected is not None


def test_every_report_has_it_beside_the_mean_and_gates_stay_on_the_mean(world: World, tmp_path: Path) -> None:
    done = rankgate("test", "s.yaml", "--details", "--report", "json=r.json", "--report", "markdown=r.md")
    assert done.code == 0, done.err
    kept = json.loads((tmp_path / "r.json").read_text())
    corrected = kept["metrics"][0]["corrected"]
    assert corrected["graded"] == WHOLE
    words = (
        f"corrected by people {corrected['value']:.4f} ({corrected['low']:.4f} to {corrected['high']:.4f})"
    )
    for text in (done.out, (tmp_path / "r.md").read_text(), kept["metrics"][0]["counted"]):
        assert words in " ".join(text.split())
    people = WHOLE * PASSAGES
    model = (QUERIES - WHOLE) * PASSAGES
    assert f"{people} judgments of people, {model} of the model judge reader." in " ".join(done.out.split())
    assert kept["verdicts"][0]["number"] == kept["metrics"][0]["number"]


@pytest.mark.parametrize("whole", [0, 49])
def test_too_few_queries_by_people_correct_nothing_and_the_report_names_the_command(
    world: World, tmp_path: Path, whole: int
) -> None:
    for file in (tmp_path / "judgments").iterdir():
        file.unlink()
    _write(tmp_path, world, whole)
    done = rankgate("test", "s.yaml", "--details", "--report", "json=r.json")
    told = " ".join(done.out.split())
    assert f"people graded {whole} of 60 drawn queries whole, and 50 are needed: rankgate judge" in told
    assert json.loads((tmp_path / "r.json").read_text())["metrics"][0]["corrected"] is None


def test_grades_that_are_no_targets_yet_are_to_be_applied_first(world: World) -> None:
    label = Label("reader", "q00", "q00", id="q00-9", grade=2.0, source="model", prompt="p.j")
    LabelLog("s.yaml", "reader").append(label)
    done = " ".join(rankgate("test", "s.yaml", "--details").out.split())
    assert "1 grade not in the suite yet: rankgate judge apply" in done
    assert "corrected by people" not in done


def _with_targets_of_the_model(folder: Path, world: World) -> None:
    """Write the suite as it is where the model's labels were applied before people graded anything."""
    suite = json.loads((folder / "s.yaml").read_text())
    for case in suite["cases"]:
        grades = world.model[int(case["query"][1:])]
        case["id"] = {
            f"{case['query']}-{at}": {"grade": int(grade), "source": "model reader, prompt p"}
            for at, grade in enumerate(grades)
            if grade > 0
        }
    (folder / "s.yaml").write_text(json.dumps(suite))


def test_grades_of_people_that_the_suite_has_otherwise_by_the_model_are_to_be_applied_first(
    world: World, tmp_path: Path
) -> None:
    """The mean by the model's targets would be said to be corrected by people."""
    before = rg.evaluate(rg.load_suite("s.yaml"), "app").report.metrics[0].corrected
    _with_targets_of_the_model(tmp_path, world)
    done = " ".join(rankgate("test", "s.yaml", "--details").out.split())
    assert "grades not in the suite yet: rankgate judge apply" in done
    assert "corrected by people" not in done
    assert rankgate("judge", "apply", "s.yaml", "--accept").code == 0
    assert before is not None
    assert rg.evaluate(rg.load_suite("s.yaml"), "app").report.metrics[0].corrected == before


def test_queries_with_targets_of_a_model_that_nobody_read_are_not_graded_whole(
    world: World, tmp_path: Path
) -> None:
    """Labels that do not hold any more leave the targets that were made of them."""
    _with_targets_of_the_model(tmp_path, world)
    log = tmp_path / "judgments" / "reader.jsonl"
    kept = [line for line in log.read_text().splitlines() if json.loads(line)["case"] == "q00"]
    log.write_text("\n".join(kept) + "\n")
    (tmp_path / "judgments" / "ada.jsonl").unlink()
    done = " ".join(rankgate("test", "s.yaml", "--details").out.split())
    assert "people graded 0 of 60 drawn queries whole, and 50 are needed" in done
    assert "corrected by people" not in done


def test_a_weight_of_what_must_find_nothing_plays_no_part(world: World, tmp_path: Path) -> None:
    suite = json.loads((tmp_path / "s.yaml").read_text())
    suite["cases"].append({"query": "nothing", "expect": "empty", "weight": 5})
    (tmp_path / "s.yaml").write_text(json.dumps(suite))
    assert "corrected by people" in rankgate("test", "s.yaml", "--details").out
    suite["cases"][0]["weight"] = 2
    (tmp_path / "s.yaml").write_text(json.dumps(suite))
    done = " ".join(rankgate("test", "s.yaml", "--details").out.split())
    assert "not corrected: queries have different weights" in done


def test_without_labels_of_a_model_that_count_nothing_is_said_of_it(world: World, tmp_path: Path) -> None:
    suite = json.loads((tmp_path / "s.yaml").read_text())
    (tmp_path / "s.yaml").write_text(json.dumps({**suite, "gating_sources": ["person"]}))
    done = rankgate("test", "s.yaml", "--details").out
    assert "corrected" not in done


def test_more_queries_keep_what_was_drawn_and_a_new_case_moves_nothing(world: World) -> None:
    cases = rg.load_suite("s.yaml").cases
    first = draw_queries(cases, 50)
    more = draw_queries(cases[1:], 60, first)
    assert [name for name in first if name != cases[0].id] == list(more)[
        : len(first) - (cases[0].id in first)
    ]
    assert len(more) == 60
