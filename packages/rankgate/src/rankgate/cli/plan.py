"""``rankgate plan``: what a suite can show, before any system is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rankgate.cli.options import exit_codes, format_option, suites_argument, system_option
from rankgate.errors import ExitCode

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@suites_argument
@system_option
@click.option(
    "--drop",
    "drops",
    multiple=True,
    type=click.FloatRange(min=0, min_open=True),
    metavar="D",
    help="A drop that should be seen; may be repeated.  [default: 0.02, 0.05, 0.1]",
)
@click.option(
    "--power",
    type=click.FloatRange(0.5, 0.99),
    default=0.8,
    show_default=True,
    metavar="P",
    help="In what share of comparisons.",
)
@click.option(
    "--from",
    "sources",
    multiple=True,
    metavar="NAME",
    help="A system (its latest test), a run, a file, or the word baseline; two are compared.",
)
@format_option("terminal", "json", words="How to show it.")
@exit_codes(ExitCode.PASSED, ExitCode.WRONG_CALL)
def plan(
    suites: tuple[Path, ...],
    system: str | None,
    drops: tuple[float, ...],
    power: float,
    sources: tuple[str, ...],
    style: str,
) -> int:
    """Say how many queries it takes to see a drop, and what the gates of a suite can claim.

    \b
    rankgate plan search.yaml
    rankgate plan search.yaml --drop 0.03 --power 0.9
    rankgate plan --from baseline               drops by what each query had to lose
    rankgate plan --from baseline --from app    and by how much answers moved since

    No system is asked. Without --from it is assumed that a drop comes from queries that are lost whole
    while nothing else changes; what is assumed is the first thing that is printed.
    """
    from rankgate.evaluation.project.planning import DROPS, PlanRequest, plan_suite
    from rankgate.evaluation.project.project import projects
    from rankgate.reports.suite.plan import plan_json
    from rankgate.reports.suite.plan_terminal import render

    request = PlanRequest(tuple(sorted(set(drops))) or DROPS, power, sources)
    found = [plan_suite(project, suite, system, request) for project, suite in projects(suites)]
    click.echo(plan_json(found) if style == "json" else render(found), nl=False)
    return 0
