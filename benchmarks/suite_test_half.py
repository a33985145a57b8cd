"""The test halves of the shipped suites: asked once a version, each time into a log that is committed.

Whoever looks at a test half and changes something has tuned on it. So every look leaves a line, and a version
of rankgate has one look: what a later version has on the same queries can be held against it.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING

from page_tables import rows_of
from suite_differences import TOGETHER, Together
from suite_ground import SUITES, Ground
from suite_measuring import Desk, measured
from suite_page import tables_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from suite_ground import Plan
    from suite_measuring import Measured
    from suite_systems import Contender

LOG = SUITES / "TEST.log"
HEAD = """\
# What the test halves of code, docs and ratings gave, each time that they were asked (`just results --test`).
# Nothing may be tuned on them; a version is asked once. Intervals are those of suites/RESULTS.md.
"""


@dataclass(frozen=True, slots=True)
class AskedVersion:
    """What is asked: a version of rankgate, as it was committed."""

    version: str
    """The version of the distribution."""
    commit: str
    """The commit, shortened."""

    @property
    def words(self) -> str:
        """How the log names it."""
        return f"rankgate {self.version}"


def version_asked(folder: Path = SUITES) -> AskedVersion:
    """Return the version that is there, or end where it is not what was committed."""
    changed = _git(folder, "status", "--porcelain", "--untracked-files=no")
    if changed:
        sys.exit("there are changes that are not committed: the log names a commit; commit first")
    return AskedVersion(version("rankgate"), _git(folder, "rev-parse", "--short=12", "HEAD"))


def check_unasked(log: Path, asked: AskedVersion) -> None:
    """End where a version was asked before."""
    kept = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    before = [line for line in kept if line.startswith("== ") and f", {asked.words}, " in line]
    if before:
        sys.exit(f"{log.name} has it: {before[-1].strip('= ')}; the test halves are asked once a version")


def ask_test_halves(
    plans: Sequence[Plan],
    contenders: Sequence[Contender],
    log: Path,
    asked: AskedVersion,
    together: Sequence[str] = TOGETHER,
) -> None:
    """Ask every system the test half of each suite, and append what came of it to the log.

    Args:
        plans: The suites.
        contenders: Who is asked.
        log: Where it is written.
        asked: The version that is asked.
        together: The suites over which differences to the base are compared as one.
    """
    lines = [f"== {datetime.now(UTC).date()}, {asked.words}, commit {asked.commit}"]
    parts: list[tuple[Ground, Sequence[Measured]]] = []
    with Desk() as desk:
        for plan in plans:
            ground = Ground.read(plan, "test")
            wanted = [one for one in contenders if plan.name in one.suites]
            found = measured(ground, wanted, desk, rounds=0, builds=1)
            lines.append(f"{plan.name}, {ground.main.sum()} queries of the test half")
            lines += _rows(tables_of(ground, found)[plan.name])
            if plan.name in together:
                parts.append((ground, found))
    for hard, what in ((False, "queries"), (True, "hard queries")):
        both = Together(parts, hard=hard)
        if len(parts) == len(together) and both.queries:
            base = next(one.label for one in contenders if one.name == parts[0][0].plan.base)
            names = " and ".join(together)
            lines.append(f"{names} together, {both.queries} {what} of the test half: less {base}")
            lines += _rows(both.table())
    print("\n".join(lines))
    before = log.read_text(encoding="utf-8") if log.exists() else HEAD
    log.write_text(before + "\n" + "\n".join(lines) + "\n", encoding="utf-8")


def _rows(table: str) -> list[str]:
    """Write a table as lines of the log."""
    return [
        f"  {row['system']}: " + "; ".join(f"{name} {cell}" for name, cell in row.items() if name != "system")
        for row in rows_of(table)
    ]


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True, text=True)
    return done.stdout.strip()
