"""What `rankgate suite lint` says: for people, for programs, and beside the lines of a pull request."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.reports.text.github import Level, command
from rankgate.reports.text.printable import printable
from rankgate.truth.lint import Severity
from rankgate.wording import many

if TYPE_CHECKING:
    from rankgate.truth.lint import Finding


@dataclass(frozen=True, slots=True)
class LintReport:
    """What was found in one or more suites."""

    findings: tuple[Finding, ...]
    """Suite by suite, in the order of lines."""
    suites: int
    """How many suites were looked at."""
    cases: int
    """How many cases they have; those of a suite that cannot be read are not counted."""

    @property
    def summary(self) -> str:
        """Return in one line how much was found of what."""
        looked = f"{many(self.cases, 'case')} of {many(self.suites, 'suite')}"
        if not self.findings:
            return f"{looked.removesuffix(' of 1 suite')}, no problems"
        severities = Counter(finding.severity for finding in self.findings)
        found = [many(severities[each], each.value) for each in Severity if severities[each]]
        rules = Counter(finding.rule for finding in self.findings)
        counts = ", ".join(f"{rule} {number}" for rule, number in rules.most_common())
        return f"{', '.join(found)} in {looked} ({counts})"

    def exit_code(self, *, strict: bool) -> int:
        """Return 2 for errors, 1 for warnings that are to count, else 0."""
        found = {finding.severity for finding in self.findings}
        if Severity.ERROR in found:
            return 2
        return 1 if strict and Severity.WARNING in found else 0


_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.HINT: "cyan"}


def lint_text(report: LintReport, *, colour: bool = False) -> str:
    """Write the findings, with colours if they are wanted."""
    from click import style, unstyle

    lines = []
    for finding in report.findings:
        location = style(printable(finding.where), bold=True)
        severity = style(finding.severity.value, fg=_COLOURS[finding.severity], bold=True)
        lines.append(
            f"{location}: {severity} {style(finding.rule, dim=True)}: {printable(finding.message)}\n"
        )
    worst = min((finding.severity for finding in report.findings), key=lambda each: each.order, default=None)
    summary = style(report.summary, fg="green" if worst is None else _COLOURS[worst], bold=True)
    text = "".join([*lines, "\n" if lines else "", summary, "\n"])
    return text if colour else unstyle(text)


def lint_json(report: LintReport) -> str:
    """Write the findings as JSON."""
    return json.dumps([_plain(finding) for finding in report.findings], indent=2) + "\n"


def _plain(finding: Finding) -> dict[str, object]:
    file, line, column = finding.place
    return {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "file": file,
        "line": line,
        "column": column,
        "case": finding.case,
        "message": finding.message,
    }


_LEVELS: dict[Severity, Level] = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.HINT: "notice",
}


def lint_github(report: LintReport) -> str:
    """Write one command a finding, and the summary as plain text."""
    return "".join(f"{line}\n" for line in [*map(_command, report.findings), report.summary])


def _command(finding: Finding) -> str:
    file, line, column = finding.place
    return command(
        _LEVELS[finding.severity],
        printable(finding.message),
        file=file,
        line=line,
        col=column,
        title=f"rankgate {finding.rule}",
    )
