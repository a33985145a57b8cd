"""What pytest prints where GitHub runs it: no name, hit or error of a suite becomes a workflow command.

The writer of the terminal is guarded, not the streams: what other plugins and tests print is their own.
Without a suite and without the fixture nothing is touched.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Collection, Generator

_OURS = "rankgate_guarded"


class TerminalGuard:
    """Guards the terminal from the first text of ours on, whichever process made it."""

    def __init__(self, config: pytest.Config, suffixes: Collection[str]) -> None:
        self._config = config
        self._suffixes = suffixes
        self._guarded = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Guard what is printed where suites may be collected: their names are the first thing shown."""
        named = any(Path(arg.partition("::")[0]).suffix in self._suffixes for arg in self._config.args)
        if named or self._config.getini("rankgate_suites"):
            self._guard()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Mark the report of a test that may show what a system answered, since a worker may have made it."""
        report = yield
        if "rankgate.evaluation.session.assertions" in sys.modules:
            setattr(report, _OURS, True)
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Guard what is printed from such a report on."""
        if getattr(report, _OURS, False):
            self._guard()

    def _guard(self) -> None:
        if self._guarded or not self._config.pluginmanager.has_plugin("terminalreporter"):
            return
        from rankgate.reports.text.command_guard import guard_of

        self._guarded = True
        writer = self._config.get_terminal_writer()
        writer._file = guard_of(writer._file)  # noqa: SLF001 - pytest has no other way to say where it prints
