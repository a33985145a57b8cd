"""Missing targets: locations that a suite names and that are not in its documents.

A suite loses targets as its documents change. A case keeps such a target, and no result can reach it. A name
that fits several locations, or that was never one, is an error: see `rankgate.truth.locations.lookup`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.errors import Code, Problem

if TYPE_CHECKING:
    pass


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
