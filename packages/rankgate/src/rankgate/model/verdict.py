"""What a gate says, and what all gates together say of one system on one suite."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from rankgate.errors import ExitCode

if TYPE_CHECKING:
    from rankgate.errors import RankgateError


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
    gone: int = 0
    """Cases whose relevant targets are all gone from the documents; they are not scored."""


@dataclass(frozen=True, slots=True)
class LostQuery:
    """A query whose first relevant hit was found before and is not any more.

    >>> str(LostQuery("rotate", 2, None)), str(LostQuery("sign in", 1, 14))
    ('rotate: rank 2 → not found', 'sign in: rank 1 → 14')
    """

    query: str
    """The name of its case."""
    before: int
    """The rank of its first relevant hit in what is compared with."""
    after: int | None
    """The same now; None where there is none."""
    errored: bool = False
    """True where the system did not answer."""

    def __str__(self) -> str:
        return (
            f"{self.query}: rank {self.before} → {self.after or ('error' if self.errored else 'not found')}"
        )


@dataclass(frozen=True, slots=True)
class Weighting:
    """What weights do to a mean."""

    effective: float
    """How many cases of equal weight would say as much: the square of the sum over the sum of the squares."""
    largest: float
    """The share of the heaviest case."""
    unweighted: float
    """What the value would be, were all weights equal."""


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
    lost: tuple[LostQuery, ...] = ()
    """Of a gate on lost queries: every query that was."""
    weighting: Weighting | None = None
    """What weights do to the value; None where they are equal, or play no part."""


class State(StrEnum):
    """How an evaluation ended, all gates together."""

    PASSED = "passed"
    FAILED = "failed"
    """A gate or a check failed."""
    INCONCLUSIVE = "inconclusive"
    """Something could not be decided; where that is only warned of, the exit code is 0 all the same."""
    NOT_ENFORCED = "not enforced"
    """Nothing had to hold: no gates, nothing reviewed yet, or a system that is only reported."""
    REFUSED = "refused"
    """The suite, the call or a gate is wrong."""
    SYSTEM_FAILED = "system failed"
    """The system failed on more queries than may fail."""


class Cause(StrEnum):
    """Why an evaluation ended as it did, where it is not the gates or that the system did not answer."""

    NONE = ""
    MAPPING = "mapping"
    """It answered, and none of its hits has a location in the corpus of the suite."""
    GONE = "gone"
    """More targets of the suite are gone from the documents than may be."""


@dataclass(frozen=True, slots=True)
class GateOutcome:
    """What became of one gate."""

    gate: str
    """The gate as it was written."""
    status: Status
    """What became of it."""
    counts: Counts
    """What it stands on."""


@dataclass(frozen=True, slots=True)
class SuiteVerdict:
    """The verdict on one system and one suite: equal for equal states, whoever asks.

    Nothing in it depends on where it was asked from or how long an answer took.
    """

    state: State = State.NOT_ENFORCED
    """How it ended."""
    exit_code: ExitCode = ExitCode.PASSED
    """What a command exits with."""
    gates: tuple[GateOutcome, ...] = ()
    """Each gate, written or not, in the order in which they were judged."""
    enforced: bool = True
    """False where the system is only reported."""
    cause: Cause = Cause.NONE
    """Why it ended so, where it is not the gates or that the system did not answer."""
    gone: int = 0
    """How many targets are gone from the documents, of those that something depends on."""

    @classmethod
    def refused(cls, error: RankgateError) -> SuiteVerdict:
        """Return the verdict where an error left nothing to judge."""
        failed = error.exit_code is ExitCode.SYSTEM_FAILED
        return cls(State.SYSTEM_FAILED if failed else State.REFUSED, error.exit_code)
