"""``rankgate test``: ask, score, judge and report, in one go."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankgate.cli import github
from rankgate.cli.options import asking_of, asking_options, exit_codes, suites_argument, systems_option
from rankgate.errors import ExitCode, InputError, Problem, RankgateError
from rankgate.reports.evaluation.formats import FORMATS, PAGES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.evaluation.evaluation import Evaluation
    from rankgate.evaluation.results import ResultFolder
    from rankgate.reports.evaluation.report import EvaluationReport

_SUITE, _SYSTEM = "{suite}", "{system}"
"""What stands for the name of a suite and of a system in the name of a file."""


@click.command()
@suites_argument
@systems_option
@click.option(
    "--metric", "-m", "metrics", multiple=True, metavar="EXPR", help="Metrics in place of the suite's."
)
@click.option(
    "--report",
    "-o",
    "reports",
    multiple=True,
    metavar="FORMAT=FILE",
    help=f"Write it to a file, too: {', '.join((*FORMATS, *PAGES))}. May be repeated.",
)
@click.option("--timings", is_flag=True, help="Show where the time went.")
@asking_options
@exit_codes(
    ExitCode.PASSED,
    ExitCode.GATE_FAILED,
    ExitCode.WRONG_CALL,
    ExitCode.SYSTEM_FAILED,
    ExitCode.INCONCLUSIVE,
)
def test(
    suites: tuple[Path, ...],
    systems: tuple[str, ...],
    metrics: tuple[str, ...],
    reports: tuple[str, ...],
    timings: bool,
    **options: Any,
) -> int:
    """Ask a system every query of a suite, and say pass or fail with a reason.

    \b
    rankgate test
    rankgate test search.yaml --system app.search:search
    rankgate test --system bm25 --system hybrid

    With several suites or systems each pair is tested, and the worst exit code counts.
    """  # noqa: D301 - click wants the character itself
    from rankgate.evaluation.configuration import find_configuration

    chosen = suites or find_configuration(Path.cwd()).chosen_suites(suites)
    named = tuple(dict.fromkeys(systems)) or (None,)
    files = _report_files(reports, len(chosen), len(named))
    results: list[Evaluation] = []
    errors: list[RankgateError] = []
    try:
        for path, system in product(chosen, named):
            try:
                result, folder = _evaluate(path, system, metrics, options, timings=timings)
            except RankgateError as error:
                # What is wrong with one suite or system says nothing about the others.
                github.tell_error(error)
                errors.append(error)
                continue
            results.append(result)
            told = _told(result.report, folder, several=len(named) > 1)
            click.echo(("\n" if len(results) > 1 else "") + told, nl=False)
            _write(files, [result.report for result in results])
            _copy_page(files, folder)
    finally:
        github.tell([result.report for result in results], [path for _, path in files])
    code = ExitCode.worst([*(result.exit_code for result in results), *(error.exit_code for error in errors)])
    if errors:
        raise _together(errors, code)
    return int(code)


def _together(errors: Sequence[RankgateError], code: ExitCode) -> RankgateError:
    """Make one error of several, for a command that ends with a code."""
    worst = next((error for error in errors if error.exit_code == code), None)
    if worst is not None and len(errors) == 1:
        return worst
    kind = InputError if worst is None else type(worst)
    return kind("\n".join(dict.fromkeys(map(str, errors))))


def _evaluate(
    path: Path,
    system: str | None,
    metrics: tuple[str, ...],
    options: dict[str, Any],
    *,
    timings: bool,
) -> tuple[Evaluation, ResultFolder]:
    from rankgate.evaluation.configuration import configuration_for
    from rankgate.evaluation.flow import Stopwatch, import_stages, run_evaluation
    from rankgate.evaluation.project.opening import opened
    from rankgate.evaluation.results import ResultFolder
    from rankgate.evaluation.settings import settings_of
    from rankgate.runs.store.run_folder import locked
    from rankgate.suites.formats import load_suite

    watch = Stopwatch()
    with watch.stage("import"):
        import_stages()
    with watch.stage("read"):
        suite, configuration = load_suite(path), configuration_for(path)
        entry = configuration.entry(system)
    folder = ResultFolder.made(configuration.root, suite, entry.name)
    asking = asking_of(entry, options, folder.run, "replace", configuration.root)
    settings = replace(
        settings_of(entry, suite, asking, configuration.corpus_root), metrics=metrics, timings=timings
    )
    with ExitStack() as stack:
        # Until the reports are written: another test of the same pair would replace what is being scored.
        stack.enter_context(locked(folder.path))
        folder.begin()
        with watch.stage("open"):
            asked = stack.enter_context(opened(entry, configuration.root))
        result = run_evaluation(suite, asked, settings, watch)
        folder.write(result)
    return result, folder


def _told(report: EvaluationReport, folder: ResultFolder, *, several: bool) -> str:
    """Lay the report out, with where its page is from here; of several systems, with which it is of."""
    from rankgate.reports.evaluation.terminal import render
    from rankgate.reports.text.printable import printable

    if several:
        report = replace(report, title=f"{report.title}, {report.system}")
    return render(report, page=printable(os.path.relpath(folder.page)))


def _report_files(reports: tuple[str, ...], suites: int, systems: int) -> list[tuple[str, Path]]:
    files = []
    for report in reports:
        style, given, path = report.partition("=")
        if not given or style not in (*FORMATS, *PAGES) or not path:
            known = f"{', '.join((*FORMATS, *PAGES))}, as in junit=rankgate.xml"
            raise InputError(Problem("--report", repr(report), f"FORMAT=FILE with one of {known}"))
        for several, noun, mark in ((suites, "suite", _SUITE), (systems, "system", _SYSTEM)):
            if style in PAGES and several > 1 and mark not in path:
                fix = f"a page has one {noun}: write {mark} for its name, as in {style}=reports/{mark}.html"
                found = f"{report!r} and {several} {noun}s"
                raise InputError(Problem("--report", found, f"{mark} in FILE", fix))
        files.append((style, Path(path)))
    return files


def _write(files: Sequence[tuple[str, Path]], reports: Sequence[EvaluationReport]) -> None:
    """Write the reports asked for, of all that was tested so far."""
    from rankgate.cli.report import write_report
    from rankgate.reports.evaluation.formats import laid_out

    for style, path in files:
        if style in FORMATS:
            write_report(path, laid_out(style, reports, path_of=github.Repository().path_of))


def _copy_page(files: Sequence[tuple[str, Path]], folder: ResultFolder) -> None:
    """Copy the page of an evaluation to where it was asked for."""
    import shutil

    for style, path in files:
        if style in PAGES:
            # The names of folders hold no braces.
            suite, system = folder.path.parent.name, folder.path.name
            target = Path(str(path).replace(_SUITE, suite).replace(_SYSTEM, system))
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder.page, target)
