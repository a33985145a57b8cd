"""Scenarios: whether somebody who looks for something gets there, and what it costs.

Judged from what was stored, the answers to the searches and the transcript of the other steps. A scenario
succeeds where every step could be taken and showed all that it must. A step that shows nothing at all, no
hits, no nodes or no text, never passes, whatever it was asked for.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rankgate.errors import FormatError
from rankgate.gates.checks import CheckResult, ScenarioResult
from rankgate.gates.probe_answers import no_answer
from rankgate.model import Action, Answer
from rankgate.model.probes import step_id
from rankgate.model.wording import many, quoted
from rankgate.runs.navigation.titles import folded, names, near, plain
from rankgate.runs.navigation.transcripts import StepStatus

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rankgate.gates.probe_answers import ProbeAnswer, ProbeAnswers
    from rankgate.model import Scenario, Step, Waypoint
    from rankgate.runs.navigation.transcripts import Observation, SeenNode, Transcript

NOT_NAVIGABLE = "the system cannot be navigated (documents, tree, read, subtree)"
"""Why a scenario fails with a system that only searches."""
NOT_ASKED = "not run: there is no system to ask, only answers that were stored"
"""Why nothing can be said of a scenario or an invariant."""

_SHOWN = 3
# How a heading is marked up differs between a title and the text it stands in.
_MARKUP = str.maketrans("", "", "`*_~\\")


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that scenarios are judged by."""

    answers: ProbeAnswers
    """The answers to the searches."""
    transcript: Transcript | None
    """What the other steps showed; None where none was tried."""
    waypoints: Mapping[tuple[str, int], Waypoint] = field(default_factory=dict)
    """The locations of the steps, as the corpus has them."""
    ranks: Mapping[tuple[str, int], int | None] = field(default_factory=dict)
    """The rank of the first hit on each location that a search must find, by probe and number."""


@dataclass(frozen=True, slots=True)
class _Short:
    """One thing that fell short; open where the system failed, so that it cannot be told."""

    words: str
    open: bool = False


def judge_scenarios(scenarios: Sequence[Scenario], evidence: Evidence) -> tuple[ScenarioResult, ...]:
    """Return of every scenario whether it succeeds."""
    seen = {} if evidence.transcript is None else evidence.transcript.by_step()
    return tuple(_judged(scenario, evidence, seen) for scenario in scenarios)


def _judged(
    scenario: Scenario, evidence: Evidence, seen: Mapping[tuple[str, int], Observation]
) -> ScenarioResult:
    walks = any(step.action is not Action.SEARCH for step in scenario.steps)
    searches = any(step.action is Action.SEARCH for step in scenario.steps)
    if (walks and evidence.transcript is None) or (searches and not evidence.answers.asked):
        return ScenarioResult(scenario.name, CheckResult.NOT_RUN, (NOT_ASKED,), where=scenario.where)
    short: list[_Short] = []
    navigable = evidence.transcript is None or evidence.transcript.navigable
    if walks and not navigable:
        short.append(_Short(NOT_NAVIGABLE))
    calls = tokens = 0
    for number, step in enumerate(scenario.steps):
        if step.action is Action.SEARCH:
            probe = step_id(scenario.name, number)
            answer = evidence.answers[probe]
            found = _search(step, answer, [evidence.ranks.get((probe, at)) for at in range(len(step.finds))])
            calls += answer.status is not Answer.MISSING
            tokens += answer.tokens
        elif navigable:
            observation = seen.get((scenario.name, number))
            found = _walked(step, observation, evidence.waypoints.get((scenario.name, number)))
            calls += observation.calls if observation else 0
            tokens += observation.tokens if observation else 0
        else:
            continue
        short += [_Short(f"step {number + 1}, {_named(step)}: {one.words}", one.open) for one in found]
    return ScenarioResult(
        scenario.name, _result(short), tuple(one.words for one in short), calls, tokens, scenario.where
    )


def _result(short: Sequence[_Short]) -> CheckResult:
    if not short:
        return CheckResult.PASSED
    return CheckResult.NOT_RUN if all(one.open for one in short) else CheckResult.FAILED


def _named(step: Step) -> str:
    return f"{step.action} {quoted(step.query) if step.action is Action.SEARCH else step.at}"


def _search(step: Step, answer: ProbeAnswer, ranks: Sequence[int | None]) -> Iterator[_Short]:
    if answer.failed:
        yield _Short(no_answer(answer.status, answer.error), open=True)
    elif answer.status is Answer.MISSING:
        yield _Short("the run does not have the query")
    elif not answer.hits:
        yield _Short("no hits")
    else:
        for location, rank in zip(step.finds, ranks, strict=True):
            if rank is None or rank > step.k:
                later = "" if rank is None else f", but at rank {rank}"
                among = (
                    "the one hit"
                    if len(answer.hits) == 1
                    else f"the first {min(step.k, len(answer.hits))} hits"
                )
                yield _Short(f"{location} is not among {among}{later}")


def _walked(step: Step, seen: Observation | None, waypoint: Waypoint | None) -> Iterator[_Short]:
    if seen is None:
        yield _Short("the transcript does not have the step")
    elif seen.status.failed:
        yield _Short(no_answer(seen.status, seen.error), open=True)
    elif seen.status is StepStatus.NOT_FOUND:
        yield _Short(seen.error or "the location was not found")
    elif step.action is Action.TREE:
        yield from _tree(step, seen)
    else:
        yield from _text(step, seen, waypoint)


def _tree(step: Step, seen: Observation) -> Iterator[_Short]:
    if not seen.nodes:
        yield _Short("the tree has no nodes")
        return
    by_id: dict[str, list[SeenNode]] = {}
    by_name: dict[str, list[SeenNode]] = {}
    for node in seen.nodes:
        by_id.setdefault(node.id, []).append(node)
        for name in names(node.title):
            by_name.setdefault(name, []).append(node)
    left_out = f" ({many(seen.cut, 'more node')} not kept)" if seen.cut else ""
    yield from map(_Short, _malformed(seen.nodes, by_id))
    wanted = dict.fromkeys((*step.has, *(child for child, _ in step.under)))
    for title in wanted:
        if plain(title) not in by_name:
            like = near(title, (node.title for node in seen.nodes))
            yield _Short(f"no node {quoted(title)} among {many(len(seen.nodes), 'node')}{left_out}{like}")
    for child, parent in step.under:
        nodes = by_name.get(plain(child), [])
        if nodes and not any(_stands_under(node, plain(parent), by_id) for node in nodes):
            yield _Short(f"{quoted(child)} {_stands(nodes[0], by_id)}, not under {quoted(parent)}")


def _malformed(nodes: Sequence[SeenNode], by_id: Mapping[str, Sequence[SeenNode]]) -> Iterator[str]:
    """Find what no tree may have: an id of several nodes, parents that go in a circle."""
    twice = [name for name, some in by_id.items() if len(some) > 1]
    if twice:
        shown = ", ".join(map(quoted, twice[:_SHOWN]))
        yield f"{many(len(twice), 'id')} of more than one node: {shown}"
    done: set[str] = set()
    for node in nodes:
        path: dict[str, SeenNode] = {}
        here: SeenNode | None = node
        while here is not None and here.id not in done and here.id not in path:
            path[here.id] = here
            above = by_id.get(here.parent) if here.parent is not None else None
            here = above[0] if above else None
        if here is not None and here.id in path:
            yield f"the parents of {quoted(here.title)} go in a circle"
            return
        done.update(path)


def _stands_under(node: SeenNode, title: str, by_id: Mapping[str, Sequence[SeenNode]]) -> bool:
    above = by_id.get(node.parent, ()) if node.parent is not None else ()
    # An id of several nodes names none of them.
    return len(above) == 1 and title in names(above[0].title)


def _stands(node: SeenNode, by_id: Mapping[str, Sequence[SeenNode]]) -> str:
    if node.parent is None:
        return "stands at the top"
    above = by_id.get(node.parent, ())
    if not above:
        return f"has the parent {quoted(node.parent)}, which is not in the tree"
    return f"stands under {quoted(above[0].title)}"


def _text(step: Step, seen: Observation, waypoint: Waypoint | None) -> Iterator[_Short]:
    text = folded(seen.text or "")
    if not text:
        yield _Short("the text is empty")
        return
    left_out = f" (its last {many(seen.cut, 'byte')} were not kept)" if seen.cut else ""
    for words in step.contains:
        if folded(words) not in text:
            yield _Short(f"the text does not have {quoted(words)}{left_out}")
    for words in step.excludes:
        if folded(words) in text:
            yield _Short(f"the text has {quoted(words)}, which belongs elsewhere")
        elif seen.cut:
            yield _Short(f"it cannot be told whether the text has {quoted(words)}{left_out}")
    if step.complete:
        yield from _complete(seen.text or "", waypoint, left_out)


def _complete(text: str, waypoint: Waypoint | None, left_out: str) -> Iterator[_Short]:
    wanted = Counter(title for title in map(_bare, waypoint.below if waypoint else ()) if title)
    if waypoint is None or not wanted:
        yield _Short("the corpus has nothing below it, so that complete says nothing")
        return
    bare = _bare(text)
    missing = [title for title, times in wanted.items() if not _stands_in(title, bare, times)]
    if missing:
        # A title with a link or an entity in it is not written as it reads.
        outlined = _outlined(waypoint.path, text)
        missing = [title for title in missing if outlined[title] < wanted[title]]
    if missing:
        shown = ", ".join(map(quoted, missing[:_SHOWN]))
        more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
        of = many(len(wanted), "title")
        yield _Short(f"{len(missing)} of {of} below it not in the text{left_out}: {shown}{more}")


def _outlined(path: str, text: str) -> Counter[str]:
    """Count the titles that the text has by its own outline; none where it has no outline."""
    from rankgate.outline import read_outline

    try:
        nodes = read_outline(path, text) or ()
    except FormatError:
        return Counter()
    return Counter(_bare(node.name) for node in nodes[1:])


def _bare(title: str) -> str:
    return folded(title).translate(_MARKUP)


def _stands_in(title: str, text: str, times: int) -> bool:
    """Check whether a title stands in a text so often, as whole words."""
    at = text.find(title)
    while at >= 0 and times:
        end = at + len(title)
        inside = (title[0].isalnum() and text[at - 1 : at].isalnum()) or (
            title[-1].isalnum() and text[end : end + 1].isalnum()
        )
        times -= not inside
        at = text.find(title, at + 1)
    return times <= 0
