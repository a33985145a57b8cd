"""What a judge is shown next, and how much remains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.judging.units import JudgingUnit
    from rankgate.truth.judgments.labels import Label, UnitKey


@dataclass(frozen=True, slots=True)
class Countdown:
    """How much remains to be judged."""

    count: int
    """How many judgments."""
    words: str
    """The same in a sentence: ``12 passages remain``."""


class FixedQueue:
    """Passages in the order in which they are given.

    >>> from rankgate.judging.units import JudgingUnit
    >>> queue = FixedQueue([JudgingUnit("a", "a query", "x.md:1-2"), JudgingUnit("b", "another", "x.md:1-2")])
    >>> queue.next({}).case, queue.remaining({}).words
    ('a', '2 passages remain')
    """

    def __init__(self, units: Sequence[JudgingUnit]) -> None:
        self._units = {unit.key: unit for unit in units}

    def next(self, judged: Mapping[UnitKey, Label]) -> JudgingUnit | None:
        """Return the first passage that is not judged."""
        return next((unit for key, unit in self._units.items() if key not in judged), None)

    def remaining(self, judged: Mapping[UnitKey, Label]) -> Countdown:
        """Count the passages that are not judged."""
        count = sum(key not in judged for key in self._units)
        return Countdown(count, f"{many(count, 'passage')} {'remains' if count == 1 else 'remain'}")
