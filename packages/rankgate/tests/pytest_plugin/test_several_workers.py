"""With pytest-xdist: how often the system is asked in each mode. No process asks a query twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.pytest_sessions import GOOD, SUITE, Project

if TYPE_CHECKING:
    from pathlib import Path

QUERIES = len(GOOD) + 1
CASES_ALONE = SUITE.replace("gates:\n  - rr >= 0.5\n  - hit@10 >= 0.9\n", "")


@pytest.mark.parametrize("mode", ["loadfile", "loadscope"])
def test_one_worker_does_a_whole_suite_where_items_stay_together(tmp_path: Path, mode: str) -> None:
    project = Project.of(tmp_path)
    done = project.run("search.yaml", "-n", "2", "--dist", mode)
    assert done.counts() == {"passed": 7}, done.out
    (asked,) = project.asked()
    assert len(asked) == sum(asked.values()) == QUERIES


def test_each_worker_asks_only_the_cases_it_runs(tmp_path: Path) -> None:
    project = Project.of(tmp_path, CASES_ALONE)
    done = project.run("search.yaml", "-n", "2", "-k", "not nothing")
    assert done.counts() == {"passed": 4}, done.out
    assert sum(sum(asked.values()) for asked in project.asked()) == QUERIES - 1


def test_the_worker_that_ends_a_suite_asks_what_its_verdict_needs(tmp_path: Path) -> None:
    project = Project.of(tmp_path, CASES_ALONE)
    done = project.run("search.yaml", "-n", "2")
    assert done.counts() == {"passed": 5}, done.out
    assert done.out.count("search.yaml: rankgate: exit code 0") == 1
    assert QUERIES <= sum(sum(asked.values()) for asked in project.asked()) <= 2 * QUERIES


def test_a_worker_that_runs_a_gate_asks_what_it_has_not_asked(tmp_path: Path) -> None:
    project = Project.of(tmp_path)
    done = project.run("search.yaml", "-n", "2")
    assert done.counts() == {"passed": 7}, done.out
    asked = project.asked()
    assert all(max(one.values()) == 1 for one in asked)
    assert QUERIES <= sum(sum(one.values()) for one in asked) <= 2 * QUERIES


def test_a_suite_is_a_group_where_pytest_xdist_groups(tmp_path: Path) -> None:
    project = Project.of(tmp_path)
    done = project.run("search.yaml", "-n", "2", "--dist", "loadgroup", "-v")
    assert done.counts() == {"passed": 7}, done.out
    asked = project.asked()
    assert all(max(one.values()) == 1 for one in asked)
    # pytest-xdist 3.8 does not group with pytest 9.2, whatever is marked; a group shows in the id.
    assert len(asked) == 1 or "@search.yaml" not in done.out


def test_the_items_of_two_suites_go_to_two_workers(tmp_path: Path) -> None:
    project = Project.of(tmp_path)
    (tmp_path / "other.yaml").write_text(SUITE)
    done = project.run("search.yaml", "other.yaml", "-n", "2", "--dist", "loadfile")
    assert done.counts() == {"passed": 14}, done.out
    assert [sum(one.values()) for one in project.asked()] == [QUERIES, QUERIES]


def test_failures_read_the_same_from_a_worker(tmp_path: Path) -> None:
    project = Project.of(tmp_path, answers={**GOOD, "retry webhooks": ["keys", "login"]})
    (tmp_path / "test_by_hand.py").write_text(
        "def test_rr(rankgate):\n    assert rankgate('search.yaml')['rr'] >= 0.9\n"
    )
    alone = project.run("test_by_hand.py", "search.yaml::hooks")
    spread = project.run("test_by_hand.py", "search.yaml::hooks", "-n", "1")
    for words in (
        "E   nothing relevant was found",
        "search.yaml:7: nothing relevant was found",
        "1  keys\n",
        "–  hooks  ← expected, not in the top 2",
        "E       assert rr@10 0.6250 >= 0.9",
        "- the worst 2 of 4 queries by rr@10 -",
        "FAILED search.yaml::hooks - nothing relevant was found",
    ):
        assert words in alone.out, alone.out
        assert words in spread.out, spread.out


def test_what_was_left_out_is_told_by_workers_too(tmp_path: Path) -> None:
    project = Project.of(tmp_path)
    done = project.run("search.yaml", "-n", "2", "-k", "not login")
    assert done.out.count("search.yaml: 2 gates left out: 4 of 5 cases are selected") == 1
