"""Baselines from `baseline set` to `test` and `compare`, over one project."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.topics import APP, SYSTEM, lose, topics_project

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def kept(folder: Path, many: int = 48, gates: str = "drop(ndcg@10) < 0.1", more: str = "") -> list[str]:
    """A project whose search finds everything, and its baseline."""
    names = topics_project(folder, many, gates, more)
    assert rankgate("test").code == 0
    assert "search.app.jsonl" in rankgate("baseline", "set").printed()
    return names


def edited(folder: Path, old: str, new: str) -> None:
    file = folder / "search.yaml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


def test_added_judgment_is_scored_in_the_baseline_too(project: Path) -> None:
    names = kept(project)
    # A second target that the search finds late: the value falls, for the baseline as well.
    edited(project, f"at: {names[0]}}}", f"at: {{{names[0]}: 1, {names[9]}: 3}}}}")
    done = rankgate("test")
    assert done.code == 0
    assert "ndcg@10 0.990 (baseline 0.990) · 0 improved, 0 regressed" in done.out


def test_on_inconclusive_is_fail_or_warn(project: Path) -> None:
    topics_project(project, 2)
    file = project / "rankgate.toml"
    file.write_text(f'on_inconclusive = "perhaps"\n{file.read_text()}')
    done = rankgate("test")
    assert done.code == 2
    assert "expected `fail` or `warn`" in done.err


def test_drop_of_repeats_is_that_of_their_mean(project: Path) -> None:
    names = kept(project, gates="'drop(ndcg@10) < 0.05', 'lost@10 <= 3'")
    lose(project, *names[:3])
    once = "wanted in lost and not (query in SEEN or SEEN.add(query)) else"
    (project / "app.py").write_text("SEEN = set()\n" + APP.replace("wanted in lost else", once))
    varied = rankgate("test", "--repeat", "2")
    assert varied.code == 0
    assert "ndcg@10 0.969 (baseline 1.000)" in varied.out
    assert rankgate("test").code == 1


def test_the_same_answers_make_the_same_bytes(project: Path) -> None:
    kept(project)
    file = project / "baselines" / "search.app.jsonl"
    first = file.read_bytes()
    rankgate("test")
    rankgate("baseline", "set")
    assert file.read_bytes() == first
    assert len(first.splitlines()) == 1 + 48


def test_a_system_comes_before_a_folder_of_its_name_and_a_baseline_is_that_of_the_default(
    project: Path,
) -> None:
    kept(project)
    (project / "app").mkdir()
    by_name = rankgate("compare", "baseline", "app").printed()
    assert "48 queries compared" in by_name
    (project / "app").rmdir()
    run = project / ".rankgate" / "search" / "app" / "run"
    assert "48 queries compared" in rankgate("compare", "baseline", str(run)).printed()
    assert "manifest.json" in rankgate("compare", "baseline", str(project / ".rankgate")).refused()


def test_systems_that_are_asked_in_turn_are_compared_by_their_latency_too(project: Path) -> None:
    topics_project(project, 12)
    with (project / "rankgate.toml").open("a") as file:
        file.write('[systems.slow]\nfunction = "./slow.py:search"\n')
    slow = "import time\n" + APP.replace(
        "def search(query, k):", "def search(query, k):\n    time.sleep(0.01)"
    )
    (project / "slow.py").write_text(slow)
    found = json.loads(rankgate("compare", "app", "slow", "--ask", "--format", "json").printed())
    row = found["pairs"][0]["metrics"][1]
    assert row["metric"] == "latency.mean"
    assert row["difference"] > 9
    assert (row["losses"], row["wins"], row["finding"], row["primary"]) == (12, 0, "worse", False)


def test_compare_refuses_answers_to_another_corpus_or_suite(project: Path) -> None:
    kept(project)
    edited(project, "query: about topic000", "query: what about topic000")
    assert "no answer to 1 query" in rankgate("compare", "baseline", "app").refused()
    (project / "docs" / "topic001.md").write_text("# Rewritten\n")
    assert "another state of the corpus" in rankgate("compare", "baseline", "app").refused()


def test_new_hits_that_nobody_judged_are_queued(project: Path) -> None:
    names = kept(project)
    lose(project, names[0])
    rankgate("test")
    rankgate("compare", "baseline", "app", "--unjudged", project / "queue.jsonl").printed()
    queue = [json.loads(line) for line in (project / "queue.jsonl").read_text().splitlines()]
    assert queue == [
        {
            "case": "about-topic000",
            "query": "about topic000",
            "rank": 10,
            "location": "topic010.md",
            "side": "after",
        }
    ]


def test_gate_against_an_unknown_system_names_systems(project: Path) -> None:
    topics_project(project, 6, "'drop(ndcg@10) < 0.1 against mian'")
    with (project / "rankgate.toml").open("a") as file:
        file.write(SYSTEM.format(name="main"))
    done = rankgate("test", "-s", "app")
    assert done.code == 2
    assert "compares with 'mian', which is no system and has no baseline. Known: app, main." in done.err
    assert not (project / ".rankgate" / "search" / "app" / "run").exists()
