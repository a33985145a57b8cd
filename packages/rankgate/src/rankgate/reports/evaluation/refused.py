"""The report where nothing was judged: what is wrong with a suite, a call or a system, or with rankgate.

Each problem is a refused row among the gates, so that every layout shows it, and no file of an earlier test
that passed stays in its place.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.errors import TRACEBACK, Code, CrashedError, ExitCode, RankgateError
from rankgate.model import Status
from rankgate.model.wording import many
from rankgate.reports.evaluation.report import EvaluationReport
from rankgate.reports.evaluation.rows import Breakdown, VerdictRow
from rankgate.reports.evaluation.summary.causes import CauseKind, NextStep, sentence
from rankgate.reports.evaluation.summary.commands import SummaryCommands
from rankgate.reports.evaluation.summary.states import ReportState, refused_state
from rankgate.reports.evaluation.summary.subjects import subject_of
from rankgate.reports.evaluation.summary.summary import Summary
from rankgate.reports.text.marks import BAD, NOTHING
from rankgate.reports.text.printable import printable, split_where

if TYPE_CHECKING:
    from collections.abc import Sequence

_CAUSES = {
    ReportState.INTERNAL_ERROR: CauseKind.INTERNAL,
    ReportState.SUITE_ERROR: CauseKind.SUITE,
    ReportState.SYSTEM_ERROR: CauseKind.OUTAGE,
}
_OURS = "This is a bug in rankgate, not in the suite or the system: nothing was judged or compared"
_NOT_JUDGED = "Nothing was judged or compared with a baseline"
_NOT_THE_SUITE = f"The configuration or the environment is wrong, not the suite: n{_NOT_JUDGED[1:]}"
_CONFIGURATION = frozenset(
    {Code.VARIABLE_NOT_SET, Code.MISSING_EXTRA, Code.MISSING_SETTING, Code.TWO_CONFIGURATIONS}
)
"""Kinds of problems that no edit of a suite mends."""
_MOST_LISTED = 60
_NO_PROJECT = "rankgate"
"""Where a problem stands that there is no suite or configuration for."""
_Problems = list[tuple[str, str]]


def refused_report(
    title: str, system: str, error: RankgateError | ExitCode, suite: str = ""
) -> EvaluationReport:
    """Return what is said where an error left nothing to judge, or a stop, which has only its code.

    Args:
        title: The name of the suite.
        system: What was to be asked.
        error: What went wrong.
        suite: The file of the suite; empty where there is none.
    """
    code = error if isinstance(error, ExitCode) else error.exit_code
    problems = refused_problems(error)
    kind = "" if isinstance(error, ExitCode) else str(error.code)
    short = _short(error)
    first = f"{short} [{kind}]" if short else problems[0][1]
    summary = replace(_summary(code, problems, first, SummaryCommands(system, suite)), code=kind)
    if isinstance(error, RankgateError) and error.code is Code.NO_SUITE and problems[0][0] != _NO_PROJECT:
        # The suite that is there and was not named.
        step = NextStep("test it", SummaryCommands(system, problems[0][0]).test())
        summary = replace(summary, steps=(step,))
    if isinstance(error, RankgateError) and summary.state is ReportState.SUITE_ERROR:
        about = subject_of(error, system, suite)
        summary = replace(summary, about=str(about))
        if error.code in _CONFIGURATION:
            summary = replace(summary, reason=sentence(_NOT_THE_SUITE))
    return EvaluationReport(
        title=printable(title),
        mark=BAD,
        status=f"{summary.label}: {summary.headline}",
        exit_code=code,
        header=(),
        verdicts=tuple(_row(summary, where, words) for where, words in problems),
        metrics=(),
        slices=Breakdown((), (), ""),
        failures=(),
        known=(),
        cases=(),
        recommendations=(),
        provenance=(),
        notes=(),
        timings=(),
        system=printable(system),
        summary=summary,
    )


def refused_problems(error: RankgateError | ExitCode) -> list[tuple[str, str]]:
    """Return what is wrong and where, one by one."""
    if isinstance(error, ExitCode):
        crashed = error is ExitCode.CRASHED
        return [("", "rankgate crashed" if crashed else f"Stopped: {error.__doc__ or error.brief}")]
    if isinstance(error, CrashedError):
        return [("", f"rankgate crashed{f': {error.kind}' if error.kind else ''} [{error.code}]")]
    if error.problems:
        return [(problem.where, problem.coded) for problem in error.problems]
    return [("", line) for line in error.coded.splitlines() if line.strip()]


def _short(error: RankgateError | ExitCode) -> str:
    """Return the first problem without the list of all that it could be, where the right one is likely."""
    problem = None if isinstance(error, ExitCode) or not error.problems else error.problems[0]
    if problem is None or problem.said or not problem.fix.startswith("did you mean"):
        return ""
    listed = problem.expected.startswith("one of ") and len(problem.expected) > _MOST_LISTED
    return f"{problem.where}: found {problem.found}; {problem.fix}" if listed else ""


def _summary(code: ExitCode, problems: _Problems, first: str, commands: SummaryCommands) -> Summary:
    """Return the first screen: the first problem is the headline, and the others are counted."""
    state = refused_state(code)
    # What else is wrong in the same place mostly follows from the first.
    others = len({where for where, _ in problems}) - 1 if problems[0][0] else len(problems) - 1
    more = f" (and {many(others, 'more problem')})" if others else ""
    begin = "System error: " if state is ReportState.SYSTEM_ERROR else ""
    return Summary(
        state=state,
        cause=_CAUSES.get(state),
        headline=printable(f"{begin}{first}{more}"),
        reason=sentence(_OURS if state is ReportState.INTERNAL_ERROR else _NOT_JUDGED),
        gates="Nothing was judged",
        steps=tuple(_steps(state, problems, commands)),
    )


def _steps(state: ReportState, problems: _Problems, commands: SummaryCommands) -> Sequence[NextStep]:
    """Return what to do: a suite is checked again without asking anything, all else is tested again."""
    where = problems[0][0]
    if state is ReportState.INTERNAL_ERROR:
        return [NextStep("report it with the output of", f"{TRACEBACK}=1 {commands.test()}")]
    file, line = split_where(where)
    if commands.suite and line is not None and Path(file) == Path(commands.suite):
        return [NextStep(printable(f"correct line {line}, then"), commands.lint())]
    if where.startswith("--"):
        # What was typed is wrong: the same call again would be, too.
        return [NextStep("what the command takes", "rankgate test --help")]
    if where == _NO_PROJECT:
        return [NextStep("start one", "rankgate init")]
    return [NextStep("corrected? test again", commands.test())]


def _row(summary: Summary, where: str, words: str) -> VerdictRow:
    said = printable(words)
    if summary.state is ReportState.INTERNAL_ERROR:
        said = f"{said}. {summary.reason}"
    return VerdictRow(BAD, Status.REFUSED, summary.label, NOTHING, said, said, printable(where))
