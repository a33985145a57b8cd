"""What is asked beside the cases of a suite: the searches of its scenarios, the queries of its invariants.

They are kept apart from the answers to the cases, under names of their own, and never scored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.model.scenarios import Action
from rankgate.model.search import Query

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.model.suite import Suite


def step_id(scenario: str, step: int) -> str:
    """Name the search of one step, counted from 0.

    >>> step_id("rotate a key", 0)
    'scenario:rotate a key:0'
    """
    return f"scenario:{scenario}:{step}"


def query_id(invariant: str, query: int) -> str:
    """Name one query of an invariant, counted from 0.

    >>> query_id("plural", 1)
    'invariant:plural:1'
    """
    return f"invariant:{invariant}:{query}"


def probes(suite: Suite) -> Iterator[tuple[str, Query]]:
    """Go through everything that is asked for scenarios and invariants, by name."""
    for scenario in suite.scenarios:
        for number, step in enumerate(scenario.steps):
            if step.action is Action.SEARCH:
                yield step_id(scenario.name, number), Query(step.query, step.k, step.filters)
    for invariant in suite.invariants:
        for number, query in enumerate(invariant.queries):
            yield query_id(invariant.name, number), query
