"""Krippendorff's alpha: agreement of any number of judges, with gaps, on nominal, ordinal or interval grades.

Reference: Krippendorff, Content Analysis, 4th edition, 2018, chapter 12.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from rankgate.judging.agreement.ratings import Ratings
    from rankgate.scoring.matches import Floats

Level: TypeAlias = Literal["nominal", "ordinal", "interval"]
"""What the distance of two grades is: whether they differ, how many grades lie between, their difference."""


def coincidence_sums(ratings: Ratings) -> Floats:
    """Return per query how often two grades meet in one unit, each grade counted once.

    A unit with m grades has m (m - 1) ordered pairs, which count 1 / (m - 1) each. A unit with one grade
    has none and counts nothing.
    """
    counts, size = ratings.counts(), len(ratings.scale)
    given = counts.sum(axis=1)
    several = given >= 2
    counts, given, queries = counts[several], given[several], ratings.queries[several]
    pairs = counts[:, :, None] * counts[:, None, :]
    pairs[:, np.arange(size), np.arange(size)] -= counts
    sums = np.zeros((ratings.blocks, size, size))
    np.add.at(sums, queries, pairs / (given - 1)[:, None, None])
    return sums


def krippendorff_alpha(tables: ArrayLike, scale: ArrayLike, level: Level = "ordinal") -> Floats:
    """Return the alpha of tables of coincidences, … × grades × grades; NaN where all said the same.

    >>> float(krippendorff_alpha([[4.0, 1.0], [1.0, 4.0]], [0, 1], "nominal"))
    0.64
    """
    met = np.asarray(tables, dtype=np.float64)
    given = met.sum(axis=-1)
    apart = _distances(given, np.asarray(scale, dtype=np.float64), level)
    observed = (met * apart).sum(axis=(-2, -1)) * (given.sum(axis=-1) - 1)
    expected = (given[..., :, None] * given[..., None, :] * apart).sum(axis=(-2, -1))
    ratio = np.divide(observed, expected, out=np.full(expected.shape, np.nan), where=expected > 0)
    return np.asarray(1 - ratio, dtype=np.float64)


def _distances(given: Floats, scale: Floats, level: Level) -> Floats:
    if level == "nominal":
        return np.asarray(scale[:, None] != scale, dtype=np.float64)
    # Ordinal grades are as far apart as the mean ranks of those who got them.
    places = np.cumsum(given, axis=-1) - given / 2 if level == "ordinal" else scale
    apart: Floats = (places[..., :, None] - places[..., None, :]) ** 2
    return apart
