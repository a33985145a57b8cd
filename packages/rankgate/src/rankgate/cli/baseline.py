"""``rankgate baseline``: keep the rankings of a system, to hold later ones against them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rankgate.cli.options import run_option, suites_argument, system_option

if TYPE_CHECKING:
    from pathlib import Path


@click.group()
def baseline() -> None:
    """Keep what a system finds today, to hold tomorrow against it."""


@baseline.command("set")
@suites_argument
@system_option
@run_option
def set_(suites: tuple[Path, ...], system: str | None, folder: Path | None) -> int:
    """Keep the rankings of the latest test as the baseline.

    \b
    rankgate test search.yaml
    rankgate baseline set search.yaml

    It is a file to commit. Gates such as drop(ndcg@10) < 0.05 and noninferior(ndcg@10) within 0.02 compare
    with it, and once it is there no query may be lost.
    """  # noqa: D301 - click wants the character itself
    from rankgate.evaluation.baselines import make_baseline
    from rankgate.evaluation.configuration import shortest
    from rankgate.evaluation.project.project import Project

    project = Project.here()
    for suite in project.suites(suites):
        kept = project.baselines(suite, system)
        deep = project.depth(suite, kept.system)
        path = make_baseline(kept, project.latest_run(suite, kept.system, folder, deep))
        click.echo(f"{shortest(path.resolve())}: the rankings of {kept.system} on {suite.name}; commit it")
    return 0


@baseline.command()
@suites_argument
@system_option
@click.option("--query", "-q", metavar="ID", help="Show the ranking of one query.")
def show(suites: tuple[Path, ...], system: str | None, query: str | None) -> int:
    """Show what a baseline is of, and what it scores under today's judgments."""
    from rankgate.evaluation.project.project import Project
    from rankgate.reports.answers import baseline_lines, ranking_lines

    project = Project.here()
    for suite in project.suites(suites):
        kept, judgments = project.baseline(suite, system), project.judgments(suite)
        lines = baseline_lines(kept, suite, judgments) if query is None else ranking_lines(kept, query)
        click.echo("\n".join(lines))
    return 0
