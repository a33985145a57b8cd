"""Parts of a run, so that several machines can each ask one: ``2/4`` is the second of four."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from rankgate.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    T = TypeVar("T")

_WRITTEN = re.compile(r"([0-9]{1,6})/([0-9]{1,6})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Part:
    """One of several parts of a run.

    >>> Part.parse("2/3").of(["a", "b", "c", "d", "e"])
    ['b', 'e']
    """

    number: int
    """Which, from 1."""
    parts: int
    """Of how many."""

    @classmethod
    def parse(cls, text: str, where: str = "--shard") -> Part:
        """Read ``2/4``.

        Raises:
            InputError: for anything else.
        """
        found = _WRITTEN.fullmatch(text)
        if found is None or not 1 <= int(found[1]) <= int(found[2]):
            raise InputError(Problem(where, repr(text), "a part such as 1/4, from 1/4 to 4/4"))
        return cls(int(found[1]), int(found[2]))

    def of(self, whole: Sequence[T]) -> list[T]:
        """Take every n-th, so that parts are alike in length and in what they hold."""
        return list(whole[self.number - 1 :: self.parts])

    def __str__(self) -> str:
        return f"{self.number}/{self.parts}"
