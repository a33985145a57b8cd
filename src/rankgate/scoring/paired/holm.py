"""Holm's correction: several claims at once, with the chance of any false one kept at the level."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def holm(values: Sequence[float]) -> list[float]:
    """Adjust p values, in the order given: compare each with the level as if it were alone.

    The smallest is multiplied by their number, the next by one less, and so on; none is adjusted to less than
    a smaller one was, and none to more than 1.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(values)
    largest = 0.0
    for place, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        largest = max(largest, min(1.0, values[index] * (len(values) - place)))
        adjusted[index] = largest
    return adjusted
