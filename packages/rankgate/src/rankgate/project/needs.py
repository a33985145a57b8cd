"""What a system needs to be tested: files and variables. Without them, a test is skipped, or fails in CI."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.errors import Code, SystemFailedError
from rankgate.project.configuration import VARIABLE

if TYPE_CHECKING:
    from rankgate.project.configuration import SystemEntry


class NotTestedError(Exception):
    """Raised in place of a test that is skipped, such as one whose system needs what is missing."""

    def __init__(self, suite: str, system: str, cause: str) -> None:
        super().__init__(f"{suite} · {system}: not tested: {cause}")
        self.suite, self.system, self.cause = suite, system, cause


def missing_needs(entry: SystemEntry, root: Path) -> tuple[str, ...]:
    """Return the paths and variables that a system needs and that are missing; an empty variable is."""
    missing = []
    for need in entry.needs:
        variable = VARIABLE.fullmatch(need)
        name = need if variable is None else variable[1]
        there = (root / need).exists() if variable is None else bool(os.environ.get(name))
        missing += [] if there else [name]
    return tuple(missing)


def check_needs(entry: SystemEntry, root: Path, suite: str, *, skip: bool) -> None:
    """Check that nothing is missing that a system needs.

    Args:
        entry: The system.
        root: The folder of the configuration.
        suite: The name of the suite that it is tested with.
        skip: True to skip the test in CI too.

    Raises:
        NotTestedError: if the test is skipped.
        SystemFailedError: in CI, where a skipped test would not be noticed.
    """
    missing = missing_needs(entry, root)
    if not missing:
        return
    if skip or not os.environ.get("CI"):
        raise NotTestedError(suite, entry.name, f"needs {', '.join(missing)}")
    raise needs_error(entry, missing, "Set it up in CI, or skip the test with --skip-missing.")


def needs_error(entry: SystemEntry, missing: tuple[str, ...], fix: str) -> SystemFailedError:
    """Return the error that something is missing that a system needs."""
    where, names = f"systems.{entry.name}.needs", ", ".join(missing)
    said = f"{where}: missing: {names}. {fix}"
    return SystemFailedError(Code.MISSING_SETTING(where, f"no {names}", "what the system needs", "", said))
