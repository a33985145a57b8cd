"""The page of a small sweep, for a browser to open: some costs, a variant that is the same as another."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path

from rankgate.reports.page.document import own_assets
from rankgate.reports.sweep_page.model import SweepPage, render_sweep
from rankgate.sweeps.flow import SweepOptions, run_sweep
from rankgate.sweeps.page import cost_charts
from rankgate.sweeps.sweep_file import read_sweep
from support.drawn_sweeps import sweep_project

AGAIN = '[variants.again]\nset = { function = "app:v003" }\n'
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "\u202ereversed & \"quoted\" 'names'",
)
VARIANTS, QUERIES = 30, 60


def swept(folder: Path) -> SweepPage:
    """Sweep a project, and return its page; its module `app` is that of nobody else."""
    sys.modules.pop("app", None)
    try:
        (page,) = run_sweep(read_sweep(folder / "sweep.toml"), SweepOptions(page=True)).pages
    finally:
        sys.modules.pop("app", None)
    return page


@cache
def sample() -> SweepPage:
    """A page of 30 variants and one that is the same as another, with latency and tokens."""
    with tempfile.TemporaryDirectory() as room:
        page = swept(sweep_project(Path(room) / "project", VARIANTS, QUERIES, more=AGAIN))
    return with_costs(page)


@cache
def hostile() -> SweepPage:
    """A page whose names and queries are markup."""
    with tempfile.TemporaryDirectory() as room:
        folder = Path(room) / "project"
        asked = "<script>alert(3)</script> <b onmouseover=alert(4)>topic</b>"
        return with_costs(swept(sweep_project(folder, 4, 24, names=HOSTILE, asked=asked)))


def with_costs(page: SweepPage) -> SweepPage:
    """The same, with a latency and a number of tokens for each variant."""
    rows = tuple(
        replace(
            row, numbers=replace(row.numbers, latency=12.5 + (7 * at) % 11, tokens=900.0 + 150 * (at % 5))
        )
        for at, row in enumerate(page.report.rows)
    )
    report = replace(page.report, rows=rows)
    return replace(page, report=report, costs=tuple(cost_charts(report, less=page.metric.less)))


def swept_page(folder: Path, *pages: SweepPage) -> Path:
    """Write pages, or the sample, to a file."""
    path = folder / "sweep.html"
    path.write_text(render_sweep(pages or (sample(),), own_assets()), encoding="utf-8")
    return path
