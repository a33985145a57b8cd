"""``rankgate compare``: the results of systems, query by query, and whether one system is better."""

from __future__ import annotations

import shlex
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankgate.cli.options import PATH, announce_suite
from rankgate.errors import Code, InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.model import Suite
    from rankgate.project.named_answers import NamedAnswers
    from rankgate.project.project import Project

_FORMATS = ("terminal", "markdown", "json", "html")
_SUITES = {".yaml", ".yml"}


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="A B... [SUITE]")
@click.option("--suite", "-u", "path", type=PATH, help="The suite; by default the project's.")
@click.option(
    "--metric",
    "-m",
    "metrics",
    multiple=True,
    metavar="EXPR",
    help="Metrics; the first decides. By default the suite's and those of its gates.",
)
@click.option("--format", "style", type=click.Choice(_FORMATS), default="terminal", help="The output format.")
@click.option("--output", "-o", type=PATH, help="Write the report to a file.")
@click.option("--unjudged", type=PATH, help="Write the unjudged results that only one system returned.")
@click.option("--details", is_flag=True, help="Print more queries and the smallest detectable difference.")
@click.option("--ask", is_flag=True, help="Run the queries now, interleaved, and compare latencies as well.")
def compare(
    names: tuple[str, ...],
    path: Path | None,
    metrics: tuple[str, ...],
    style: str,
    output: Path | None,
    unjudged: Path | None,
    details: bool,
    ask: bool,
) -> int:
    """Compare the results of systems, query by query.

    \b
    rankgate compare baseline app       what changed since the baseline
    rankgate compare bm25 hybrid rerank each of the others with the first
    rankgate compare bm25 hybrid --ask  run both now, interleaved, and compare latencies
    rankgate compare bm25 hybrid --format html -o compare.html

    A and B are systems (their latest test), run folders or files, baselines, or the word baseline. If docs is
    a system, ./docs is the folder. A YAML file among them is the suite. Only a difference of the first metric
    can be significant: with several systems, its p value is adjusted by Holm's rule. The exit code is 0,
    whatever differs. Use a gate such as drop(ndcg@10) < 0.05 to fail a test.
    """
    from rankgate.io.records import write_objects
    from rankgate.project.named_answers import compared_answers, compared_metrics
    from rankgate.project.project import OWN, Project
    from rankgate.reports.compare import compare_report
    from rankgate.reports.compare_formats import render
    from rankgate.runs.asking.progress import TerminalProgress

    names, path = _named(names, path)
    project = Project.of(path)
    suite = project.suite(path)
    # The baseline is that of the system beside it; where all others are files, that of the default one.
    other = next((name for name in names if name != OWN and not project.names_file(name)), None)
    wanted = metrics or compared_metrics(suite)
    found = (
        project.asked_in_turn(suite, names, wanted, TerminalProgress())
        if ask
        else _kept(project, suite, names, other)
    )
    compared = compared_answers(suite, project.judgments(suite), found[0], found[1:], wanted)
    report = compare_report(suite.name, suite.cases, compared)
    if unjudged is not None:
        write_objects(unjudged, (asdict(one) for pair in report.pairs for one in pair.unjudged))
    text = render(report, style, details=details)
    if output is None:
        click.echo(text, nl=False)
    else:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text, encoding="utf-8", newline="\n")
    return 0


def _named(names: tuple[str, ...], path: Path | None) -> tuple[tuple[str, ...], Path | None]:
    """Return what to compare, and the suite: the option, or a YAML file among the names.

    Prints the suite if none is given.

    Raises:
        InputError: for two suites, or fewer than two names.
    """
    files = [name for name in names if Path(name).suffix.lower() in _SUITES and Path(name).is_file()]
    suites = [*([] if path is None else [path]), *map(Path, files)]
    if len(suites) > 1:
        found = " and ".join(map(str, suites))
        raise InputError(Code.AMBIGUOUS("rankgate compare", f"{len(suites)} suites ({found})", "one of them"))
    compared = tuple(name for name in names if name not in files)
    if len(compared) < 2:
        found = f"only {' '.join(compared or names)!r}"
        raise InputError(Code.MISSING_OPTION("rankgate compare", found, "two or more"))
    if not suites:
        announce_suite()
    return compared, suites[0] if suites else None


def _kept(project: Project, suite: Suite, names: Sequence[str], other: str | None) -> list[NamedAnswers]:
    """Return the stored results; the error for a system without results names the command with `--ask`."""
    try:
        return [project.answers(suite, name, other) for name in names]
    except InputError as error:
        if error.code is not Code.NO_ANSWERS or any(
            name not in project.configuration.systems for name in names
        ):
            raise
        suite_option = ["--suite", suite.path] if suite.path else []
        call = shlex.join(["rankgate", "compare", *names, *suite_option, "--ask"])
        (problem,) = error.problems
        raise InputError(replace(problem, fix=f"{problem.fix}; or ask now: {call}")) from error
