"""How far a session is, how fast it goes, and what remains."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankgate.judging.session.queue import Countdown

_PAUSE = 300.0
_LAST = 20
_FEWEST = 3


@dataclass(frozen=True, slots=True)
class JudgingProgress:
    """How far a session is."""

    judged: int
    """How many passages of the pool have a grade or are unsure."""
    skipped: int
    """How many were left for later."""
    pool: int
    """How many there are."""
    remaining: Countdown
    """What remains."""
    seconds: float | None = None
    """How long a judgment takes, in the median of the last ones; None where there are too few."""

    @property
    def pace(self) -> str:
        """How fast it goes, in words; empty where nobody knows yet."""
        return "" if self.seconds is None else f"{self.seconds:.0f} s a judgment"

    @property
    def time_left(self) -> str:
        """How long what remains takes at this pace, in words; empty where nobody knows."""
        if self.seconds is None or not self.remaining.count:
            return ""
        return f"about {_duration(self.seconds * self.remaining.count)} left"


class JudgingPace:
    """Measures how long judgments take; a pause of five minutes is none."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._before = clock()
        self._taken: deque[float] = deque(maxlen=_LAST)

    def judged(self) -> None:
        """Note that a judgment was made."""
        now = self._clock()
        if now - self._before < _PAUSE:
            self._taken.append(now - self._before)
        self._before = now

    @property
    def seconds(self) -> float | None:
        """The median of the last judgments; None after too few."""
        return median(self._taken) if len(self._taken) >= _FEWEST else None


def _duration(seconds: float) -> str:
    """Write a time as people estimate it.

    >>> _duration(40), _duration(60 * 25), _duration(60 * 130)
    ('1 minute', '25 minutes', '2 h 10 min')
    """
    minutes = max(1, round(seconds / 60))
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} min" if hours else many(minutes, "minute")
