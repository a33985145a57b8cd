"""Scenarios: sequences of search, tree, read and subtree steps.

The input is the results of the searches and the transcript of the other steps. A scenario passes if every
step could be run and met its expectations. A step without any results, nodes or text fails.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rankgate.errors import FormatError
from rankgate.gates.checks import ProbeResult
from rankgate.gates.probe_answers import error_text
from rankgate.model import Action, Answer, step_id
from rankgate.runs.navigation.titles import folded, names, near, plain
from rankgate.runs.navigation.transcripts import StepStatus
from rankgate.wording import many, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rankgate.gates.probe_answers import ProbeAnswer, ProbeAnswers
    from rankgate.model import Scenario, Step, Waypoint
    from rankgate.runs.navigation.transcripts import Observation, SeenNode, Transcript

NOT_NAVIGABLE = "the system cannot be navigated (documents, tree, read, subtree)"
"""Why a scenario fails with a system that only searches."""
NO_SYSTEM = "not run: there is no system, only a stored run"
"""Why a scenario or an invariant was not run."""

_SHOWN = 3
# The markup of a heading differs between a title and the text.
_MARKUP = str.maketrans("", "", "`*_~\\")


@dataclass(frozen=True, slots=True)
class Evidence:
    """The results of the steps of scenarios."""

    answers: ProbeAnswers
    """The results of the searches."""
    transcript: Transcript | None
    """The results of the other steps; None if none was run."""
    waypoints: Mapping[tuple[str, int], Waypoint] = field(default_factory=dict)
    """The located steps, by scenario and number of the step."""
    ranks: Mapping[tuple[str, int], int | None] = field(default_factory=dict)
    """The rank of the first result on each location of `finds`, by query and number of the location."""


@dataclass(frozen=True, slots=True)
class _Problem:
    text: str
    error: bool = False
    """True if the system failed, so that the expectation could not be checked."""


def check_scenarios(scenarios: Sequence[Scenario], evidence: Evidence) -> tuple[ProbeResult, ...]:
    """Check every scenario."""
    seen = {} if evidence.transcript is None else evidence.transcript.by_step()
    return tuple(_check(scenario, evidence, seen) for scenario in scenarios)


def _check(
    scenario: Scenario, evidence: Evidence, seen: Mapping[tuple[str, int], Observation]
) -> ProbeResult:
    walks = any(step.action is not Action.SEARCH for step in scenario.steps)
    searches = any(step.action is Action.SEARCH for step in scenario.steps)
    if (walks and evidence.transcript is None) or (searches and not evidence.answers.available):
        return ProbeResult("scenario", scenario.name, None, (NO_SYSTEM,), where=scenario.where)
    problems: list[_Problem] = []
    navigable = evidence.transcript is None or evidence.transcript.navigable
    if walks and not navigable:
        problems.append(_Problem(NOT_NAVIGABLE))
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
        problems += [_Problem(f"step {number + 1}, {_title(step)}: {one.text}", one.error) for one in found]
    errors_only = bool(problems) and all(one.error for one in problems)
    return ProbeResult(
        "scenario",
        scenario.name,
        None if errors_only else not problems,
        tuple(one.text for one in problems),
        calls,
        tokens,
        scenario.where,
    )


def _title(step: Step) -> str:
    return f"{step.action} {quoted(step.query) if step.action is Action.SEARCH else step.at}"


def _search(step: Step, answer: ProbeAnswer, ranks: Sequence[int | None]) -> Iterator[_Problem]:
    if answer.failed:
        yield _Problem(error_text(answer.status, answer.error), error=True)
    elif answer.status is Answer.MISSING:
        yield _Problem("the run does not contain the query")
    elif not answer.hits:
        yield _Problem("no results")
    else:
        for location, rank in zip(step.finds, ranks, strict=True):
            if rank is None or rank > step.k:
                later = "" if rank is None else f"; it is at rank {rank}"
                within = many(min(step.k, len(answer.hits)), "result")
                yield _Problem(f"{location} is not within the first {within}{later}")


def _walked(step: Step, seen: Observation | None, waypoint: Waypoint | None) -> Iterator[_Problem]:
    if seen is None:
        yield _Problem("the transcript does not contain the step")
    elif seen.status.failed:
        yield _Problem(error_text(seen.status, seen.error), error=True)
    elif seen.status is StepStatus.NOT_FOUND:
        yield _Problem(seen.error or "the location was not found")
    elif step.action is Action.TREE:
        yield from _tree(step, seen)
    else:
        yield from _text(step, seen, waypoint)


def _tree(step: Step, seen: Observation) -> Iterator[_Problem]:
    if not seen.nodes:
        yield _Problem("the tree has no nodes")
        return
    by_id: dict[str, list[SeenNode]] = {}
    by_name: dict[str, list[SeenNode]] = {}
    for node in seen.nodes:
        by_id.setdefault(node.id, []).append(node)
        for name in names(node.title):
            by_name.setdefault(name, []).append(node)
    left_out = f" ({many(seen.cut, 'more node')} not saved)" if seen.cut else ""
    yield from map(_Problem, _malformed(seen.nodes, by_id))
    wanted = dict.fromkeys((*step.has, *(child for child, _ in step.under)))
    for title in wanted:
        if plain(title) not in by_name:
            like = near(title, (node.title for node in seen.nodes))
            yield _Problem(f"no node {quoted(title)} among {many(len(seen.nodes), 'node')}{left_out}{like}")
    for child, parent in step.under:
        nodes = by_name.get(plain(child), [])
        if nodes and not any(_is_under(node, plain(parent), by_id) for node in nodes):
            yield _Problem(f"{quoted(child)} is {_position(nodes[0], by_id)}, not under {quoted(parent)}")


def _malformed(nodes: Sequence[SeenNode], by_id: Mapping[str, Sequence[SeenNode]]) -> Iterator[str]:
    """Find ids of several nodes and cycles of parents."""
    twice = [name for name, some in by_id.items() if len(some) > 1]
    if twice:
        shown = ", ".join(map(quoted, twice[:_SHOWN]))
        yield f"{many(len(twice), 'duplicate id')}: {shown}"
    done: set[str] = set()
    for node in nodes:
        path: dict[str, SeenNode] = {}
        here: SeenNode | None = node
        while here is not None and here.id not in done and here.id not in path:
            path[here.id] = here
            above = by_id.get(here.parent) if here.parent is not None else None
            here = above[0] if above else None
        if here is not None and here.id in path:
            yield f"the parents of {quoted(here.title)} form a cycle"
            return
        done.update(path)


def _is_under(node: SeenNode, title: str, by_id: Mapping[str, Sequence[SeenNode]]) -> bool:
    above = by_id.get(node.parent, ()) if node.parent is not None else ()
    # A duplicate id is ambiguous.
    return len(above) == 1 and title in names(above[0].title)


def _position(node: SeenNode, by_id: Mapping[str, Sequence[SeenNode]]) -> str:
    if node.parent is None:
        return "at the top"
    above = by_id.get(node.parent, ())
    if not above:
        return f"under {quoted(node.parent)}, which is not in the tree"
    return f"under {quoted(above[0].title)}"


def _text(step: Step, seen: Observation, waypoint: Waypoint | None) -> Iterator[_Problem]:
    text = folded(seen.text or "")
    if not text:
        yield _Problem("the text is empty")
        return
    left_out = f" (its last {many(seen.cut, 'byte')} were not saved)" if seen.cut else ""
    for words in step.contains:
        if folded(words) not in text:
            yield _Problem(f"the text does not contain {quoted(words)}{left_out}")
    for words in step.excludes:
        if folded(words) in text:
            yield _Problem(f"the text contains {quoted(words)}, which is excluded")
        elif seen.cut:
            yield _Problem(f"the text may contain {quoted(words)}{left_out}")
    if step.complete:
        yield from _complete(seen.text or "", waypoint, left_out)


def _complete(text: str, waypoint: Waypoint | None, left_out: str) -> Iterator[_Problem]:
    wanted = Counter(title for title in map(_bare, waypoint.below if waypoint else ()) if title)
    if waypoint is None or not wanted:
        yield _Problem("the corpus has nothing below it, so complete cannot be checked")
        return
    bare = _bare(text)
    missing = [title for title, times in wanted.items() if not _occurs(title, bare, times)]
    if missing:
        # A title with a link or an entity differs from its source.
        outlined = _outlined(waypoint.path, text)
        missing = [title for title in missing if outlined[title] < wanted[title]]
    if missing:
        shown = ", ".join(map(quoted, missing[:_SHOWN]))
        more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
        of = many(len(wanted), "title")
        yield _Problem(f"{len(missing)} of {of} below it not in the text{left_out}: {shown}{more}")


def _outlined(path: str, text: str) -> Counter[str]:
    """Count the titles in the outline of the text."""
    from rankgate.outline import read_outline

    try:
        nodes = read_outline(path, text) or ()
    except FormatError:
        return Counter()
    return Counter(_bare(node.name) for node in nodes[1:])


def _bare(title: str) -> str:
    return folded(title).translate(_MARKUP)


def _occurs(title: str, text: str, times: int) -> bool:
    """Check if a text contains a title this many times, as whole words."""
    at = text.find(title)
    while at >= 0 and times:
        end = at + len(title)
        inside = (title[0].isalnum() and text[at - 1 : at].isalnum()) or (
            title[-1].isalnum() and text[end : end + 1].isalnum()
        )
        times -= not inside
        at = text.find(title, at + 1)
    return times <= 0
