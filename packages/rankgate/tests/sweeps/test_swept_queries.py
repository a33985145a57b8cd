"""The report of a sweep names the queries that one variant alone finds, and those that none finds."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rankgate.reports.sweep import render
from rankgate.sweeps.flow import SweepOptions, run_sweep
from rankgate.sweeps.sweep_file import read_sweep
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


def test_queries_that_one_variant_or_none_finds_are_named(tmp_path: Path) -> None:
    again = '[variants.again]\nset = { function = "app:v003" }\n'
    report = reported(sweep_project(tmp_path / "project", 30, 60, more=again))
    names = [row.name for row in report.rows]
    assert report.rows[names.index("again")].same_as
    # By the project: 7 and 57 are found by none, 21 by the third variant alone.
    missed = {f"how do I use topic {number}" for number in (7, 57)}
    assert missed <= set(report.unanswered)
    alone = {query: variant for variant, found in report.alone.items() for query in found}
    assert alone["how do I use topic 21"] == "v002"
    assert not alone.keys() & set(report.unanswered)
    text = render([report], "markdown")
    assert f"## Queries that no variant answers: {len(report.unanswered)}" in text
    assert all(f"- {query}" in text for query in report.unanswered)
    assert "## What each variant alone finds" in text
