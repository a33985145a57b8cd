"""The report where nothing was judged: what is wrong with a suite, a call or a system.

Each problem is a refused row among the gates, so that every layout shows it, and no file of an earlier test
that passed stays in its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.errors import ExitCode
from rankgate.model import Status
from rankgate.reports.evaluation.report import EvaluationReport
from rankgate.reports.evaluation.rows import Breakdown, VerdictRow
from rankgate.reports.evaluation.summary.commands import SummaryCommands
from rankgate.reports.evaluation.summary.summary import refused_summary
from rankgate.reports.text.marks import BAD, NOTHING
from rankgate.reports.text.printable import printable

if TYPE_CHECKING:
    from rankgate.errors import RankgateError

_NAMES = {ExitCode.WRONG_CALL: "the suite or the call", ExitCode.SYSTEM_FAILED: "the system"}


def refused_report(
    title: str, system: str, error: RankgateError | ExitCode, suite: str = ""
) -> EvaluationReport:
    """Return what is said where an error left nothing to judge, or a crash, which has only its code.

    Args:
        title: The name of the suite.
        system: What was to be asked.
        error: What went wrong.
        suite: The file of the suite; empty where there is none.
    """
    code = error if isinstance(error, ExitCode) else error.exit_code
    said = [("", code.__doc__ or code.brief)] if isinstance(error, ExitCode) else _problems(error)
    name = _NAMES.get(code, "rankgate")
    rows = tuple(_row(name, where, words) for where, words in said)
    return EvaluationReport(
        title=printable(title),
        mark=BAD,
        status=f"refused, nothing was judged: {code.brief}",
        exit_code=code,
        header=(),
        verdicts=rows,
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
        summary=refused_summary(code, [words for _, words in said], SummaryCommands(system, suite)),
    )


def _problems(error: RankgateError) -> list[tuple[str, str]]:
    if error.problems:
        return [(problem.where, str(problem)) for problem in error.problems]
    return [("", line) for line in str(error).splitlines() if line.strip()]


def _row(name: str, where: str, words: str) -> VerdictRow:
    said = printable(words)
    return VerdictRow(BAD, Status.REFUSED, name, NOTHING, said, said, printable(where))
