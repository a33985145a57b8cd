"""What was seen on the way through the documents of a system: one observation a step, and their file.

``scenarios.jsonl`` has a line that says what it is, then an object for each step. Searches are not in it:
their answers are a run like any other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rankgate.errors import Code, Problem
from rankgate.io.decoder import Constraint, Count, LineDecoder, Name, Total
from rankgate.io.encoder import encoded
from rankgate.io.objects import stream_objects, write_objects
from rankgate.io.problems import Problems
from rankgate.model import Action

if TYPE_CHECKING:
    from collections.abc import Iterator

VERSION = 1
"""The version of the file's format."""

_NUMBER = Constraint("a whole number from 0 up", lambda value: 0 <= value < 1 << 64, "no number that will do")
_LATENCY = Constraint("a number from 0 up", lambda value: math.isfinite(value) and value >= 0)
_ACTION = Constraint("one of tree, read, subtree", lambda value: value is not Action.SEARCH)


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
    step: Annotated[int, _NUMBER]
    """Which step, from 0."""
    action: Annotated[Action, _ACTION]
    """What it did."""
    status: Annotated[StepStatus, Constraint(nothing="nothing")] = StepStatus.OK
    """How it ended."""
    error: str | None = None
    """Why it could not be taken, on one line."""
    latency_ms: Annotated[float, _LATENCY] | None = None
    """How long the system took; None where it failed."""
    calls: Annotated[int, _NUMBER] = 0
    """How many calls it took, those included that found the way to the place."""
    tokens: Annotated[int, _NUMBER] = 0
    """What reading the answers of these calls costs, estimated."""
    node: str | None = None
    """The id of the document or the node that was chosen."""
    nodes: Annotated[tuple[SeenNode, ...], Constraint("a list of nodes")] = ()
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
    if first.get("transcript") != VERSION or isinstance(first["transcript"], bool):
        said = f"transcript {first.get('transcript')!r:.80}"
        fix = "read it with the version of rankgate that wrote it, or a later one"
        problems.add(Code.NEWER_VERSION(where, said, f"transcript {VERSION}", fix))
        problems.check()
    about = LineDecoder(where, problems).members(first, Transcript)
    steps: dict[tuple[str, int], dict[str, Any]] = {}
    for line, item in found:
        one = LineDecoder(line, problems).members(item, Observation)
        step = one.get("scenario", ""), one.get("step", -1)
        if step in steps:
            problems.add(Problem(line, f"step {step[1]} of {step[0]!r:.80} again", "each step once"))
        steps[step] = one
    problems.check()
    return Transcript(
        tuple(Observation(**one) for one in steps.values()), about.get("navigable", True), about.get("suite")
    )


def _objects(transcript: Transcript) -> Iterator[dict[str, Any]]:
    yield {"transcript": VERSION, "suite": transcript.suite, "navigable": transcript.navigable}
    for one in transcript.observations:
        written = encoded(one, Observation)
        nodes = [
            {name: value for name, value in node.items() if value is not None} for node in written["nodes"]
        ]
        yield {**written, "nodes": nodes or None, "cut": one.cut or None}
