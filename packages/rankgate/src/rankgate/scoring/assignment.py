"""Two ways to hand out credit where a hit reaches several targets, or several hits reach one target.

Both are exact, and meant for one query at a time: its hits above a cut, and its targets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.scoring.matches import Floats, Ints


def most_hits_first(reaches: Sequence[Sequence[int]]) -> dict[int, int]:
    """Match as many hits as possible, and of all such matchings the one that uses the earliest hits.

    Hits are tried in order; one that finds a free target, moving earlier hits to other targets
    where it must, stays matched (Kuhn's augmenting paths over a transversal matroid). So the hits
    matched among the first n do not depend on what follows.

    Args:
        reaches: for each hit, best first, the targets that it reaches.

    Returns:
        The target of each hit that got one.

    >>> most_hits_first([[0, 1], [0]])
    {0: 1, 1: 0}
    """
    owner: dict[int, int] = {}
    holds: dict[int, int] = {}
    for newcomer in range(len(reaches)):
        tried_by: dict[int, int] = {}
        waiting = [newcomer]
        for hit in waiting:  # grows while it is walked: breadth first, so depth needs no recursion
            free = None
            for target in reaches[hit]:
                if target not in tried_by:
                    tried_by[target] = hit
                    if target not in owner:
                        free = target
                        break
                    waiting.append(owner[target])
            if free is not None:
                _shift(free, newcomer, tried_by, owner, holds)
                break
    return dict(sorted(holds.items()))


def _shift(
    free: int, newcomer: int, tried_by: dict[int, int], owner: dict[int, int], holds: dict[int, int]
) -> None:
    """Assign the free target to the hit that found it, what that hit held to the one before, and so on."""
    while True:
        hit = tried_by[free]
        given_up = holds.get(hit)
        owner[free], holds[hit] = hit, free
        if hit == newcomer or given_up is None:
            return
        free = given_up


def heaviest(weights: Floats) -> dict[int, int]:
    """Match hits with targets so that the weights add up to the most.

    The Hungarian algorithm, by shortest augmenting paths with prices. A hit may also stay without a
    target, at weight 0.

    Args:
        weights: a row a hit, a column a target; 0 where the hit does not reach the target.

    Returns:
        The target of each hit that got one.

    >>> heaviest(np.array([[3.0, 2.0], [1.9, 0.0]]))
    {0: 1, 1: 0}
    """
    hits, targets = weights.shape
    # As many columns again as there are hits stand for "no target".
    cost = np.concatenate([-weights, np.zeros((hits, hits))], axis=1)
    row_price, column_price = np.zeros(hits), np.zeros(targets + hits)
    owner: Ints = np.full(targets + hits, -1, dtype=np.int64)
    for hit in range(hits):
        _place(hit, cost, row_price, column_price, owner)
    chosen = {int(owner[target]): target for target in range(targets) if owner[target] >= 0}
    return {hit: target for hit, target in sorted(chosen.items()) if weights[hit, target] > 0}


def _place(hit: int, cost: Floats, row_price: Floats, column_price: Floats, owner: Ints) -> None:
    """Assign `hit` a column by the cheapest chain of moves, and adjust the prices to match."""
    columns = cost.shape[1]
    distance = np.full(columns, np.inf)
    reached_from: Ints = np.full(columns, -1, dtype=np.int64)
    done = np.zeros(columns, dtype=bool)
    row, column, total = hit, -1, 0.0
    while True:
        offered = total + cost[row] - row_price[row] - column_price
        better = ~done & (offered < distance)
        distance[better], reached_from[better] = offered[better], column
        column = int(np.argmin(np.where(done, np.inf, distance)))
        total = float(distance[column])
        done[column] = True
        if owner[column] < 0:
            break
        row = int(owner[column])
    row_price[hit] += total
    for other in np.flatnonzero(done):
        if owner[other] >= 0:
            row_price[owner[other]] += total - distance[other]
        column_price[other] -= total - distance[other]
    while column >= 0:
        previous = int(reached_from[column])
        owner[column] = hit if previous < 0 else owner[previous]
        column = previous
