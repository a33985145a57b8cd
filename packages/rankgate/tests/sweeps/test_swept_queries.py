"""The report of a sweep says which queries one variant alone finds, and scores all runs at once."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rankgate.project.named_answers import NamedAnswers, compared_pair
from rankgate.reports.sweep import render
from rankgate.runs.store.run_folder import StoredRun
from rankgate.sweeps.comparing.stacked import stacked_comparisons
from rankgate.sweeps.flow import OpenedSweep, SweepOptions, run_sweep
from rankgate.sweeps.sweep_file import read_sweep
from rankgate.truth.locations.resolve import resolve
from support.drawn_sweeps import sweep_project

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.reports.sweep import SweepReport


def reported(folder: Path) -> SweepReport:
    """Sweep a project; its module `app` is that of nobody else."""
    sys.modules.pop("app", None)
    try:
        (report,) = run_sweep(read_sweep(folder / "sweep.toml"), SweepOptions()).reports
    finally:
        sys.modules.pop("app", None)
    return report


def test_runs_that_are_scored_at_once_compare_as_two_alone_do(tmp_path: Path) -> None:
    folder = sweep_project(tmp_path / "project", 8, 30)
    reported(folder)
    asking = OpenedSweep.of(read_sweep(folder / "sweep.toml")).asking(folder / "search.yaml", SweepOptions())
    runs = [StoredRun.open(path) for path in sorted((asking.folder.path / "runs").iterdir())]
    metrics, judgments = ("ndcg@10", "r@10", "judged@10"), resolve(asking.suite, asking.corpus).judgments
    named = [NamedAnswers(run.folder.name, run) for run in runs]
    together = stacked_comparisons(judgments, runs[0], runs[1:], metrics)
    assert len(together) == 7
    for one, other in zip(together, named[1:], strict=True):
        alone, _ = compared_pair(asking.suite, judgments, (named[0], other), metrics)
        for side in ("before", "after"):
            here, there = getattr(one, side), getattr(alone, side)
            assert here.metrics == there.metrics
            assert here.frame().equals(there.frame())
            assert (here.weights == there.weights).all()
            assert here.depth == there.depth
        for name in ("shared", "first_before", "first_after", "changed", "left_out"):
            assert (getattr(one, name) == getattr(alone, name)).all(), name
        assert one.groups == alone.groups
        assert one.hits_after.grades == alone.hits_after.grades
        assert (one.first_after == 0).any()
    # Some of them give the same answers to some queries.
    assert {bool(one.changed.all()) for one in together} == {True, False}


def test_queries_that_one_variant_or_none_finds_are_named(tmp_path: Path) -> None:
    again = '[variants.again]\nset = { function = "app:v003" }\n'
    report = reported(sweep_project(tmp_path / "project", 30, 60, more=again))
    names = [row.name for row in report.rows]
    assert report.rows[names.index("again")].same_as
    # By the project: 7 and 57 are found by none, 21 by the third variant alone.
    missed = {f"how do I use topic {number}" for number in (7, 57)}
    assert missed <= set(report.unanswered)
    alone = {query: one.variant for one in report.alone for query in one.queries}
    assert alone["how do I use topic 21"] == "v002"
    assert not alone.keys() & set(report.unanswered)
    text = render([report], "markdown")
    assert f"## Queries that no variant answers: {len(report.unanswered)}" in text
    assert all(f"- {query}" in text for query in report.unanswered)
    assert "## What each variant alone finds" in text
