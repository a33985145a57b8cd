"""Findings for people: one a line, with its place first, and a line that sums up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.reports.printable import printable
from rankgate.truth.lint.finding import Severity

if TYPE_CHECKING:
    from rankgate.reports.lint_report import LintReport

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.HINT: "cyan"}


def render(report: LintReport, *, colour: bool = False) -> str:
    """Write the findings, with colours if they are wanted."""
    from click import style

    lines = []
    for finding in report.findings:
        place, said = printable(finding.problem.where), printable(finding.message)
        severity, rule = finding.severity.value, finding.rule
        if colour:
            place = style(place, bold=True)
            severity, rule = style(severity, fg=_COLOURS[finding.severity], bold=True), style(rule, dim=True)
        lines.append(f"{place}: {severity} {rule}: {said}\n")
    worst = min((finding.severity for finding in report.findings), key=lambda each: each.weight, default=None)
    summary = report.summary
    if colour:
        summary = style(summary, fg="green" if worst is None else _COLOURS[worst], bold=True)
    return "".join([*lines, "\n" if lines else "", summary, "\n"])
