"""Cases that are read as they are needed, for suites that are larger than memory."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankgate.model.suite import Case


class LazyCases(Sequence["Case"]):
    """A sequence that reads its cases when they are asked for.

    Whoever makes one has seen to it that no two of its cases have one id: a suite does not look, which would
    read them all. It is equal to any other sequence of equal cases.
    """

    __hash__ = None  # type: ignore[assignment]  # it is compared by its cases, as a list is

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, (str, bytes)):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip_longest(self, other))
