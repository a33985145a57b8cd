"""How queries end, and the number of cases behind a value."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass


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
    """The number of cases behind a value, and of the others."""

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
    gone: int = 0
    """Cases whose relevant targets are all gone from the documents; they are not scored."""
