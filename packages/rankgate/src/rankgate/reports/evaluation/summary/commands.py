"""The commands that a report offers: each names suite and system as a person here writes them."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from rankgate.model.wording import shortest
from rankgate.reports.text.printable import printable

RESUME = "--resume"
"""The option that goes on from what was kept."""


@dataclass(frozen=True, slots=True)
class SummaryCommands:
    """What commands are made of.

    >>> SummaryCommands("my app", "").ask("rotate-a-key")
    "rankgate query 'my app' --case rotate-a-key"
    """

    system: str
    """The name of what was asked."""
    suite: str = ""
    """The file of the suite; empty where it was read from none."""
    commit: str = ""
    """The commit with the documents as they were judged, where nothing was anchored."""
    fixed: bool = False
    """True for a run in a file: it can neither be asked nor be made a baseline."""

    @property
    def file(self) -> str:
        """The file of the suite, as a person here writes it; empty where it was read from none."""
        return shlex.quote(str(shortest(Path(self.suite).resolve()))) if self.suite else ""

    def _of(self, *parts: str) -> str:
        return printable(" ".join(filter(None, ("rankgate", *parts))))

    def ask(self, case: str) -> str:
        """Return the command that asks the query of a case again; of a fixed run the one that shows it."""
        if self.fixed:
            return self._of("report")
        suite = f"--suite {self.file}" if self.suite else ""
        return self._of("query", shlex.quote(self.system), "--case", shlex.quote(case), suite)

    def mend(self) -> str:
        """Return the command that follows targets into today's documents."""
        return self._of("suite fix", self.file or "SUITE", f"--from {self.commit}" if self.commit else "")

    def lint(self) -> str:
        """Return the command that checks the suite."""
        return self._of("suite lint", self.file or "SUITE")

    def test(self, *options: str) -> str:
        """Return the command that tests again."""
        system = ("--system", shlex.quote(self.system)) if self.system else ()
        return self._of("test", self.file, *system, *options)
