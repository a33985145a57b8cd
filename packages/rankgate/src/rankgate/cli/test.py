"""``rankgate test``: ask, score, judge and report, in one go."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankgate.cli import github
from rankgate.cli.options import (
    asking_of,
    asking_options,
    exit_codes,
    suites_argument,
    systems_option,
)
from rankgate.errors import Code, CrashedError, ExitCode, InputError, RankgateError
from rankgate.reports.evaluation.formats import FORMATS, PAGES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.project.evaluation import Evaluation
    from rankgate.project.results import ResultFolder
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
@click.option(
    "--details",
    "-v",
    is_flag=True,
    envvar="RANKGATE_DETAILS",
    help="Print metrics, comparison, queries and advice as well.",
)
@github.report_url_option
@click.option("--timings", is_flag=True, help="Show where the time went.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help="A quick look at the first N cases: no gate is enforced, nothing is kept.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="PATTERN",
    help="A quick look at some cases, by id, tag, a glob such as 'keys-*' or words of the query.",
)
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
    reports: tuple[str, ...],
    **options: Any,
) -> int:
    """Ask a system every query of a suite, and say pass or fail with a reason.

    \b
    rankgate test
    rankgate test search.yaml --system app.search:search
    rankgate test --system bm25 --system hybrid
    rankgate test --limit 5
    rankgate test --only "rotate key"

    With several suites or systems each pair is tested, and the worst exit code counts.
    With --limit or --only it is a quick look: exit code 0, or 3 where the system fails.
    """
    from rankgate.cli.stages.quick_look import selection_of, suites_with_cases

    named = tuple(dict.fromkeys(systems)) or (None,)
    try:
        chosen = _chosen(suites, reports)
        files = _report_files(reports, len(chosen), len(named))
        looked = selection_of(options, reports)
        chosen = suites_with_cases(chosen, looked)
    except RankgateError as error:
        from rankgate.reports.evaluation.refused import refused_report

        return _show_refused(refused_report("rankgate", "".join(systems[:1]), error), error)
    return _test_each(list(product(chosen, named)), options, files, quick=bool(looked))


def _test_each(
    pairs: Sequence[tuple[Path, str | None]],
    options: dict[str, Any],
    files: Sequence[tuple[str, Path]],
    *,
    quick: bool,
) -> int:
    """Test each pair of a suite and a system, and return the worst exit code."""
    from rankgate.cli.stages.quick_look import look

    told: list[EvaluationReport] = []
    judged: list[EvaluationReport] = []
    try:
        for path, system in pairs:
            try:
                asked = (path, system, options["metrics"], options)
                result, folder = (look if quick else _evaluate)(*asked, timings=options["timings"])
                judged.append(result.report)
                told.append(result.report)
                words = _told(result.report, folder, details=options["details"])
                click.echo(("\n" if len(judged) > 1 else "") + words, nl=False)
                _write(files, told)
                if folder is not None:
                    _copy_page(files, folder)
            except BaseException as error:
                if _refuse(path, system, files, told, error, keep=not quick) is None:
                    raise
                if not isinstance(error, RankgateError):
                    # After a crash nothing more is asked; an error of one pair says nothing about the others.
                    break
    finally:
        github.tell(judged, [path for _, path in files], told)
    return int(ExitCode.worst(report.exit_code for report in told))


def _chosen(suites: tuple[Path, ...], reports: tuple[str, ...]) -> Sequence[Path]:
    """Return the suites to test; where there are none, the reports asked for say so."""
    from rankgate.project.configuration import find_configuration

    try:
        return suites or find_configuration(Path.cwd()).chosen_suites(suites)
    except RankgateError as error:
        _write_refused(Path("rankgate"), None, _report_files(reports, 1, 1), [], error)
        raise


def _refuse(
    path: Path,
    system: str | None,
    files: Sequence[tuple[str, Path]],
    told: list[EvaluationReport],
    error: BaseException,
    *,
    keep: bool,
) -> ExitCode | None:
    """Say why nothing was judged, in every report asked for, so that no older one stays, and on the terminal.

    None where the command was stopped, or nobody reads what it prints: that is told elsewhere.
    """
    from rankgate.project.stopped import shown_error

    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        _write_refused(path, system, files, told, ExitCode.INTERRUPTED, keep=keep)
        return None
    shown = shown_error(error)
    _write_refused(path, system, files, told, shown, keep=keep)
    if isinstance(error, BrokenPipeError):
        return None
    _show_refused(told[-1], shown)
    return shown.exit_code


def _show_refused(report: EvaluationReport, error: RankgateError) -> int:
    """Print the first screen of what came to no verdict where errors are printed; of a crash all there is."""
    from rankgate.reports.evaluation.terminal import render

    github.tell_error(error)
    words = render(report, stream=sys.stderr)
    if isinstance(error, CrashedError) and error.found:
        words += f"\n{error.found}\n"
    click.echo(words, nl=False, err=True)
    return int(error.exit_code)


def _write_refused(
    path: Path,
    system: str | None,
    files: Sequence[tuple[str, Path]],
    told: list[EvaluationReport],
    error: RankgateError | ExitCode,
    *,
    keep: bool = True,
) -> None:
    """Write the reports asked for, with one more that says why nothing was judged."""
    from rankgate.cli.stages.report import write_report
    from rankgate.model.file_names import file_name
    from rankgate.project.results import ResultFolder, refused_page
    from rankgate.reports.evaluation.refused import refused_report

    name = system or _usual_system(path)
    told.append(refused_report(path.stem, name, error, str(path) if path.is_file() else ""))
    _write(files, told)
    if keep:
        ResultFolder.refuse_kept(path, told[-1], error)
    for style, page in files:
        if style in PAGES:
            # The names that a test which came to a verdict would have written to.
            target = str(page).replace(_SUITE, file_name(_key(path)))
            target = target.replace(_SYSTEM, file_name(name or "system"))
            write_report(Path(target), refused_page(told[-1]))


def _key(path: Path) -> str:
    """Return what a suite is called among all suites of its project, whether or not it can be read."""
    from rankgate.project.configuration import configuration_for
    from rankgate.project.results import path_key

    try:
        return path_key(path, configuration_for(path).root)
    except RankgateError:
        return path.stem


def _usual_system(path: Path) -> str:
    """Return the system that is tested where none is named, so that a comment on it is found again."""
    from rankgate.project.configuration import configuration_for

    try:
        return configuration_for(path).entry(None).name
    except RankgateError:
        # No configuration says it, or it is what is wrong.
        return ""


def _evaluate(
    path: Path,
    system: str | None,
    metrics: tuple[str, ...],
    options: dict[str, Any],
    *,
    timings: bool,
) -> tuple[Evaluation, ResultFolder]:
    from rankgate.evaluation.flow import Stopwatch, import_stages, run_evaluation
    from rankgate.project.configuration import configuration_for
    from rankgate.project.opening import opened
    from rankgate.project.results import ResultFolder
    from rankgate.project.settings import settings_of
    from rankgate.runs.store.run_folder import locked
    from rankgate.suites.asked_suite import asked_suite
    from rankgate.suites.formats import load_suite

    watch = Stopwatch()
    with watch.stage("import"):
        import_stages()
    with watch.stage("read"):
        suite, configuration = asked_suite(load_suite(path)), configuration_for(path)
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
        try:
            with watch.stage("open"):
                opening = opened(entry, configuration.root, suite, configuration.corpus_root)
                asked = stack.enter_context(opening)
            result = run_evaluation(suite, asked, settings, watch)
        except RankgateError as error:
            from rankgate.model import SuiteVerdict
            from rankgate.reports.evaluation.refused import refused_report

            folder.refuse(
                refused_report(suite.name, entry.name, error, str(path)), SuiteVerdict.refused(error)
            )
            raise
        folder.write(result)
    return result, folder


def _told(report: EvaluationReport, folder: ResultFolder | None, *, details: bool) -> str:
    """Lay the report out, with where its page is from here."""
    from rankgate.reports.evaluation.terminal import render
    from rankgate.reports.text.printable import printable

    page = "" if folder is None else printable(os.path.relpath(folder.page))
    return render(report, page=page, details=details)


def _report_files(reports: tuple[str, ...], suites: int, systems: int) -> list[tuple[str, Path]]:
    files = []
    for report in reports:
        style, given, path = report.partition("=")
        if not given or style not in (*FORMATS, *PAGES) or not path:
            known = f"{', '.join((*FORMATS, *PAGES))}, as in junit=rankgate.xml"
            raise InputError(Code.WRONG_OPTION("--report", repr(report), f"FORMAT=FILE with one of {known}"))
        for several, noun, mark in ((suites, "suite", _SUITE), (systems, "system", _SYSTEM)):
            if style in PAGES and several > 1 and mark not in path:
                fix = f"a page has one {noun}: write {mark} for its name, as in {style}=reports/{mark}.html"
                found = f"{report!r} and {several} {noun}s"
                raise InputError(Code.WRONG_OPTION("--report", found, f"{mark} in FILE", fix))
        files.append((style, Path(path)))
    return files


def _write(files: Sequence[tuple[str, Path]], reports: Sequence[EvaluationReport]) -> None:
    """Write the reports asked for, of all that was tested so far."""
    from rankgate.cli.stages.report import write_report
    from rankgate.reports.evaluation.formats import laid_out

    path_of, url = github.Repository().path_of, github.report_url(reports)
    for style, path in files:
        if style in FORMATS:
            write_report(path, laid_out(style, reports, path_of=path_of, url=url))


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
