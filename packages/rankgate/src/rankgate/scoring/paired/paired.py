"""The differences of two systems on the same cases, summed by group."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankgate.errors import Code, InputError
from rankgate.scoring.metric import aggregate

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import ArrayLike

    from rankgate.scoring.matches import Floats

TIE = 1e-9
"""Values this near to each other are equal; gates round to the same."""


@dataclass(frozen=True, slots=True, eq=False)
class Paired:
    """Differences of a metric, new minus old, where both are defined.

    The groups are sorted by what they hold and not by their names, so that neither the order of the cases
    nor what they are called changes anything that is drawn at random.

    >>> paired = Paired.of([0.5, -0.25, 0.0], groups=["a", "a", "b"])
    >>> paired.sums.tolist(), paired.sizes.tolist(), paired.mean
    ([0.0, 0.25], [1.0, 2.0], 0.08333333333333333)
    """

    differences: Floats
    """One a case, as given."""
    weights: Floats
    """The share of each case in the mean."""
    sums: Floats
    """One a group: its weighted differences, summed; 0 where they are a tie."""
    sizes: Floats
    """One a group: its weights, summed."""
    mean: float
    """The weighted mean difference."""

    @classmethod
    def of(
        cls,
        differences: ArrayLike,
        weights: ArrayLike | None = None,
        groups: Sequence[Hashable] | None = None,
    ) -> Paired:
        """Collect differences; each case is a group of its own, and weighs 1, unless said otherwise."""
        values = np.asarray(differences, dtype=np.float64)
        shares = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
        _check(values, shares, groups)
        sums, sizes = values * shares, shares
        if groups is not None:
            sums, sizes = _by_group(sums, shares, groups)
        sums = np.where(np.abs(sums) <= TIE * sizes, 0.0, sums)
        order = np.lexsort((sizes, sums))
        mean = aggregate(values, shares, "mean")
        return cls(values, shares, sums[order], sizes[order], 0.0 if mean is None else mean)

    @property
    def differing(self) -> int:
        """How many groups are no tie."""
        return int(np.count_nonzero(self.sums))


_MOST = 1e60
"""Squares of larger numbers, summed, are out of reach of a double."""


def _check(values: Floats, shares: Floats, groups: Sequence[Hashable] | None) -> None:
    where = "paired differences"
    if values.ndim != 1 or not len(values):
        raise InputError(
            Code.WRONG_NUMBERS(where, "no cases", "at least one case that both systems have a value for")
        )
    if shares.shape != values.shape or (groups is not None and len(groups) != len(values)):
        raise InputError(
            Code.WRONG_NUMBERS(where, "lists of different lengths", "a weight and a group for each case")
        )
    if not np.isfinite(values).all():
        expected = "only cases that both systems have a value for"
        raise InputError(Code.WRONG_NUMBERS(where, "a value that is no number", expected))
    if np.abs(values).max() > _MOST or shares.max() > _MOST or (0 < shares.min() < 1 / _MOST):
        raise InputError(
            Code.WRONG_NUMBERS(where, "a value or a weight out of reach", f"none beyond {_MOST:g}")
        )
    if not (np.isfinite(shares) & (shares > 0)).all():
        raise InputError(Code.WRONG_NUMBERS(where, "a weight that is not above 0", "weights above 0"))


def _by_group(sums: Floats, shares: Floats, groups: Sequence[Hashable]) -> tuple[Floats, Floats]:
    """Sum by group, each sum rounded once, so that the order of the cases changes nothing."""
    members: dict[Hashable, list[int]] = {}
    for row, label in enumerate(groups):
        members.setdefault(label, []).append(row)
    lists = list(members.values())
    return (
        np.array([math.fsum(sums[rows].tolist()) if len(rows) > 1 else sums[rows[0]] for rows in lists]),
        np.array([math.fsum(shares[rows].tolist()) if len(rows) > 1 else shares[rows[0]] for rows in lists]),
    )
