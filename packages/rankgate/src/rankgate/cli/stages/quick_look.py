"""A quick look by ``rankgate test --limit`` and ``--only``: some cases, no verdict, nothing kept."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankgate.cli.options import asking_of
from rankgate.errors import Code, InputError, RankgateError
from rankgate.reports.evaluation.formats import FORMATS, PAGES
from rankgate.suites.suite_part import CaseSelection

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rankgate.project.evaluation import Evaluation


def selection_of(options: dict[str, Any], reports: tuple[str, ...]) -> CaseSelection:
    """Return which cases are asked, and refuse what only a whole test can do."""
    looked = CaseSelection(options["limit"], options["only"])
    option = "--only" if options["limit"] is None else "--limit"
    if looked and options["resume"]:
        raise InputError(Code.CONFLICT(option, "--resume too", "one of the two: a quick look keeps no run"))
    pages = [report for report in reports if report.partition("=")[0] in PAGES]
    if looked and pages:
        expected = f"one of {', '.join(FORMATS)}: a quick look has no page"
        raise InputError(Code.CONFLICT("--report", f"{pages[0]!r} and {option}", expected))
    return looked


def suites_with_cases(files: Sequence[Path], looked: CaseSelection) -> Sequence[Path]:
    """Return the suites that have a case of those that are asked, and those that cannot be read."""
    from rankgate.suites.asked_suite import asked_suite
    from rankgate.suites.formats import load_suite

    if not looked.only or len(files) == 1:
        return files
    read, whole, chosen = [], [], []
    for file in files:
        try:
            suite = asked_suite(written := load_suite(file))
        except RankgateError:
            # It is told when it is its turn.
            chosen.append(file)
            continue
        read.append(suite)
        whole.append(written)
        if looked.is_in(suite):
            chosen.append(file)
    if not chosen:
        looked.refuse(read, whole)
    return chosen


def look(
    path: Path,
    system: str | None,
    metrics: tuple[str, ...],
    options: dict[str, Any],
    *,
    timings: bool,
) -> tuple[Evaluation, None]:
    """Evaluate a part of a suite, and keep nothing of it."""
    from rankgate.evaluation.flow import Stopwatch, run_evaluation
    from rankgate.project.configuration import configuration_for
    from rankgate.project.opening import opened
    from rankgate.project.settings import settings_of
    from rankgate.suites.asked_suite import asked_suite
    from rankgate.suites.formats import load_suite

    written, configuration = load_suite(path), configuration_for(path)
    suite = asked_suite(written)
    part = CaseSelection(options["limit"], options["only"]).of(suite, written)
    entry = configuration.entry(system)
    asking = asking_of(entry, options, None, "refuse", configuration.root)
    settings = settings_of(entry, part, asking, configuration.corpus_root)
    settings = replace(settings, metrics=metrics, timings=timings)
    with opened(entry, configuration.root, suite, configuration.corpus_root) as asked:
        return run_evaluation(part, asked, settings, Stopwatch()), None
