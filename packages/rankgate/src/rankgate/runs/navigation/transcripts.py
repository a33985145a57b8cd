"""What was seen on the way through the documents of a system: one observation a step, and their file.

``scenarios.jsonl`` has a line that says what it is, then an object for each step. Searches are not in it:
their answers are a run like any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from rankgate.errors import Problem
from rankgate.io.problems import Problems
from rankgate.io.records import (
    Count,
    Name,
    Total,
    check_version,
    stream_objects,
    validated,
    write_objects,
    written,
)
from rankgate.model import Action

if TYPE_CHECKING:
    from collections.abc import Iterator

VERSION = 1
"""The version of the file's format."""


class StepStatus(StrEnum):
    """How a step ended."""

    OK = "ok"
    """The system answered."""
    ERROR = "error"
    """The system failed."""
    TIMEOUT = "timeout"
    """The system did not answer in time."""
    NOT_FOUND = "not found"
    """The system answered, and what it answered does not have the place, or has it twice."""

    @property
    def failed(self) -> bool:
        """True where the system failed, so that nothing can be said of what it would have answered."""
        return self in (StepStatus.ERROR, StepStatus.TIMEOUT)


@dataclass(frozen=True, slots=True)
class SeenNode:
    """A node of a tree, as the system gave it."""

    id: str
    """The system's name for it."""
    title: str
    """What a person sees."""
    parent: str | None = None
    """The id of the node above."""
    path: str | None = None
    """Its file; None where the system names none."""
    start: Count | None = None
    """Its first line."""
    end: Count | None = None
    """Its last line."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What one step showed."""

    scenario: Name
    """The scenario's name."""
    step: Total
    """Which step, from 0."""
    action: Action
    """What it did."""
    status: StepStatus = StepStatus.OK
    """How it ended."""
    error: str | None = None
    """Why it could not be taken, on one line."""
    latency_ms: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    """How long the system took; None where it failed."""
    calls: Total = 0
    """How many calls it took, those included that found the way to the place."""
    tokens: Total = 0
    """What reading the answers of these calls costs, estimated."""
    node: str | None = None
    """The id of the document or the node that was chosen."""
    nodes: tuple[SeenNode, ...] = ()
    """For a tree: its nodes."""
    text: str | None = None
    """For what was read: the text."""
    cut: Total = 0
    """How many nodes of the tree, or bytes of the text, were not kept."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """What every step showed that is no search, in the order of the scenarios."""

    observations: tuple[Observation, ...] = ()
    """One for each step."""
    navigable: bool = True
    """False where the system has no documents to walk; nothing was tried then."""
    suite: str | None = None
    """The fingerprint of the suite."""

    def by_step(self) -> dict[tuple[str, int], Observation]:
        """Return the observations by scenario and step."""
        return {(one.scenario, one.step): one for one in self.observations}

    @property
    def errored(self) -> int:
        """How many steps the system failed on."""
        return sum(one.status.failed for one in self.observations)


@dataclass(frozen=True, slots=True)
class _Head:
    """The first line of the file."""

    transcript: int
    suite: str | None = None
    navigable: bool = True


def write_transcript(transcript: Transcript, path: str | Path) -> None:
    """Write a transcript, whole or not at all."""
    write_objects(path, _objects(transcript))


def read_transcript(path: str | Path) -> Transcript:
    """Read what `write_transcript` wrote.

    Raises:
        FormatError: with all that is wrong with the file, by line.
    """
    path = Path(path)
    problems = Problems(str(path))
    found = stream_objects(path, problems)
    where, first = next(found, (f"{path}:1", {}))
    problems.check()
    check_version(where, first.get("transcript"), VERSION, "Run the test again.")
    head: _Head = validated(first, _Head, where, problems) or _Head(VERSION)
    steps: dict[tuple[str, int], Observation] = {}
    for line, item in found:
        one: Observation | None = validated(item, Observation, line, problems)
        if one is None:
            continue
        if (one.scenario, one.step) in steps:
            problems.add(Problem(line, f"step {one.step} of {one.scenario!r:.80} again", "each step once"))
        steps[one.scenario, one.step] = one
    problems.check()
    return Transcript(tuple(steps.values()), head.navigable, head.suite)


def _objects(transcript: Transcript) -> Iterator[dict[str, Any]]:
    yield written(_Head(VERSION, transcript.suite, transcript.navigable), _Head)
    for one in transcript.observations:
        yield written(one, Observation, exclude_none=True)
