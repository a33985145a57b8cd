"""What a gate says."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """How a query or a gate ended."""

    PASSED = "passed"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"
    NOT_ENFORCED = "not enforced"
    REFUSED = "refused"
    """It may not be decided by what was scored."""


class Answer(StrEnum):
    """How one query of a run ended."""

    OK = "ok"
    """The system answered; an empty answer is an answer."""
    ERROR = "error"
    """The system failed."""
    TIMEOUT = "timeout"
    """The system did not answer in time."""
    MISSING = "missing"
    """An imported run does not have the query."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many cases stand behind a number, and what became of the others."""

    scored: int
    """Cases with a value."""
    undefined: int = 0
    """Cases for which the measure has no value."""
    unreviewed: int = 0
    """Cases whose targets nobody has looked at."""
    errored: int = 0
    """Cases that the system failed to answer; they score 0."""
    missing: int = 0
    """Cases that an imported run does not have; they score 0."""
    estimated: int = 0
    """Scored cases whose labels are estimated from an expected answer."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One gate, judged."""

    gate: str
    """The gate as it was written."""
    status: Status
    """What became of it."""
    value: float | None
    """What was measured; None where nothing could be."""
    reason: str
    """Why, in words."""
    counts: Counts
    """What the value stands on."""
    where: str = ""
    """The file, line and column the gate was written at."""
