"""The verdicts on suites, by which pytest ends: with 1 for every exit code of rankgate but 0, printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.errors import ExitCode
from rankgate.pytest_plugin.items import EXIT_CODE, SuiteFile

if TYPE_CHECKING:
    from collections.abc import Generator

_REFUSED = "rankgate_refused"


class ExitCodes:
    """What ``rankgate test`` would exit with for each suite; gathered from reports, whoever made them."""

    def __init__(self) -> None:
        self._codes: dict[str, ExitCode] = {}
        self._refused = 0

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Mark the report of a suite that is refused, since a worker may have made it."""
        report = yield
        if isinstance(collector, SuiteFile) and report.failed:
            setattr(report, _REFUSED, int(collector.refused))
        return report

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep that a suite is refused."""
        code = getattr(report, _REFUSED, None)
        if code is not None:
            self._keep(report.nodeid, ExitCode(code))
            self._refused += 1

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the verdict on a suite."""
        for name, value in report.user_properties:
            if name == EXIT_CODE:
                suite, _, code = str(value).rpartition(": ")
                self._keep(suite, ExitCode(int(code)))

    def _keep(self, suite: str, code: ExitCode) -> None:
        """Keep the worst: an item that crashed is not outweighed by those after it."""
        self._codes[suite] = ExitCode.worst([code, self._codes.get(suite, code)])

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """End with 1 where rankgate would not end with 0, whatever single items said."""
        ended = session.exitstatus
        if ended == pytest.ExitCode.INTERRUPTED and self._refused and session.testsfailed == self._refused:
            # Nothing but suites of ours kept the tests from being run.
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        elif ended == pytest.ExitCode.OK and any(self._codes.values()):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Write the code of each suite that was tested whole, or refused."""
        if self._codes:
            terminalreporter.section("rankgate")
        for suite, code in self._codes.items():
            terminalreporter.write_line(f"{suite}: rankgate: exit code {code:d} ({code.brief})")
