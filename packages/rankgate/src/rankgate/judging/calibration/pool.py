"""What a model judge graded: the passages of a pool, and which systems returned them at which rank."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from rankgate.errors import Code, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Self

    from rankgate.scoring.matches import Bools, Floats, Ints
    from rankgate.truth.judgments.labels import UnitKey

MOST_SYSTEMS = 3
"""Of so many systems, passages are told apart by which of them returned each; of more, by whether all did."""


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationPool:
    """Every passage of a pool with the model's grade, a row each."""

    keys: tuple[UnitKey, ...]
    """What labels name each passage by: the case, and the location as it is written."""
    queries: Ints
    """The number of each passage's query, from 0."""
    grades: Floats
    """The model's grades."""
    systems: tuple[str, ...]
    """The systems whose hits were pooled."""
    ranks: Ints
    """The rank at which each system returned each passage, passages × systems; 0 where it did not."""
    strata: Ints = field(init=False)
    """The number of each passage's stratum: the model's grade, and which systems returned it."""

    @classmethod
    def of(
        cls,
        grades: Mapping[UnitKey, float],
        ranks: Mapping[UnitKey, Mapping[str, int]],
        systems: Sequence[str],
    ) -> Self:
        """Return the pool of all passages that the model graded and a system returned."""
        keys = tuple(key for key in grades if ranks.get(key))
        cases = {case: at for at, case in enumerate(dict.fromkeys(case for case, _ in keys))}
        table = np.array([[ranks[key].get(name, 0) for name in systems] for key in keys], dtype=np.int64)
        return cls(
            keys,
            np.array([cases[case] for case, _ in keys], dtype=np.int64),
            np.array([grades[key] for key in keys], dtype=np.float64),
            tuple(systems),
            table.reshape(len(keys), len(systems)),
        )

    def __post_init__(self) -> None:
        if not len(self.keys) == len(self.queries) == len(self.grades) == len(self.ranks):
            raise InputError(
                Code.WRONG_NUMBERS("pool", "columns of different lengths", "a row for each passage")
            )
        object.__setattr__(self, "strata", self._strata())

    def _strata(self) -> Ints:
        if len(self.systems) <= MOST_SYSTEMS:
            pattern = np.asarray((self.returned * (1 << np.arange(len(self.systems)))).sum(axis=1))
        else:
            pattern = np.asarray(self.returned.all(axis=1), dtype=np.int64)
        codes = np.unique(self.grades, return_inverse=True)[1] * (1 << MOST_SYSTEMS) + pattern
        return np.asarray(np.unique(codes, return_inverse=True)[1], dtype=np.int64)

    @property
    def returned(self) -> Bools:
        """Which system returned which passage."""
        return self.ranks > 0

    @property
    def first(self) -> Bools:
        """Which passages stand first in the answer of some system."""
        found: Bools = (self.ranks == 1).any(axis=1)
        return found

    def people(self, grades: Mapping[UnitKey, float], drawn: Iterable[int]) -> Floats:
        """Return people's grades of the passages that were drawn; NaN for all others.

        What people graded for another reason is no random part of the pool, and is left out.
        """
        found = np.full(len(self.keys), np.nan)
        for at in drawn:
            found[at] = grades.get(self.keys[at], np.nan)
        return found
