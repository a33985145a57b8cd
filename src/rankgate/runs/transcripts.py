"""What was seen on the way through the documents of a system: one observation a step, and their file.

``scenarios.jsonl`` has a line that says what it is, then an object for each step. Searches are not in it:
their answers are a run like any other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rankgate.errors import Problem
from rankgate.files.objects import Fields, stream_objects, write_objects
from rankgate.files.problems import Problems
from rankgate.model.scenarios import Action

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

VERSION = 1
"""The version of the file's format."""

_Choice = TypeVar("_Choice", bound=StrEnum)
_ACTIONS = tuple(action for action in Action if action is not Action.SEARCH)


class Ended(StrEnum):
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
        return self in (Ended.ERROR, Ended.TIMEOUT)


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
    start: int | None = None
    """Its first line."""
    end: int | None = None
    """Its last line."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What one step showed."""

    scenario: str
    """The scenario's name."""
    step: int
    """Which step, from 0."""
    action: Action
    """What it did."""
    status: Ended = Ended.OK
    """How it ended."""
    error: str | None = None
    """Why it could not be taken, on one line."""
    latency_ms: float | None = None
    """How long the system took; None where it failed."""
    calls: int = 0
    """How many calls it took, those included that found the way to the place."""
    tokens: int = 0
    """What reading the answers of these calls costs, estimated."""
    node: str | None = None
    """The id of the document or the node that was chosen."""
    nodes: tuple[SeenNode, ...] = ()
    """For a tree: its nodes."""
    text: str | None = None
    """For what was read: the text."""
    cut: int = 0
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
        """Give the observations by scenario and step."""
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
    head = Fields(first, where, problems)
    if head.count("transcript") != VERSION:
        said = f"transcript {first.get('transcript')!r:.80}"
        fix = "read it with the version of rankgate that wrote it, or a later one"
        problems.add(Problem(where, said, f"transcript {VERSION}", fix))
        problems.check()
    navigable, suite = head.flag("navigable"), head.text("suite")
    seen: set[tuple[str, int]] = set()
    observations = []
    for line, item in found:
        one = _observation(item, line, problems)
        if (one.scenario, one.step) in seen:
            again = f"step {one.step} of {one.scenario!r:.80} again"
            problems.add(Problem(line, again, "each step once"))
        seen.add((one.scenario, one.step))
        observations.append(one)
    problems.check()
    return Transcript(tuple(observations), navigable is not False, suite)


def _objects(transcript: Transcript) -> Iterator[dict[str, Any]]:
    yield {"transcript": VERSION, "suite": transcript.suite, "navigable": transcript.navigable}
    for one in transcript.observations:
        yield {
            "scenario": one.scenario,
            "step": one.step,
            "action": one.action.value,
            "status": one.status.value,
            "error": one.error,
            "latency_ms": one.latency_ms,
            "calls": one.calls,
            "tokens": one.tokens,
            "node": one.node,
            "nodes": [_without_nothing(node) for node in one.nodes] or None,
            "text": one.text,
            "cut": one.cut or None,
        }


def _without_nothing(node: SeenNode) -> dict[str, Any]:
    named = {
        "id": node.id,
        "title": node.title,
        "parent": node.parent,
        "path": node.path,
        "start": node.start,
        "end": node.end,
    }
    return {name: value for name, value in named.items() if value is not None}


def _observation(item: Mapping[str, Any], where: str, problems: Problems) -> Observation:
    fields = Fields(item, where, problems)
    latency = fields.number("latency_ms")
    if latency is not None and not (math.isfinite(latency) and latency >= 0):
        problems.add(Problem(f"{where}: latency_ms", str(latency), "a number from 0 up"))
    return Observation(
        scenario=fields.text("scenario", required=True) or "",
        step=_required(fields.count("step"), "step", where, problems),
        action=_chosen(item, "action", _ACTIONS, where, problems),
        status=_chosen(item, "status", tuple(Ended), where, problems),
        error=fields.text("error"),
        latency_ms=latency,
        calls=_required(fields.count("calls"), "calls", where, problems),
        tokens=_required(fields.count("tokens", bits=64), "tokens", where, problems),
        node=fields.text("node"),
        nodes=_nodes(item.get("nodes"), where, problems),
        text=fields.text("text"),
        cut=fields.count("cut", bits=64) or 0,
    )


def _required(value: int | None, name: str, where: str, problems: Problems) -> int:
    if value is None:
        problems.add(Problem(f"{where}: {name}", "no number that will do", "a whole number from 0 up"))
    return value or 0


def _chosen(
    item: Mapping[str, Any], name: str, choices: tuple[_Choice, ...], where: str, problems: Problems
) -> _Choice:
    value = item.get(name)
    for choice in choices:
        if value == choice.value:
            return choice
    problems.add(Problem(f"{where}: {name}", f"{value!r:.80}", f"one of {', '.join(choices)}"))
    return choices[0]


def _nodes(value: object, where: str, problems: Problems) -> tuple[SeenNode, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        problems.add(Problem(f"{where}: nodes", f"{value!r:.80}", "a list of nodes"))
        return ()
    return tuple(_node(item, f"{where}: nodes[{number}]", problems) for number, item in enumerate(value))


def _node(item: object, where: str, problems: Problems) -> SeenNode:
    if not isinstance(item, dict):
        problems.add(Problem(where, f"{item!r:.80}", "an object"))
        return SeenNode("", "")
    fields = Fields(item, where, problems)
    name, title = fields.text("id"), fields.text("title")
    for field, found in (("id", name), ("title", title)):
        if found is None and item.get(field) is None:
            problems.add(Problem(f"{where}.{field}", "nothing", "a string"))
    return SeenNode(
        id=name or "",
        title=title or "",
        parent=fields.text("parent"),
        path=fields.text("path"),
        start=fields.count("start"),
        end=fields.count("end"),
    )
