"""One ranking out of several: by ranks, or by scores; and the hook that orders the best anew."""

from __future__ import annotations

from collections import defaultdict
from importlib.metadata import EntryPoint
from math import fsum
from typing import TYPE_CHECKING

import rankgate as rg

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rankgate_reference.documents.nodes import TreeNode

    Reranker = Callable[[str, Sequence[TreeNode]], Sequence[int]]
    Scores = Mapping[str, float]

K = 60
"""How little the first ranks stand out; 60 is what everyone takes."""

FUSIONS = ("scores", "ranks")
"""How lists can be made one."""


def by_ranks(lists: Sequence[Scores], weights: Sequence[float]) -> dict[str, float]:
    """Sum up what each list gives by rank: 1 / (60 + rank), the best at rank 1; equal scores share a rank.

    >>> by_ranks([{"a": 9.0, "b": 1.0}, {"b": 0.5}], [1, 1])["b"] == 1 / 62 + 1 / 61
    True
    """
    parts: dict[str, list[float]] = defaultdict(list)
    for scores, weight in zip(lists, weights, strict=True):
        if weight <= 0:
            continue
        ranks: dict[float, int] = {}
        for rank, score in enumerate(sorted(scores.values(), reverse=True), 1):
            ranks.setdefault(score, rank)
        for id_, score in scores.items():
            parts[id_].append(weight / (K + ranks[score]))
    return _summed(parts)


def by_scores(
    lists: Sequence[Scores], weights: Sequence[float], lowest: Sequence[float | None] | None = None
) -> dict[str, float]:
    """Sum up the scores of lists, each brought to 0 for its lowest and 1 for its highest.

    >>> by_scores([{"a": 9.0, "b": 4.5}, {"b": 0.5, "c": 0.25}], [0.5, 0.5], [0.0, None])
    {'a': 0.5, 'b': 0.75, 'c': 0.0}

    Args:
        lists: The score of each id; what a list lacks counts 0 there.
        weights: What each list counts; one that counts 0 is left out.
        lowest: What becomes 0, by list, where scores have a natural zero; otherwise the lowest score does.
    """
    parts: dict[str, list[float]] = defaultdict(list)
    for at, (scores, weight) in enumerate(zip(lists, weights, strict=True)):
        if not scores or weight <= 0:
            continue
        low = lowest[at] if lowest else None
        low = min(scores.values()) if low is None else low
        span = max(scores.values()) - low
        for id_, score in scores.items():
            parts[id_].append(weight * ((score - low) / span if span > 0 else 1.0))
    return _summed(parts)


def load_reranker(name: str) -> Reranker:
    """Import what orders the best nodes anew: ``module:attr``, called with the query and the nodes.

    It gives positions among the nodes, best first.

    Raises:
        InputError: where there is none.
    """
    try:
        found: object = EntryPoint("rerank", name, "").load() if ":" in name else None
    except Exception as error:  # whatever a module raises while it is imported
        said = f"{type(error).__name__}: {error}"
        raise rg.InputError(rg.Problem("rerank", repr(name[:80]), "module:attr", said)) from error
    if not callable(found):
        raise rg.InputError(rg.Problem("rerank", repr(name[:80]), "module:attr of something to call"))
    return found


def reranked(rerank: Reranker, text: str, nodes: Sequence[TreeNode]) -> list[int]:
    """Ask for the order of nodes; positions that are left out follow in the order that they had.

    Raises:
        SystemFailedError: where it raises, or gives what are no positions.
    """
    try:
        order = [int(at) for at in rerank(text, nodes)]
    except Exception as error:  # whatever the user's code raises
        said = f"{type(error).__name__}: {error}"
        raise rg.SystemFailedError(rg.Problem("rerank", said, "the order of the nodes")) from error
    if len(set(order)) != len(order) or any(not 0 <= at < len(nodes) for at in order):
        found, expected = f"{order[:10]}", f"positions from 0 to {len(nodes) - 1}, each once"
        raise rg.SystemFailedError(rg.Problem("rerank", found, expected))
    named = set(order)
    return [*order, *(at for at in range(len(nodes)) if at not in named)]


def _summed(parts: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Add up so that the order of the lists changes nothing, not even a last digit."""
    return {id_: fsum(found) for id_, found in parts.items()}
