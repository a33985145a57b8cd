"""Cohen's kappa of two judges and Fleiss' of several: agreement beyond what chance gives.

Each is a function of sums over units, so that a bootstrap over queries is a product of matrices. Functions of
sums take any number of tables at once and return NaN where kappa is undefined; the estimates made of them are
None there.

Reference: Cohen, Weighted kappa, Psychological Bulletin 1968; Fleiss, Measuring nominal scale agreement among
many raters, Psychological Bulletin 1971; for units with different numbers of grades, Gwet, Handbook of
Inter-Rater Reliability, 4th edition, 2014, chapter 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from rankgate.errors import Code, InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from rankgate.judging.agreement.ratings import Ratings
    from rankgate.scoring.matches import Floats

Weights: TypeAlias = Literal["none", "linear", "quadratic"]
"""How much worse a disagreement is the further it goes: not at all, by the distance, by its square."""


def confusion_sums(ratings: Ratings) -> Floats:
    """Count per query how often the first judge said the row and the second the column."""
    if len(ratings.judges) != 2:
        raise InputError(Code.WRONG_NUMBERS("Cohen's kappa", f"{len(ratings.judges)} judges", "two judges"))
    codes, size = ratings.codes(), len(ratings.scale)
    both = (codes >= 0).all(axis=1)
    counted = np.zeros((ratings.blocks, size, size))
    np.add.at(counted, (ratings.queries[both], codes[both, 0], codes[both, 1]), 1.0)
    return counted


def cohen_kappa(tables: ArrayLike, scale: ArrayLike | None = None, weights: Weights = "none") -> Floats:
    """Return the kappa of tables of counts, rows one judge's grades and columns the other's.

    Args:
        tables: Counts or weights, … × grades × grades.
        scale: The grades, ascending; 0, 1, 2, … where not given. Distances are those of the grades.
        weights: How a disagreement counts.

    >>> float(cohen_kappa([[20, 5], [10, 15]]))
    0.4
    """
    counted = np.asarray(tables, dtype=np.float64)
    apart = _distances(np.arange(counted.shape[-1]) if scale is None else scale, weights)
    total = counted.sum(axis=(-2, -1))
    rows, columns = counted.sum(axis=-1), counted.sum(axis=-2)
    observed = (counted * apart).sum(axis=(-2, -1)) * total
    expected = np.einsum("...i,ij,...j->...", rows, apart, columns)
    return _one_minus(observed, expected)


def share_within(tables: ArrayLike, scale: ArrayLike, most: float = 0.0) -> Floats:
    """Return the share of pairs of grades that are at most so far apart; 0 for equal ones."""
    counted = np.asarray(tables, dtype=np.float64)
    near = _distances(scale, "linear") <= most
    total = counted.sum(axis=(-2, -1))
    shares: Floats = np.divide(
        (counted * near).sum(axis=(-2, -1)), total, out=np.full(total.shape, np.nan), where=total > 0
    )
    return shares


def fleiss_sums(ratings: Ratings) -> Floats:
    """Return the sums per query that Fleiss' kappa is made of, over units with two grades or more.

    They are the number of units, the agreement within each unit, and the share of each grade in each unit.
    """
    counts, size = ratings.counts(), len(ratings.scale)
    several = counts.sum(axis=1) >= 2
    counts, queries = counts[several], ratings.queries[several]
    given = counts.sum(axis=1)
    within = (counts * (counts - 1)).sum(axis=1) / (given * (given - 1))
    rows = np.column_stack([np.ones(len(given)), within, counts / given[:, None]])
    sums = np.zeros((ratings.blocks, size + 2))
    np.add.at(sums, queries, rows)
    return sums


def fleiss_kappa(sums: ArrayLike) -> Floats:
    """Return Fleiss' kappa from the sums of `fleiss_sums`, … × (2 + grades)."""
    found = np.asarray(sums, dtype=np.float64)
    units = found[..., 0]
    # Times the square of the number of units, so that nothing is divided before it is known to be above 0.
    by_chance = (found[..., 2:] ** 2).sum(axis=-1)
    return _one_minus((units - found[..., 1]) * units, units**2 - by_chance)


def _distances(scale: ArrayLike, weights: Weights) -> Floats:
    grades = np.asarray(scale, dtype=np.float64)
    apart = np.abs(grades[:, None] - grades)
    if weights == "none":
        return (apart > 0).astype(np.float64)
    return apart if weights == "linear" else apart**2


def _one_minus(observed: Floats, expected: Floats) -> Floats:
    """Return 1 less the ratio; NaN where all said the same, so that chance explains everything."""
    # What is left of 1 - 1 by rounding is no disagreement.
    defined = expected > 1e-12 * (1 + np.abs(observed))
    ratio = np.divide(observed, expected, out=np.full(np.shape(expected), np.nan), where=defined)
    return np.asarray(1 - ratio, dtype=np.float64)
