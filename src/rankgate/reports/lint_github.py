"""Findings as workflow commands, which GitHub shows beside the lines of a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.reports.printable import printable
from rankgate.reports.workflow_commands import Level, command
from rankgate.truth.lint.finding import Severity

if TYPE_CHECKING:
    from rankgate.reports.lint_report import LintReport
    from rankgate.truth.lint.finding import Finding

_LEVELS: dict[Severity, Level] = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.HINT: "notice",
}


def render(report: LintReport) -> str:
    """Write one command a finding, and the summary as plain text."""
    return "".join(f"{line}\n" for line in [*map(_command, report.findings), report.summary])


def _command(finding: Finding) -> str:
    return command(
        _LEVELS[finding.severity],
        printable(finding.message),
        file=finding.file,
        line=finding.line,
        col=finding.column,
        title=f"rankgate {finding.rule}",
    )
