"""What `rankgate suite lint` says, worked out once for every renderer."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.truth.lint.finding import Severity

if TYPE_CHECKING:
    from rankgate.truth.lint.finding import Finding


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
        """Say in one line how much was found of what."""
        looked = f"{_many(self.cases, 'case')} of {_many(self.suites, 'suite')}"
        if not self.findings:
            return f"nothing found in {looked}"
        severities = Counter(finding.severity for finding in self.findings)
        found = [_many(severities[each], each.value) for each in Severity if severities[each]]
        rules = Counter(finding.rule for finding in self.findings)
        counts = ", ".join(f"{rule} {number}" for rule, number in rules.most_common())
        return f"{', '.join(found)} in {looked} ({counts})"

    def exit_code(self, *, strict: bool) -> int:
        """Give 2 for errors, 1 for warnings that are to count, else 0."""
        found = {finding.severity for finding in self.findings}
        if Severity.ERROR in found:
            return 2
        return 1 if strict and Severity.WARNING in found else 0


def _many(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
