"""Findings for programs: a JSON list with one object a finding; docs/lint.md has the keys."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankgate.reports.lint_report import LintReport
    from rankgate.truth.lint.finding import Finding


def render(report: LintReport) -> str:
    """Write the findings as JSON."""
    return json.dumps([_plain(finding) for finding in report.findings], indent=2) + "\n"


def _plain(finding: Finding) -> dict[str, object]:
    return {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "file": finding.file,
        "line": finding.line,
        "column": finding.column,
        "case": finding.case,
        "found": finding.problem.found,
        "expected": finding.problem.expected,
        "fix": finding.problem.fix,
        "message": finding.message,
    }
