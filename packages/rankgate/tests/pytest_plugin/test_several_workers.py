"""Suites with pytest-xdist: which worker runs what, and what is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.pytest_sessions import GOOD, SUITE, Project

if TYPE_CHECKING:
    from pathlib import Path

QUERIES = len(GOOD) + 1


@pytest.mark.parametrize("mode", ["loadfile", "loadscope"])
def test_one_worker_runs_a_whole_suite(tmp_path: Path, mode: str) -> None:
    project = Project.of(tmp_path)
    done = project.run("search.yaml", "-n", "2", "--dist", mode)
    assert done.counts() == {"passed": 7}, done.out
    (asked,) = project.asked()
    assert len(asked) == sum(asked.values()) == QUERIES


def test_each_worker_runs_the_suite_once(tmp_path: Path) -> None:
    project = Project.of(tmp_path)
    done = project.run("search.yaml", "-n", "2")
    assert done.counts() == {"passed": 7}, done.out
    assert done.out.count("search.yaml: rankgate: exit code 0") == 1
    asked = project.asked()
    assert len(asked) <= 2
    assert all(max(one.values()) == 1 for one in asked)


def test_suite_is_a_group_of_loadgroup(tmp_path: Path) -> None:
    project = Project.of(tmp_path)
    done = project.run("search.yaml", "-n", "2", "--dist", "loadgroup", "-v")
    assert done.counts() == {"passed": 7}, done.out
    # pytest-xdist 3.8 does not group with pytest 9.2, whatever is marked; a group is shown in the id.
    assert len(project.asked()) == 1 or "@search.yaml" not in done.out


def test_two_suites_run_on_two_workers(tmp_path: Path) -> None:
    project = Project.of(tmp_path)
    (tmp_path / "other.yaml").write_text(SUITE)
    done = project.run("search.yaml", "other.yaml", "-n", "2", "--dist", "loadfile")
    assert done.counts() == {"passed": 14}, done.out
    assert [sum(one.values()) for one in project.asked()] == [QUERIES, QUERIES]


def test_worker_shows_the_same_failures(tmp_path: Path) -> None:
    project = Project.of(tmp_path, answers={**GOOD, "sign in": ["keys", "login"]})
    (tmp_path / "test_by_hand.py").write_text(
        "def test_rr(rankgate):\n    assert rankgate('search.yaml')['rr'] >= 0.9\n"
    )
    alone = project.run("test_by_hand.py", "search.yaml")
    spread = project.run("test_by_hand.py", "search.yaml", "-n", "1")
    for words in (
        "search.yaml:8: top: login within 1: rank 2",
        "       2  login  ← expected\n",
        "E       assert rr@10 0.750 >= 0.9",
        "- lowest of 4 queries by rr@10 -",
        "FAILED search.yaml::login - top: login within 1: rank 2",
        "search.yaml: rankgate: exit code 1 (a gate failed)",
    ):
        assert words in alone.out, alone.out
        assert words in spread.out, spread.out
