"""Drawing queries by chance, so that the mean over those drawn estimates the mean over all.

A query is drawn with a probability that is proportional to how often it was asked (or the same for all), and
weighs what it stands for divided by that probability, as Horvitz and Thompson do. Which are drawn is decided
by a number between 0 and 1 that is made of the seed and the query alone (sequential Poisson sampling, Ohlsson
1998): the size is exact, and next month's log, drawn with the same seed, shares most of its queries with this
one's.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

By = Literal["traffic", "queries"]
_CHUNK = 1_000_000
FREQUENCIES = ("head", "torso", "tail")
"""The strata of `with_frequencies`: each has a third of the searches."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """The queries that were drawn."""

    queries: pl.DataFrame
    """`query`, `stratum`, `seen`, `inclusion` (how likely it was drawn) and `weight` (1 on average)."""
    among: int
    """How many different queries they were drawn from."""
    share: float
    """Which share of the searches their queries are."""


def draw(counts: pl.DataFrame, size: int, *, seed: int = 0, by: By = "traffic") -> Drawn:
    """Draw queries; where they have strata, the same number of each, as far as there are so many.

    Args:
        counts: `query`, `stratum` and `seen`, as `count_log` has them.
        size: How many to draw.
        seed: What chance is made of.
        by: What means are over: searches ("traffic"), or different queries.

    >>> counts = pl.DataFrame({"query": ["keys", "ports", "logs"], "stratum": None, "seen": [96, 2, 2]})
    >>> drawn = draw(counts.cast({"stratum": pl.String}), 2, seed=1)
    >>> drawn.queries["query"].to_list()[0], drawn.queries["inclusion"].to_list(), drawn.share >= 0.96
    ('keys', [1.0, 0.5], True)
    """
    parts = counts.partition_by("stratum", maintain_order=False) if counts.height else []
    parts.sort(key=lambda part: part["stratum"][0] or "")
    sizes = allocate([part.height for part in parts], size)
    drawn = [_draw_part(part, many, seed, by) for part, many in zip(parts, sizes, strict=True) if many]
    empty = counts.with_columns(inclusion=pl.lit(1.0), stands_for=pl.lit(1.0)).clear()
    found = pl.concat([empty, *drawn]).sort(["seen", "query"], descending=[True, False])
    weight = pl.col("stands_for") / pl.col("stands_for").mean()
    share = found["seen"].sum() / max(1, counts["seen"].sum())
    return Drawn(found.with_columns(weight=weight).drop("stands_for"), counts.height, float(share))


def allocate(heights: list[int], size: int) -> list[int]:
    """Give each stratum the same number, and what some cannot fill to the others.

    >>> allocate([5, 100, 100], 60), allocate([3], 10)
    ([5, 28, 27], [3])
    """
    given = [0] * len(heights)
    open_, left = [at for at, height in enumerate(heights) if height], size
    while open_ and left:
        share, rest = divmod(left, len(open_))
        for number, at in enumerate(open_):
            more = min(heights[at] - given[at], share + (number < rest))
            given[at] += more
            left -= more
        open_ = [at for at in open_ if given[at] < heights[at]]
    return given


def inclusion_probabilities(sizes: NDArray[np.float64], many: int) -> NDArray[np.float64]:
    """Return how likely each is drawn: as its size is, and certainly where that would be more than 1.

    >>> inclusion_probabilities(np.array([8.0, 1.0, 1.0]), 2).tolist()
    [1.0, 0.5, 0.5]
    """
    found = np.zeros(len(sizes))
    sure = np.zeros(len(sizes), dtype=bool)
    while (left := many - int(sure.sum())) > 0 and not sure.all():
        found = np.where(sure, 1.0, left * sizes / sizes[~sure].sum())
        more = ~sure & (found >= 1)
        if not more.any():
            break
        sure |= more
    return np.where(sure, 1.0, found)


def with_frequencies(counts: pl.DataFrame) -> pl.DataFrame:
    """Tell queries apart by how often they were asked, so that each stratum has a third of the searches."""
    ordered = counts.sort(["seen", "query"], descending=[True, False])
    before = (pl.col("seen").cum_sum() - pl.col("seen")) / pl.col("seen").sum()
    head, torso, tail = (pl.lit(name) for name in FREQUENCIES)
    which = pl.when(before < 1 / 3).then(head).when(before < 2 / 3).then(torso).otherwise(tail)
    return ordered.with_columns(stratum=which)


def _draw_part(part: pl.DataFrame, many: int, seed: int, by: By) -> pl.DataFrame:
    sizes = part["seen"].to_numpy().astype(np.float64) if by == "traffic" else np.ones(part.height)
    inclusion = inclusion_probabilities(sizes, many)
    chance = _chances(part["query"], seed)
    # What is certain comes first; of equals, which there are hardly any, the one with the smaller number.
    order = np.argsort(np.where(inclusion >= 1, -1.0, chance / inclusion), kind="stable")[:many]
    drawn = part[order]
    return drawn.with_columns(
        inclusion=pl.Series(inclusion[order]), stands_for=pl.Series(sizes[order] / inclusion[order])
    )


def _chances(queries: pl.Series, seed: int) -> NDArray[np.float64]:
    """Return a number between 0 and 1 for each query, the same on every machine and in every version."""
    key = seed.to_bytes(16, "little", signed=True)
    found = np.empty(len(queries))
    for start in range(0, len(queries), _CHUNK):
        some = queries.slice(start, _CHUNK)
        hashes = (hashlib.blake2b(one.encode(), digest_size=8, key=key).digest() for one in some)
        found[start : start + len(some)] = np.frombuffer(b"".join(hashes), dtype="<u8")
    return found / 2.0**64
