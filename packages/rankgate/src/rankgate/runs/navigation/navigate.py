"""Taking the steps of scenarios through a system's documents, and keeping what each step showed.

A step names a location. The document is looked up among those that the system lists, the node in the
document's tree, and only then is it read: so each step costs the calls that somebody would make who comes to
it anew.
The list of documents is asked for once and kept, and charged to every scenario that needs it, as one call.
A document's tree is asked for once a scenario. Whatever the system does becomes an observation.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rankgate.errors import Code, SystemFailedError, contained, escaped
from rankgate.io.secrets import hidden, hidden_in_data
from rankgate.model import Action, estimated_tokens
from rankgate.runs.asking.ask import one_line
from rankgate.runs.navigation.transcripts import Observation, StepStatus, Transcript
from rankgate.runs.navigation.trees import AbsentError, Listed, find_document, find_node, kept_name, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rankgate.model import Navigator, Node, Scenario, Step, Waypoint

MOST_TEXT = 1_000_000
"""How many bytes of a text are kept."""


def navigate(
    scenarios: Sequence[Scenario], navigator: Navigator, waypoints: Mapping[tuple[str, int], Waypoint]
) -> Transcript:
    """Take every step of every scenario that is no search, in order.

    A step that could not be taken does not end its scenario: the next names a location of its own.

    Args:
        scenarios: What to try.
        navigator: The system.
        waypoints: The locations of the steps, by the scenario's name and the step's number from 0.
    """
    observations: list[Observation] = []
    documents: _Answer | None = None
    for scenario in scenarios:
        walk = _Walk(navigator, documents)
        for number, step in enumerate(scenario.steps):
            if step.action is not Action.SEARCH:
                waypoint = waypoints.get((scenario.name, number))
                observations.append(walk.take(scenario.name, number, step, waypoint))
        documents = walk.documents
    return Transcript(tuple(observations))


@dataclass(slots=True)
class _Answer:
    """What came of one call."""

    milliseconds: float
    tokens: int = 0
    nodes: Listed | None = None
    error: Exception | None = None


@dataclass(slots=True)
class _Seen:
    """What a step showed so far, and what that took."""

    calls: int = 0
    tokens: int = 0
    milliseconds: float = 0.0
    node: str | None = None
    nodes: Listed | None = None
    text: str | None = None
    cut: int = 0

    def charge(self, answer: _Answer) -> None:
        self.calls += 1
        self.tokens += answer.tokens
        self.milliseconds += answer.milliseconds


@dataclass(slots=True)
class _Walk:
    """One scenario under way: what it asked for already is not asked for again."""

    navigator: Navigator
    documents: _Answer | None
    """The list of documents, kept for every scenario once the system gave it."""
    roots: _Answer | None = None
    trees: dict[str, _Answer] = field(default_factory=dict)

    def take(self, scenario: str, number: int, step: Step, waypoint: Waypoint | None) -> Observation:
        seen, status, error = _Seen(), StepStatus.OK, None
        try:
            self._take(step, waypoint, seen)
        except AbsentError as absent:
            status, error = StepStatus.NOT_FOUND, escaped(str(absent))
        except TimeoutError as late:
            status, error = StepStatus.TIMEOUT, one_line(late)
        except Exception as failure:  # noqa: BLE001 - a system under test may raise anything
            status, error = StepStatus.ERROR, one_line(failure)
        taken = status is StepStatus.OK
        return Observation(
            scenario,
            number,
            step.action,
            status,
            None if error is None else hidden(error),
            latency_ms=seen.milliseconds if taken else None,
            calls=seen.calls,
            tokens=seen.tokens,
            node=None if seen.node is None else kept_name(seen.node),
            nodes=seen.nodes.seen() if seen.nodes is not None and taken else (),
            text=seen.text,
            cut=seen.cut,
        )

    def _take(self, step: Step, waypoint: Waypoint | None, seen: _Seen) -> None:
        if waypoint is None:
            raise AbsentError("its location was not looked up in the corpus")
        document = find_document(self._roots(seen), waypoint.path)
        seen.node = document.id
        if step.action is Action.TREE:
            seen.nodes = self._tree(document, seen)
            seen.cut = seen.nodes.cut
            return
        if waypoint.titles or waypoint.start is not None:
            seen.node = None
            seen.node = find_node(self._tree(document, seen), document, waypoint).id
        if step.action is Action.READ:
            self._read(self.navigator.read, "read", seen)
        else:
            self._read(self.navigator.subtree, "subtree", seen)

    def _roots(self, seen: _Seen) -> Listed:
        if self.roots is None:
            self.roots = self.documents or _list(self.navigator.documents, "documents")
            if self.roots.error is None:
                self.documents = self.roots
            seen.charge(self.roots)
        return _nodes(self.roots)

    def _tree(self, document: Node, seen: _Seen) -> Listed:
        if document.id not in self.trees:
            answer = _list(lambda: self.navigator.tree(document.id), "tree")
            self.trees[document.id] = answer
            seen.charge(answer)
        return _nodes(self.trees[document.id])

    def _read(self, call: Callable[[str], object], where: str, seen: _Seen) -> None:
        seen.calls += 1
        start = time.perf_counter()
        with contained():
            text = call(str(seen.node))
        seen.milliseconds += (time.perf_counter() - start) * 1000
        if not isinstance(text, str):
            raise SystemFailedError(Code.WRONG_ANSWER(where, f"a {type(text).__name__}", "a string"))
        seen.tokens += estimated_tokens(text)
        whole = hidden_in_data(text).encode(errors="replace")
        seen.text = whole[:MOST_TEXT].decode(errors="ignore")
        seen.cut = max(0, len(whole) - MOST_TEXT)


def _nodes(answer: _Answer) -> Listed:
    if answer.error is not None:
        raise answer.error
    return answer.nodes or Listed((), 0)


def _list(call: Callable[[], object], where: str) -> _Answer:
    """Ask for nodes; what goes wrong is kept, so that it is told at every step that needs them."""
    start = time.perf_counter()
    try:
        with contained():
            given = call()
        milliseconds = (time.perf_counter() - start) * 1000
        nodes = listed(given, where)
    except Exception as error:  # noqa: BLE001 - a system under test may raise anything
        return _Answer((time.perf_counter() - start) * 1000, error=error)
    return _Answer(milliseconds, nodes.tokens, nodes)
