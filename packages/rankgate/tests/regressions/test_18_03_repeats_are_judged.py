"""A query that is asked several times is judged by all of its answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.commands import rankgate

SIZE = 6
SUITE = "metrics: [rr]\ngates: ['GATE']\ncases:\n" + "".join(
    f"  - {{query: number {n}, id: d{n}}}\n" for n in range(SIZE)
)
APP = """\
from pathlib import Path
def search(query, k):
    log = Path("asked.txt")
    log.write_text((log.read_text() if log.exists() else "") + query + "/")
    time, right = log.read_text().count(query + "/"), "d" + query.split()[1]
    return [right if {right} else "wrong"]
"""


def project(right: str, gate: str) -> None:
    Path("search.yaml").write_text(SUITE.replace("GATE", gate))
    Path("app.py").write_text(APP.format(right=right))
    Path("rankgate.toml").write_text(
        "suites = ['search.yaml']\n[systems.app]\nfunction = './app.py:search'\n"
    )
    Path("asked.txt").unlink(missing_ok=True)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_right_once_in_five_does_not_pass_nine_in_ten() -> None:
    project("time == 1", "rr >= 0.9")
    done = rankgate("test", "--repeat", "5", "--report", "json=report.json")
    assert done.code == 1
    report = json.loads(Path("report.json").read_text())
    assert report["verdicts"][0]["number"] == pytest.approx(0.2)
    assert "6 of 6 queries flaky, judged by the mean: number-0 (rr@10 0.0000 to 1.0000, mean 0.2000)" in (
        " ".join(done.out.split())
    )
    assert [(one["query"], one["low"], one["high"]) for one in report["flaky"]] == [
        (f"number-{n}", 0.0, 1.0) for n in range(SIZE)
    ]


def test_a_drop_is_judged_on_the_mean_and_noise_leaves_nothing_open() -> None:
    project("True", "drop(rr) < 0.2")
    assert rankgate("test").code == 0
    rankgate("baseline", "set").printed()
    project("time == 1", "drop(rr) < 0.2")
    done = rankgate("test", "--repeat", "2")
    assert (done.code, "0.5000 6 worse" in " ".join(done.out.split())) == (1, True)


@pytest.mark.parametrize(("right", "lost"), [("time > 2", 0), ("time > 3", SIZE)])
def test_a_query_is_lost_that_fewer_than_half_of_the_repeats_find(right: str, lost: int) -> None:
    project("True", "rr >= 0.1")
    assert rankgate("test").code == 0
    rankgate("baseline", "set").printed()
    project(right, "rr >= 0.1")
    done = rankgate("test", "--repeat", "4")
    assert (done.code, f"{lost} of 6 queries lost" in done.out) == (int(lost > 0), True)


def test_a_hard_check_holds_every_time() -> None:
    project("time == 1", "rr >= 0.1")
    Path("search.yaml").write_text(
        "metrics: [rr]\ncases:\n  - {query: number 1, id: d1, top: {id: d1, within: 1}}\n"
    )
    done = rankgate("test", "--repeat", "2")
    assert (done.code, "not found in repeat 2" in done.out) == (1, True)


def test_a_comparison_is_of_the_means() -> None:
    project("True", "rr >= 0.1")
    rankgate("run", "search.yaml", "-s", "app", "-o", "good")
    project("time == 1", "rr >= 0.1")
    rankgate("run", "search.yaml", "-s", "app", "-o", "wavering", "--repeat", "2")
    said = rankgate("compare", "good", "wavering", "--suite", "search.yaml").printed()
    assert "1.0000 0.5000" in " ".join(said.split())
    assert "wavering: asked 2 times, a query's value is its mean" in " ".join(said.split())


def test_a_baseline_keeps_every_time_and_is_compared_by_its_mean() -> None:
    # Right in the first of four and never again: by the first time alone it would be a drop of 1 to nothing.
    project("time == 1", "drop(rr) < 0.1")
    rankgate("test", "--repeat", "4")
    rankgate("baseline", "set").printed()
    head, *lines = map(json.loads, Path("baselines/search.app.jsonl").read_text().splitlines())
    assert head["times"] == 4
    assert [(one["hits"], one["repeats"]) for one in lines] == [
        ([f"d{n}"], [["wrong"]] * 3) for n in range(SIZE)
    ]
    project("False", "drop(rr) < 0.1")
    done = rankgate("test", "--report", "json=report.json")
    drop, lost = json.loads(Path("report.json").read_text())["verdicts"]
    assert (done.code, drop["number"], lost["status"]) == (1, pytest.approx(0.25), "passed")
    shown = rankgate("baseline", "show").printed()
    assert "6 rankings of app, each asked 4 times; a query's value is its mean" in shown
    assert "rr@10 0.2500" in shown
    assert "time 2 of 4" in rankgate("baseline", "show", "--query", "number-0").printed()
    assert "the baseline of app: asked 4 times" in " ".join(
        rankgate("compare", "baseline", "app").out.split()
    )


def test_a_run_folder_is_scored_with_its_repeats() -> None:
    project("time == 1", "rr >= 0.1")
    rankgate("run", "search.yaml", "--repeat", "4", "-o", "kept").printed()
    Path("qrels.txt").write_text("".join(f"number-{n} 0 d{n} 1\n" for n in range(SIZE)))
    done = rankgate("score", "--qrels", "qrels.txt", "--run", "kept", "-m", "rr").printed()
    assert "0.2500" in done
    assert "asked 4 times, a query's value is its mean" in done
