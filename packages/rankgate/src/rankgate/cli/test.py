"""``rankgate test``: run all queries, score the results, decide the gates and report."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankgate.cli import github
from rankgate.cli.options import asking_of, asking_options, exit_codes, suites_argument, systems_option
from rankgate.errors import Code, CrashedError, ExitCode, InputError, RankgateError
from rankgate.reports.formats import FORMATS, PAGES

if TYPE_CHECKING:
    from rankgate.project.base import Base
    from rankgate.project.settings import RunOptions
    from rankgate.report import Report

_SUITE, _SYSTEM = "{suite}", "{system}"
"""Placeholders for the names of a suite and a system in the name of a file."""


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
    help=f"Write a report to a file: {', '.join((*FORMATS, *PAGES))}. May be repeated.",
)
@click.option(
    "--details",
    "-v",
    is_flag=True,
    envvar="RANKGATE_DETAILS",
    help="Print metrics, all gates, queries, slices and recommendations.",
)
@github.report_url_option
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="N", help="Run only the first N cases; nothing is saved."
)
@click.option(
    "--only",
    multiple=True,
    metavar="PATTERN",
    help="Run only some cases: by name, tag, a glob or words of the query; nothing is saved.",
)
@click.option(
    "--against",
    metavar="NAME",
    help="Run the queries with this system too, in turn, and compare with it in place of the baseline.",
)
@click.option(
    "--skip-missing",
    is_flag=True,
    help="Skip a system whose needs are missing in CI too, as on pull requests without secrets.",
)
@click.option(
    "--base",
    metavar="REF",
    help="Name what differs from the test at the merge base of REF and HEAD.",
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
    """Run all queries against a system, and pass or fail with a reason.

    \b
    rankgate test
    rankgate test search.yaml --system app.search:search
    rankgate test --system bm25 --system hybrid
    rankgate test --system stage --against prod
    rankgate test --only "rotate key"

    With several suites or systems each pair is tested, and the worst exit code counts. Without --system, each
    suite is tested with the systems of its entries in rankgate.toml.
    With --limit or --only, gates on means and shares are printed and not enforced.
    """
    with ExitStack() as stack:
        try:
            if options["base"] is not None:
                from rankgate.project.base import open_base

                start = suites[0].parent if suites else Path.cwd()
                options["base"] = stack.enter_context(open_base(start, options["base"]))
            pairs = _pairs(_chosen(suites, options["base"]), tuple(dict.fromkeys(systems)))
            pairs += (removed := _removed(options["base"], suites, systems, pairs))
            number = len({path for path, _ in pairs})
            files = _report_files(reports, number, len({system for _, system in pairs}))
            chosen = _with_cases(
                list(dict.fromkeys(path for path, _ in pairs)), options["limit"], options["only"]
            )
        except RankgateError as error:
            from rankgate.reports.build import refused_report

            return _show_error(refused_report("rankgate", "".join(systems[:1]), error), error)
        options["removed"] = removed
        return _test_each([pair for pair in pairs if pair[0] in chosen], options, files)


def _removed(
    base: Base | None,
    named: tuple[Path, ...],
    systems: tuple[str, ...],
    pairs: Sequence[tuple[Path, str | None]],
) -> list[tuple[Path, str | None]]:
    """Return the suites and systems that the base commit tests and the change does not."""
    from rankgate.project.find import configuration_for

    try:
        before = (
            [] if base is None else base.tests(configuration_for(named[0] if named else None).root, systems)
        )
    except RankgateError:
        # Each test says that the configuration of the base is invalid.
        return []
    known = {(file.resolve(), system or configuration_for(file).entry(None).name) for file, system in pairs}
    files = {file.resolve() for file in named}
    return [
        (file, system)
        for file, system in before
        if (file.resolve(), system) not in known and (not files or file.resolve() in files)
    ]


def _test_each(
    pairs: Sequence[tuple[Path, str | None]], options: dict[str, Any], files: Sequence[tuple[str, Path]]
) -> int:
    """Test each pair of a suite and a system, and return the worst exit code."""
    from rankgate.project.needs import NotTestedError
    from rankgate.project.results import write_refused
    from rankgate.reports.build import not_tested_report
    from rankgate.reports.terminal import render

    done: list[Report] = []
    judged: list[Report] = []
    try:
        for path, system in pairs:
            try:
                try:
                    report = _test_pair(path, system, options)
                except NotTestedError as skipped:
                    report = not_tested_report(skipped.suite, skipped.system, skipped.cause, str(path))
                    click.echo(f"warning: {skipped}", err=True)
                    write_refused(path, report)
                judged.append(report)
                done.append(report)
                click.echo(
                    ("\n" if len(judged) > 1 else "") + render(report, details=options["details"]), nl=False
                )
                _write(files, done)
            except BaseException as error:
                selected = bool(options["only"] or options["limit"])
                if _refuse(path, system, files, done, error, save=not selected) is None:
                    raise
                if not isinstance(error, RankgateError):
                    # A crash ends the command; an error of one pair says nothing about the others.
                    break
    finally:
        github.tell(judged, [path for _, path in files], done)
    return int(ExitCode.worst(ExitCode(report.exit_code) for report in done))


def _test_pair(path: Path, system: str | None, options: dict[str, Any]) -> Report:
    from rankgate.flow import run_test
    from rankgate.project.needs import NotTestedError

    def asking(entry: Any, folder: Path | None, root: Path) -> RunOptions:
        return asking_of(entry, options, folder, "replace", root)

    base = options["base"]
    if (path, system) in options["removed"] and not base.decides(path):
        raise NotTestedError(path.stem, str(system), f"the change removed {path}")
    return run_test(
        path,
        system,
        only=options["only"],
        limit=options["limit"],
        metrics=options["metrics"],
        asking=asking,
        save=True,
        skip_missing=options["skip_missing"],
        against=options["against"],
        base=base,
    ).report


def _chosen(suites: tuple[Path, ...], base: Base | None) -> Sequence[Path]:
    """Return the suites to test: those of the call, or of the project; none if it removed the last one."""
    from rankgate.project.find import find_configuration

    configuration = find_configuration(Path.cwd())
    if base is not None and not suites and not configuration.suite_files and base.tests(configuration.root):
        return ()
    return suites or configuration.chosen_suites(suites)


def _pairs(files: Sequence[Path], systems: tuple[str, ...]) -> list[tuple[Path, str | None]]:
    """Return each suite with each system: those of the call, else those of the suite's entries."""
    from rankgate.project.find import configuration_for

    return [
        (file, system) for file in files for system in systems or configuration_for(file).tested_systems(file)
    ]


def _with_cases(files: Sequence[Path], limit: int | None, only: tuple[str, ...]) -> Sequence[Path]:
    """Return the suites that have a selected case, and those that can't be read.

    Raises:
        InputError: if no suite has one.
    """
    from rankgate.suites.asked_suite import asked_suite
    from rankgate.suites.formats import load_suite
    from rankgate.suites.suite_part import CaseSelection

    selection = CaseSelection(limit, only)
    if not only or len(files) == 1:
        return files
    read, chosen = [], []
    for file in files:
        try:
            suite = asked_suite(load_suite(file))
        except RankgateError:
            # It is reported when it is tested.
            chosen.append(file)
            continue
        read.append(suite)
        if selection.is_in(suite):
            chosen.append(file)
    if not chosen:
        selection.refuse(read)
    return chosen


def _refuse(
    path: Path,
    system: str | None,
    files: Sequence[tuple[str, Path]],
    done: list[Report],
    error: BaseException,
    *,
    save: bool,
) -> ExitCode | None:
    """Report why a pair could not be tested, in every report that was requested, so that no older one stays.

    None if the command was interrupted, or nobody reads its output. The test of a selection is not saved.
    """
    from rankgate.project.results import write_refused
    from rankgate.project.stopped import shown_error
    from rankgate.reports.build import refused_report

    interrupted = isinstance(error, (KeyboardInterrupt, click.Abort))
    shown = None if interrupted else shown_error(error)
    name = system or _usual_system(path)
    done.append(
        refused_report(path.stem, name, shown or ExitCode.INTERRUPTED, str(path) if path.is_file() else "")
    )
    _write(files, done)
    if save:
        write_refused(path, done[-1])
    if shown is None or isinstance(error, BrokenPipeError):
        return None
    _show_error(done[-1], shown)
    return shown.exit_code


def _show_error(report: Report, error: RankgateError) -> int:
    """Print the report of a test that could not be run to stderr; of a crash also its traceback."""
    from rankgate.reports.terminal import render

    github.tell_error(error)
    words = render(report, stream=sys.stderr)
    if isinstance(error, CrashedError) and error.found:
        words += f"\n{error.found}\n"
    click.echo(words, nl=False, err=True)
    return int(error.exit_code)


def _usual_system(path: Path) -> str:
    """Return the system that is tested by default; empty if the configuration does not name one."""
    from rankgate.project.find import configuration_for

    try:
        return configuration_for(path).entry(None).name
    except RankgateError:
        return ""


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


def _write(files: Sequence[tuple[str, Path]], reports: Sequence[Report]) -> None:
    """Write the reports that were requested, of all that was tested so far."""
    from rankgate.cli.stages.report import write_report
    from rankgate.io.file_names import file_name
    from rankgate.reports.formats import laid_out
    from rankgate.reports.html.page import render as page

    path_of, url = github.Repository().path_of, github.report_url(reports)
    for style, path in files:
        if style in FORMATS:
            write_report(path, laid_out(style, reports, path_of=path_of, url=url))
            continue
        for report in reports:
            name = Path(report.path or report.suite).with_suffix("").as_posix()
            target = str(path).replace(_SUITE, file_name(name))
            write_report(Path(target.replace(_SYSTEM, file_name(report.system or "system"))), page(report))
