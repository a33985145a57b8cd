"""``rankgate baseline``: keep the rankings of a system, to hold later ones against them."""

from __future__ import annotations

from pathlib import Path

import click

from rankgate.cli.options import echo_names, run_option, suites_argument, system_option


@click.group()
def baseline() -> None:
    """Keep what a system finds today, to hold tomorrow against it."""


@baseline.command("set")
@suites_argument
@system_option
@run_option
@click.option("--failed", is_flag=True, help="Take a run whose test did not pass.")
def set_(suites: tuple[Path, ...], system: str | None, folder: Path | None, failed: bool) -> int:
    """Keep the rankings of the latest test as the baseline.

    \b
    rankgate test search.yaml
    rankgate baseline set search.yaml

    It is a file to commit. Gates such as drop(ndcg@10) < 0.05 compare with it, and once it is there no query
    may be lost. The configuration then says require_baseline, so that a test without a baseline is an error.
    """
    from rankgate.model.wording import shortest
    from rankgate.project.baseline_set import KEY, refuse_red, require_baselines
    from rankgate.project.baselines.kept import make_baseline
    from rankgate.project.project import projects

    for project, suite in projects(suites):
        kept = project.baselines(suite, system)
        run = project.latest_run(suite, kept.system, folder)
        if not failed:
            tested = project.results(suite, kept.system).path if folder is None else folder.resolve().parent
            refuse_red(tested, kept.test_command)
        again, judgments = project.repeats(suite, run), project.judgments(suite)
        path = make_baseline(kept, run, again, judgments, project.corpus(suite))
        echo_names(f"{shortest(path.resolve())}: the rankings of {kept.system} on {suite.name}; commit it")
        if require_baselines(project.configuration):
            file = shortest(project.configuration.path or Path())
            echo_names(f"{file}: {KEY} = true, so that a test without a baseline is an error; commit it")
    return 0


@baseline.command()
@suites_argument
@system_option
@click.option("--query", "-q", metavar="ID", help="Show the ranking of one query.")
def show(suites: tuple[Path, ...], system: str | None, query: str | None) -> int:
    """Show what a baseline is of, and what it scores under today's judgments."""
    from rankgate.project.project import projects
    from rankgate.reports.answers import baseline_lines, ranking_lines

    for project, suite in projects(suites):
        kept, judgments = project.baseline(suite, system), project.judgments(suite)
        lines = baseline_lines(kept, suite, judgments) if query is None else ranking_lines(kept, query)
        click.echo("\n".join(lines))
    return 0
