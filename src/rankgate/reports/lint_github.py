"""Findings as workflow commands, which GitHub shows beside the lines of a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.reports.printable import printable
from rankgate.truth.lint.finding import Severity

if TYPE_CHECKING:
    from rankgate.reports.lint_report import LintReport
    from rankgate.truth.lint.finding import Finding

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "notice"}


def render(report: LintReport) -> str:
    """Write one command a finding, and the summary as plain text."""
    return "".join(f"{line}\n" for line in [*map(_command, report.findings), report.summary])


def _command(finding: Finding) -> str:
    given = {"file": finding.file, "line": finding.line, "col": finding.column}
    given["title"] = f"rankgate {finding.rule}"
    properties = ",".join(
        f"{name}={_property(printable(str(value)))}" for name, value in given.items() if value is not None
    )
    return f"::{_COMMANDS[finding.severity]} {properties}::{_data(printable(finding.message))}"


def _data(text: str) -> str:
    r"""Escape what a command would end at.

    >>> _data("100%\nsure")
    '100%25%0Asure'
    """
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Escape what a property would end at.

    >>> _property("a,b:c")
    'a%2Cb%3Ac'
    """
    return _data(text).replace(":", "%3A").replace(",", "%2C")
