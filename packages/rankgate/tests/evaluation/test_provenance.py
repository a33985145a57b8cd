"""A report contains the strategies that resolved targets and located hits."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rankgate.evaluation.flow import Stopwatch, run_evaluation
from rankgate.model import Case, CorpusSource, Hit, Lines, Location, MapRule, Suite, Target
from rankgate.project.settings import RunOptions, Settings
from rankgate.reports.evaluation import junit, markdown, terminal
from rankgate.systems.function.system import FunctionSystem

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.project.evaluation import Evaluation

KEYS = "# Keys\n\n## Rotation\n\nRotate the key now.\n"


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text(KEYS)
    (tmp_path / "docs" / "store.py").write_text("def unique():\n    pass\n")
    places = ("keys.md#Rotation", "keys.md:1-2", "store.py::unique", "keys.md#Keys")
    return Suite(
        "search",
        tuple(Case(f"q{n}", f"query {n}", (Target(Location.at(at)),)) for n, at in enumerate(places)),
        corpus=CorpusSource("docs"),
        map_rules=(MapRule("https://x/(.*)", r"\1.md"),),
        path=str(tmp_path / "search.yaml"),
    )


def search(_query: str) -> list[Hit]:
    return [
        Hit(path="keys.md", lines=Lines(1, 3)),
        Hit(path="keys.md", text="Rotate the key"),
        Hit(id="https://x/keys"),
        Hit(id="store.py"),
        Hit(id="gone"),
    ]


def evaluated(suite: Suite, folder: Path, *, resume: bool = False) -> Evaluation:
    asking = RunOptions(folder=folder / "run", existing="resume" if resume else "refuse")
    settings = Settings(asking=asking, root=folder)
    return run_evaluation(suite, FunctionSystem(search, name="app"), settings, Stopwatch())


def test_every_report_says_how_places_were_found(suite: Suite, tmp_path: Path) -> None:
    result = evaluated(suite, tmp_path)
    facts = dict(result.report.provenance)
    assert facts["targets"] == "2 by heading, 1 by symbol, 1 by lines"
    where = "8 at exact locations, 8 in a file only, 4 known by id alone"
    assert facts["hits"] == f"{where}; 4 by path and lines, 4 by map rule, 4 by id, 4 by text"
    printed = " ".join(terminal.render(result.report, details=True).split())
    assert f"targets {facts['targets']} hits {facts['hits']} rankgate" in printed
    assert f"- hits: `{facts['hits']}`" in markdown.render(result.report)
    assert f'<property name="hits" value="{facts["hits"]}" />' in junit.render(result.report)


def test_a_resumed_run_that_asked_nothing_says_where_its_hits_are_all_the_same(
    suite: Suite, tmp_path: Path
) -> None:
    evaluated(suite, tmp_path)
    manifest = tmp_path / "run" / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "finished": None}))
    again = dict(evaluated(suite, tmp_path, resume=True).report.provenance)
    assert again["hits"].startswith("8 at exact locations")
