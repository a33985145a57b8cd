"""A trial: a variant that is asked part by part, and is a run like any other once it was asked everything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from rankgate.runs.store.run_folder import StoredRun, has_run

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from rankgate.evaluation.suite_run import SuiteRunner
    from rankgate.model import Case

Asked = TypeVar("Asked")
TRIALS = "trials"
"""The folder, beside that of whole runs, of what was asked a part."""


@dataclass(frozen=True, slots=True)
class Trial(Generic[Asked]):
    """A variant that is open, to be asked."""

    runner: SuiteRunner
    """Asks it."""
    cases: Sequence[Case]
    """Everything that it is asked."""
    folder: Path
    """Where its run is once it is whole."""
    finish: Callable[[], Asked]
    """Asks what is left, and keeps the whole run."""

    @property
    def aside(self) -> Path:
        """Where its answers are until then."""
        return self.folder.parent.with_name(TRIALS) / self.folder.name

    def some(self, cases: Sequence[Case]) -> StoredRun:
        """Ask some of the questions, and return all answers that there are."""
        if has_run(self.folder):
            self.finish()
            return StoredRun.open(self.folder)
        self.aside.mkdir(parents=True, exist_ok=True)
        self.runner.ask_cases(cases, self.aside)
        return StoredRun.open(self.aside)

    def whole(self) -> Asked:
        """Ask what is left, and keep the run beside the others: none of those is a part."""
        if self.aside.exists():
            self.runner.ask_cases(self.cases, self.aside)
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            self.aside.rename(self.folder)
        return self.finish()
