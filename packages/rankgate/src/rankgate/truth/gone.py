"""Targets that are gone: locations that a suite names and that today's corpus does not have.

A suite that was right when it was written loses targets as its documents change. Such a target is not wrong:
its case keeps it among what should be found, where no hit can reach it. What was never a location, or is not
the only one of its name, is wrong, and refused: `rankgate.truth.locations.lookup` tells one from the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError, Problem
from rankgate.model.wording import MOST_LISTED, many

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


SHOWN = 3
"""How many a line names."""


@dataclass(frozen=True, slots=True)
class GoneLocation:
    """A location that a case, a scenario or an invariant names, and that the corpus does not have."""

    owner: str
    """What names it, such as ``case rotate``."""
    where: str
    """The file, line and column it was written at; empty where they are not known."""
    target: str
    """The location as it is written."""
    why: str
    """Why it was not found."""
    likely: str = ""
    """Where it may be now, in words; empty where nothing is like it."""
    counts: bool = True
    """False where nothing depends on it: a target that is judged not relevant."""
    case: str | None = None
    """The id of the case; None for a scenario or an invariant."""

    @property
    def problem(self) -> Problem:
        """The same as what is wrong with a suite."""
        found = f"'{self.target}', which is gone: {self.why}"
        return Code.TARGET_NOT_FOUND(
            self.where or self.owner, found, "a location of today's documents", self.likely
        )

    def __str__(self) -> str:
        at = f" ({self.where})" if self.where else ""
        likely = f"; {self.likely}" if self.likely else ""
        return f"{self.target} of {self.owner}{at}: {self.why}{likely}"


@dataclass(frozen=True, slots=True)
class FollowedTargets:
    """Where the texts of targets that are gone stand now, as far as that is proved."""

    moved: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """The location of today, by the case and the location as it is written."""
    commit: str = ""
    """The commit whose documents say so, where nothing was anchored; empty where anchors do, or nothing."""


def counted(gone: Iterable[GoneLocation]) -> int:
    """Count the targets that something depends on: what `max_gone` bounds."""
    return sum(one.counts for one in gone)


def mend_command(suite: str | None, commit: str = "") -> str:
    """Return the command that mends the targets of a suite.

    Args:
        suite: Its file.
        commit: The commit with the documents as they were, where nothing was anchored.
    """
    import shlex
    from pathlib import Path

    from rankgate.model.wording import shortest

    file = shlex.quote(str(shortest(Path(suite).resolve()))) if suite else "SUITE"
    return f"rankgate suite fix {file}" + (f" --from {commit}" if commit else "")


def gone_line(gone: Sequence[GoneLocation], allowed: int, command: str) -> str:
    """Write in one line how many targets are gone, how many may be, the first of them and what to do."""
    counting = [one for one in gone if one.counts]
    named = ", ".join(dict.fromkeys(one.target for one in counting[:SHOWN]))
    more = f" and {len(counting) - SHOWN} more" if len(counting) > SHOWN else ""
    are = "is" if len(counting) == 1 else "are"
    of = f"{many(len(counting), 'target')} {are} not in the documents, {allowed} allowed"
    return f"{of}: {named}{more}; to fix: {command}"


def gone_notes(gone: Sequence[GoneLocation], command: str, most: int = 20) -> Iterator[str]:
    """Name the targets that are gone, one a line, and the command that mends them."""
    for one in gone[:most]:
        said = "" if one.counts else " (judged not relevant: nothing depends on it)"
        yield f"target gone: {one}{said} [{Code.TARGET_NOT_FOUND}]"
    if len(gone) > most:
        listed = "all" if len(gone) <= MOST_LISTED else f"{MOST_LISTED:,}"
        yield f"{len(gone) - most:,} more targets are gone; the JSON report has {listed} of them"
    if gone:
        yield f"to fix what is gone: {command}"


def refuse_gone(gone: Sequence[GoneLocation], allowed: int, suite: str | None) -> None:
    """Refuse a suite of which more targets are gone than may be.

    Raises:
        InputError: with all of them, and the command that mends them.
    """
    if counted(gone) <= allowed:
        return
    problems = [one.problem for one in gone if one.counts]
    found = gone_line(gone, allowed, mend_command(suite)).partition(": ")[0]
    last = Code.TARGETS_GONE(suite or "suite", found, "targets that are", f"to fix: {mend_command(suite)}")
    raise InputError([*problems[:20], last])
