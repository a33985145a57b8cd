"""What is installed, and what a CI would not have; and the list of all checks."""

from __future__ import annotations

import os
import shlex
import subprocess
from importlib import metadata
from platform import python_version
from typing import TYPE_CHECKING

from rankgate.cli.doctor.health import HealthCheck, HealthResult, wrong
from rankgate.cli.doctor.project_checks import (
    check_configuration,
    check_corpora,
    check_gates,
    check_suites,
    check_targets,
    lint_command,
)
from rankgate.cli.doctor.system_checks import (
    ask_command,
    check_baseline,
    check_mapping,
    check_system,
)
from rankgate.wording import shortest

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.cli.doctor.health import ExaminedProject

_REFERENCE = "rankgate-reference"
_SECONDS = 5


def check_versions(_project: ExaminedProject) -> HealthResult:
    """Check that what is installed belongs together."""
    own = metadata.version("rankgate")
    said = f"rankgate {own}, Python {python_version()}"
    try:
        reference = metadata.version(_REFERENCE)
    except metadata.PackageNotFoundError:
        return HealthResult(said=said)
    if reference != own:
        return wrong(f"{said}, but {_REFERENCE} {reference}", f"pip install {_REFERENCE}=={own}")
    return HealthResult(said=f"{said}, {_REFERENCE} {reference}")


def check_ci(project: ExaminedProject) -> HealthResult:
    """Check that a CI gets what a test needs: a baseline and a suite that git leaves out are not there."""
    from rankgate.project.baselines import Baselines

    if project.entry is None:
        return HealthResult(said="nothing to look at")
    for one in project.suites:
        kept = Baselines(one.suite, project.entry.name).path()
        for file in (one.file.resolve(), kept.resolve()):
            if file.is_file() and _ignored(file):
                name = str(shortest(file))
                said = f"git ignores {name}, so that a CI does not have it"
                return wrong(said, f"git add -f {shlex.quote(name)}")
    where = "GitHub Actions" if os.environ.get("GITHUB_ACTIONS") == "true" else ""
    where = where or ("a CI" if os.environ.get("CI") else "this machine")
    return HealthResult(said=f"{where}; git has what a test needs, or there is no git")


def _ignored(file: Path) -> bool:
    """Check whether git leaves a file out that it does not have yet; without git nothing is left out."""
    command = ["git", "-C", str(file.parent), "check-ignore", "-q", "--", str(file)]
    try:
        return subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False).returncode == 0  # noqa: S603 - of our own words
    except (OSError, subprocess.TimeoutExpired):
        return False


CHECKS = (
    HealthCheck("versions", check_versions),
    HealthCheck("configuration", check_configuration),
    HealthCheck("suite", check_suites, ("configuration",), lint_command),
    HealthCheck("corpus", check_corpora, ("suite",), lint_command),
    HealthCheck("targets", check_targets, ("corpus",), lint_command),
    HealthCheck("gates", check_gates, ("suite",), lint_command),
    HealthCheck("system", check_system, ("corpus", "targets", "gates"), ask_command),
    HealthCheck("mapping", check_mapping, ("system",)),
    HealthCheck("baseline", check_baseline, ("targets", "gates")),
    HealthCheck("CI", check_ci, ("gates",)),
)
"""Every check, in the order in which a test would need it."""
