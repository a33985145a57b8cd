"""Choosing by chance, so that the mean over what is chosen estimates the mean over all.

A query is chosen with a probability that is proportional to how often it was asked (or the same for all), and
weighs what it stands for divided by that probability, as Horvitz and Thompson do. Which are chosen is decided
by a number between 0 and 1 of each query's own (sequential Poisson sampling, Ohlsson 1998), so that the size
is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

By = Literal["traffic", "queries"]
FREQUENCIES = ("head", "torso", "tail")
"""The strata of `frequency_strata`: each has about a third of the searches."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was chosen."""

    rows: Ints
    """Which, those that were asked most first."""
    inclusion: Floats
    """How likely each was to be chosen."""
    weight: Floats
    """What each stands for, divided by how likely it was chosen; 1 on average."""


def choose(chance: Floats, seen: Ints, strata: Ints, size: int, by: By = "traffic") -> Chosen:
    """Choose rows, as many of each stratum as far as it has so many.

    Args:
        chance: A number between 0 and 1 for each row.
        seen: How often each was asked.
        strata: The number of its stratum.
        size: How many to choose.
        by: What means are over: searches ("traffic"), or different queries.

    >>> chosen = choose(np.array([0.9, 0.6, 0.2]), np.array([96, 2, 2]), np.zeros(3, dtype=int), 2)
    >>> chosen.rows.tolist(), chosen.inclusion.tolist()
    ([0, 2], [1.0, 0.5])
    """
    parts = [np.flatnonzero(strata == number) for number in np.unique(strata)]
    rows: list[Ints] = []
    inclusion: list[Floats] = []
    for part, many in zip(parts, allocate([len(part) for part in parts], size), strict=True):
        likely = inclusion_probabilities(_sizes(seen[part], by), many)
        with np.errstate(divide="ignore"):
            # What is certain comes first.
            order = np.argsort(np.where(likely >= 1, -1.0, chance[part] / likely), kind="stable")[:many]
        rows.append(part[order])
        inclusion.append(likely[order])
    found, likely = np.concatenate(rows), np.concatenate(inclusion)
    order = np.lexsort((chance[found], -seen[found]))
    found, likely = found[order], likely[order]
    stands_for = _sizes(seen[found], by) / likely
    return Chosen(found, likely, stands_for / stands_for.mean())


def _sizes(seen: Ints, by: By) -> Floats:
    return seen.astype(np.float64) if by == "traffic" else np.ones(len(seen))


def allocate(heights: list[int], size: int) -> list[int]:
    """Give each stratum the same number, and what some cannot fill to the others.

    >>> allocate([5, 100, 100], 60), allocate([3], 10)
    ([5, 28, 27], [3])
    """
    given = [0] * len(heights)
    unfilled, left = [at for at, height in enumerate(heights) if height], size
    while unfilled and left:
        share, rest = divmod(left, len(unfilled))
        for number, at in enumerate(unfilled):
            more = min(heights[at] - given[at], share + (number < rest))
            given[at] += more
            left -= more
        unfilled = [at for at in unfilled if given[at] < heights[at]]
    return given


def inclusion_probabilities(sizes: Floats, many: int) -> Floats:
    """Return how likely each is chosen: as its size is, and certainly where that would be more than 1.

    >>> inclusion_probabilities(np.array([8.0, 1.0, 1.0]), 2).tolist()
    [1.0, 0.5, 0.5]
    """
    found = np.zeros(len(sizes))
    sure = np.zeros(len(sizes), dtype=bool)
    while (left := many - int(sure.sum())) > 0 and not sure.all():
        found = left * sizes / sizes[~sure].sum()
        more = ~sure & (found >= 1)
        if not more.any():
            break
        sure |= more
    return np.where(sure, 1.0, found)


def frequency_strata(seen: Ints, chance: Floats) -> Ints:
    """Tell rows apart by how often they were asked, so that each stratum has about a third of the searches.

    >>> frequency_strata(np.array([1, 4, 1, 2, 4]), np.linspace(0, 1, 5)).tolist()
    [2, 0, 2, 2, 1]
    """
    order = np.lexsort((chance, -seen))
    before = np.cumsum(seen[order]) - seen[order]
    strata = np.empty(len(seen), dtype=np.int64)
    strata[order] = np.minimum(3 * before // max(1, seen.sum()), 2)
    return strata
