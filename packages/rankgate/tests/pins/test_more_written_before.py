"""The files of rankgate 0.1.0 that its project in `written_by_0.1.0` does not have.

Suites as JSON Lines and Parquet, scenarios with their answers, parts of a run, a run that failed, a large
baseline. Each is read, or refused with the command that upgrades it.
"""

from __future__ import annotations

import shutil
from contextlib import chdir
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.repository import WRITTEN_BEFORE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    """The project of 0.1.0 with the rest of what it wrote."""
    folder = shutil.copytree(WRITTEN_BEFORE, tmp_path / "project", ignore=shutil.ignore_patterns("results"))
    shutil.copytree(WRITTEN_BEFORE.with_name("more_by_0.1.0"), folder, dirs_exist_ok=True)
    (folder / "results").rename(folder / ".rankgate")
    # As a module among the tests it would be taken for that of the standard library.
    (folder / "numbers.txt").rename(folder / "numbers.py")
    with chdir(folder):
        yield folder


@pytest.mark.parametrize("suite", ["search.jsonl", "search.parquet"])
def test_its_suites_are_read_in_every_format_it_wrote(project: Path, suite: str) -> None:
    done = rankgate("test", suite)
    assert done.code == 0
    (project / "app.py").write_text((project / "app.py").read_text().replace("[:k]", "[3:k]"))
    assert rankgate("test", suite).code == 1


def test_its_scenarios_and_invariants_are_judged(project: Path) -> None:
    done = rankgate("test", "walk.yaml")
    assert done.code == 0
    assert "scenarios = 100%" in done.out


def test_its_answers_to_scenarios_are_compared(project: Path) -> None:
    run = project / ".rankgate" / "walk" / "good" / "run"
    assert (run / "probes" / "manifest.json").is_file()
    assert "1 query compared" in rankgate("compare", run, run, "--suite", "walk.yaml").printed()


def test_its_parts_of_a_run_are_merged(project: Path) -> None:
    done = rankgate("runs", "merge", "parts/1", "parts/2", "-o", "whole")
    assert done.code == 0
    assert "10 queries answered" in done.printed()


def test_a_run_that_failed_is_not_continued_and_the_command_that_is_named_asks_again(project: Path) -> None:
    call = ("run", "search.yaml", "--system", "good", "-o", "interrupted")
    done = rankgate(*call, "--resume")
    assert done.code == 2
    assert "leave --resume out; `rankgate run` takes --replace in its place" in done.err
    assert rankgate(*call, "--replace").code == 0


def _large_suite(project: Path) -> None:
    cases = "".join(f"  - {{query: number {number}, id: d{number}}}\n" for number in range(5001))
    (project / "large.yaml").write_text(f"gates: [lost(1 -> absent@10) = 0]\ncases:\n{cases}")


def test_its_large_baseline_is_shown(project: Path) -> None:
    _large_suite(project)
    shown = rankgate("baseline", "show", "large.yaml", "--system", "./numbers.py:search").printed()
    assert shown.startswith("large: 5,001 rankings of ./numbers.py:search\n")


@pytest.mark.long
def test_its_large_baseline_is_enforced(project: Path) -> None:
    _large_suite(project)
    shown = (project / "numbers.py").read_text()
    (project / "numbers.py").write_text(shown.replace("return [", 'return [] if " 17" in query else ['))
    done = rankgate("test", "large.yaml", "--system", "./numbers.py:search")
    assert done.code == 1
    assert "111 of 5,001 queries lost" in done.out
