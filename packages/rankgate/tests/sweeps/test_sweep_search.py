"""A search tries some of many combinations, goes on where it was left, and claims by held-out queries."""

from __future__ import annotations

import json
import sys
from contextlib import chdir
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.sweeps.flow import OpenedSweep, SweepOptions, run_sweep
from rankgate.sweeps.searching.search import TrialValue, search
from rankgate.sweeps.searching.space import search_space
from rankgate.sweeps.sweep_file import read_sweep
from support.commands import rankgate
from support.drawn_spaces import SIZES, DrawnSpace

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.sweeps.searching.search import Point
    from rankgate.sweeps.searching.space import SearchSpace

QUERIES, FUNCTIONS = 40, 12
APP = """
import pathlib
ASKED = pathlib.Path(__file__).with_name("asked.txt")

def _found(good, query, k):
    with ASKED.open("a") as file:
        file.write(query + "\\n")
    at = int(query.split()[-1])
    # The better a function, the higher the right page stands; every fifth query is harder.
    shift = max(0, 9 - good + 2 * (at % 5 == 0))
    rest = [f"p{other:02}.md" for other in range(40) if other != at]
    return (rest[:shift] + [f"p{at:02}.md"] + rest[shift:])[:k]

"""
SWEEP = """
metrics = ["rr@10"]
baseline = "function=app:f00, timeout=10"
k = 10
held_out = 0.3
seed = 3
[axes]
function = {functions}
timeout = [10, 20, 30]
[[exclude]]
function = "app:f11"
timeout = 30
"""


def project(folder: Path, held_out: str = "held_out = 0.3") -> Path:
    """Write a project of 36 combinations, of which one is left out."""
    (folder / "docs").mkdir(parents=True)
    for number in range(QUERIES):
        (folder / "docs" / f"p{number:02}.md").write_text(f"# Page {number}\n")
    cases = "".join(f"  - {{query: page {number}, at: p{number:02}.md}}\n" for number in range(QUERIES))
    (folder / "search.yaml").write_text(f"corpus: docs/\nmetrics: [rr@10]\ncases:\n{cases}")
    functions = "".join(
        f"def f{number:02}(query, k):\n    return _found({number}, query, k)\n\n"
        for number in range(FUNCTIONS)
    )
    (folder / "app.py").write_text(APP + functions)
    (folder / "rankgate.toml").write_text(
        'suites = ["search.yaml"]\nsystem = "app"\n[systems.app]\nfunction = "app:f00"\n'
    )
    names = json.dumps([f"app:f{number:02}" for number in range(FUNCTIONS)])
    text = SWEEP.replace("{functions}", names).replace("held_out = 0.3", held_out)
    (folder / "sweep.toml").write_text(text)
    return folder


def searched(folder: Path, trials: int, *options: str) -> dict[str, Any]:
    with chdir(folder):
        said = rankgate("sweep", "--search", str(trials), "--format", "json", *options).printed()
    (found,) = json.loads(said)["sweeps"]
    for row in found["rows"]:
        row["numbers"].pop("index_seconds")
    return dict(found)


def asked(folder: Path) -> int:
    file = folder / "asked.txt"
    return len(file.read_text().splitlines()) if file.exists() else 0


def space_of(folder: Path) -> SearchSpace:
    with chdir(folder):
        opened = OpenedSweep.of(read_sweep(folder / "sweep.toml"), search=True)
    return search_space(opened.sweep, opened.configuration)


def test_a_few_trials_find_a_good_one_and_stop_bad_ones_early(tmp_path: Path) -> None:
    folder = project(tmp_path / "project")
    found = searched(folder, 20)
    # By the functions: from f11 on down, each is worse than the one before.
    assert found["rows"][0]["name"].startswith(("function=app:f11", "function=app:f10", "function=app:f09"))
    assert found["notes"][0].startswith("searched: 20 trials of 36 combinations (seed 3); ")
    stopped = int(found["notes"][0].split("; ")[1].split()[0])
    assert stopped > 0
    assert len(found["rows"]) == 20 - stopped
    # Those that were stopped were asked a quarter of the ranked queries at least, and never all.
    assert asked(folder) < QUERIES * 20 - stopped
    (home,) = (folder / ".rankgate" / "sweeps" / "sweep").iterdir()
    assert len(list((home / "runs").iterdir())) == 20 - stopped
    assert len(list((home / "trials").iterdir())) == stopped


def test_a_search_that_goes_on_is_the_one_that_was_never_stopped(tmp_path: Path) -> None:
    first, second = project(tmp_path / "first"), project(tmp_path / "second")
    searched(first, 5)
    there = asked(first)
    on = searched(first, 12)
    # A project of its own imports its own module.
    sys.modules.pop("app")
    whole = searched(second, 12)
    sys.modules.pop("app")
    assert {row["name"]: row["numbers"] for row in on["rows"]} == {
        row["name"]: row["numbers"] for row in whole["rows"]
    }
    assert on["notes"] == whole["notes"]
    assert there < asked(first) == asked(second)
    (first / "asked.txt").unlink()
    again = searched(first, 12)
    assert asked(first) == 0
    assert again["rows"] == on["rows"]


def test_a_search_claims_nothing_but_by_the_held_out_queries(tmp_path: Path) -> None:
    found = searched(project(tmp_path / "project"), 10)
    assert all(row["mark"] == "" and row["p"] == "" for row in found["rows"])
    winner = found["held_out"]
    assert winner["numbers"][4] <= 0.05
    assert found["headline"] == (
        f"{winner['winner']}, the best of the search, is {winner['measured']} in rr@10: "
        "better than function=app:f00, timeout=10."
    )
    assert "a search claims nothing" in found["family"]


def test_a_search_has_a_page(tmp_path: Path) -> None:
    folder = project(tmp_path / "project")
    with chdir(folder):
        options = SweepOptions(page=True, search=6)
        (page,) = run_sweep(read_sweep(folder / "sweep.toml"), options).pages
    assert page.report.rows[0].finding in {"searched, not tested", ""}
    assert len(page.asked) == QUERIES - _held_out(folder)


def _held_out(folder: Path) -> int:
    (home,) = (folder / ".rankgate" / "sweeps" / "sweep").iterdir()
    assert len(json.loads((home / "held_out.json").read_text())) == 1
    found = searched(folder, 6)
    return int(found["held_out"]["measured"].rpartition(" on ")[2].split()[0])


def test_where_trials_are_enough_every_combination_is_tried_without_optuna(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    space = space_of(project(tmp_path / "project"))
    assert space.size == 36
    tried = search(space, lambda point: TrialValue(float(sum(point))), 35, 1)
    assert sorted(tried) == sorted(space.points())
    assert len(tried) == 35


def test_what_cannot_be_searched_is_refused_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without = project(tmp_path / "without", held_out="")
    with chdir(without):
        said = rankgate("sweep", "--search", "5").refused()
    assert "held_out" in said
    assert "add held_out = 0.3" in said
    folder = project(tmp_path / "project")
    with chdir(folder):
        assert "--only" in rankgate("sweep", "--search", "5", "--only", "f01").refused()
        monkeypatch.setitem(sys.modules, "optuna", None)
        assert "pip install 'rankgate[search]'" in rankgate("sweep", "--search", "5").refused()


def test_a_dry_run_says_how_many_of_how_many(tmp_path: Path) -> None:
    folder = project(tmp_path / "project")
    with chdir(folder):
        said = rankgate("sweep", "--search", "5", "--dry-run").printed()
    assert said.strip() == "5 trials of 36 combinations, in use: function=app:f00, timeout=10"
    assert asked(folder) == 0


def test_a_space_reads_names_knows_numbers_and_leaves_out(tmp_path: Path) -> None:
    space = space_of(project(tmp_path / "project"))
    assert space.ordered == (False, True)
    assert space.named("function=app:f03, timeout=20") == (3, 1)
    assert space.named("function=app:f03, timeout=21") is None
    assert space.variant((3, 1)).name == "function=app:f03, timeout=20"
    assert not space.allows((11, 2))
    assert space.allows((11, 1))


@pytest.mark.parametrize("less", [False, True])
def test_no_combination_is_tried_twice_and_what_fails_is_no_winner(less: bool) -> None:
    pytest.importorskip("optuna")
    space, asked_for = DrawnSpace(1), []

    def measure(point: Point) -> TrialValue:
        asked_for.append(point)
        if point[3] == 0:
            return TrialValue(None)
        return TrialValue(-space.values[point] if less else space.values[point], pruned=point[4] == 0)

    found = search(space, measure, 40, 5, less=less)
    assert len(asked_for) == len(set(asked_for)) == len(found) == 40
    assert all(len(point) == len(SIZES) for point in found)
    whole = {point: one.value for point, one in found.items() if one.value is not None and not one.pruned}
    best = (min if less else max)(whole, key=lambda point: whole[point])
    assert best[3] != 0
    assert best[4] != 0


def test_a_search_reaches_what_chance_seldom_does() -> None:
    pytest.importorskip("optuna")
    space = DrawnSpace(0)
    assert space.share <= 0.01
    # `just bench-search` does so for 20 seeds of five spaces.
    assert sum(space.found(seed, 60) for seed in range(5)) >= 4
    assert search_again(space) == search_again(space)


def search_again(space: DrawnSpace) -> list[Point]:
    return list(search(space, lambda point: TrialValue(space.values[point]), 25, 3))
