"""Slices of a suite: which cases have a category, a group, a tag, or a ``key=value`` tag."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankgate.errors import InputError, Problem, did_you_mean

if TYPE_CHECKING:
    import polars as pl

    from rankgate.gates.language import Slice
    from rankgate.scoring.matches import Bools

_MOST_SHOWN = 8


class Slices:
    """The slices of some cases. `members` gives, for a key, the rows of each value."""

    def __init__(self, cases: pl.DataFrame) -> None:
        self._size = cases.height
        self._rows: dict[str, dict[str, list[int]]] = {}
        columns = zip(cases["category"], cases["group"], cases["tags"], strict=True)
        for row, (category, group, tags) in enumerate(columns):
            self._add("category", category, row)
            self._add("group", group, row)
            for tag in tags:
                key, equals, value = tag.partition("=")
                self._add("tag", tag, row)
                if equals:
                    self._add(key.strip(), value.strip(), row)

    def values(self, key: str, where: str) -> dict[str, Bools]:
        """Mark the cases of every value of a key, values in alphabetical order.

        Raises:
            InputError: for a key that no case has.
        """
        if key not in self._rows:
            known = sorted(self._rows)
            expected = f"one of {_some(known)}" if known else "cases with a category, a group or tags"
            raise InputError(
                Problem(where, f"slice key {key!r}", expected, did_you_mean(key, known, cutoff=0.5))
            )
        return {value: self._mask(rows) for value, rows in sorted(self._rows[key].items())}

    def members(self, wanted: Slice, where: str) -> Bools:
        """Mark the cases of one slice.

        Raises:
            InputError: for a key or a value that no case has.
        """
        values = self.values(wanted.key, where)
        if wanted.value not in values:
            known = list(values)
            raise InputError(
                Problem(
                    where,
                    f"{wanted.key} {wanted.value!r}",
                    f"one of {_some(known)}",
                    did_you_mean(wanted.value, known, cutoff=0.5),
                )
            )
        return values[wanted.value]

    def _add(self, key: str, value: str | None, row: int) -> None:
        if value is not None:
            rows = self._rows.setdefault(key, {}).setdefault(value, [])
            if not rows or rows[-1] != row:
                rows.append(row)

    def _mask(self, rows: list[int]) -> Bools:
        mask = np.zeros(self._size, dtype=bool)
        mask[rows] = True
        return mask


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:_MOST_SHOWN])
    return shown if len(names) <= _MOST_SHOWN else f"{shown} and {len(names) - _MOST_SHOWN} more"
