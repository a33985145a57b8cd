"""One limit for many workers: it hands out times at which questions may begin, and pauses for all.

It stands in one process. Workers ask it for times ahead of need, since a call to another process takes as
long as many questions do. All times are those of its own clock; each worker knows how its clock differs.
"""

from __future__ import annotations

import time
import uuid
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from rankgate.runs.asking.pace import Limiter

if TYPE_CHECKING:
    from collections.abc import Callable

OUT_OF_REACH = 50
"""How many questions in a row, over all workers, find nobody before all of them pause."""
LONGEST_OUTAGE = 60.0
"""How many seconds of pauses an outage is worth; then questions fail as they come."""
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 10.0
_FASTER = 1.25
"""How many times faster slots come while others that nobody used are made good."""


@dataclass(frozen=True, slots=True)
class SlotRequest:
    """What a worker wants, and what it has seen since it last asked."""

    slots: int = 0
    """How many questions it wants to begin."""
    pause: float = 0.0
    """For how many seconds the system asked to be left alone."""
    failed: int = 0
    """How many questions found nobody who answers, since the last one that did."""
    answered: bool = False
    """True where one was answered since it last asked."""
    unused: tuple[float, ...] = ()
    """The times it was given and let pass, since it was busy or woke too late."""


@dataclass(frozen=True, slots=True)
class Grant:
    """When questions may begin."""

    clock: str
    """Whose clock it is: another name after a restart, whose times have nothing to do with those before."""
    now: float
    """The time there."""
    slots: tuple[float, ...]
    """A time for each question."""
    paused_until: float
    """Nothing begins before this time."""


class Throttle:
    """Hands out times at a rate, and pauses all workers where one was asked to, or where nobody answers.

    Args:
        rate: How many questions begin in a second, over all workers; None for no limit.
        burst: How many may begin at once after a rest.
        clock: The time, for tests.
        rest: For how many seconds nothing begins: after a crash nobody knows which times were handed out.
    """

    def __init__(
        self,
        rate: float | None,
        burst: int = 1,
        *,
        clock: Callable[[], float] = time.monotonic,
        rest: float = 0.0,
    ) -> None:
        self._limiter = Limiter(rate, burst, clock=clock)
        self._clock, self._name = clock, uuid.uuid4().hex
        # What is made good is counted over a second; a burst is more than that by its nature.
        self._second = ceil(rate) if rate is not None and burst == 1 else 0
        self._taken: deque[float] = deque(maxlen=2 * self._second)
        self._owed = 0.0
        self._failed, self._pauses, self._waited = 0, 0, 0.0
        if rest:
            self._limiter.pause(rest)

    def grant(self, request: SlotRequest) -> Grant:
        """Take what a worker has seen, and hand out times."""
        if request.pause:
            self._limiter.pause(request.pause)
        self._see(request)
        self._take_back(request.unused)
        slots = tuple(self._slot() for _ in range(request.slots))
        return Grant(self._name, self._clock(), slots, self._limiter.paused_until)

    def _slot(self) -> float:
        """Hand out the next time: somewhat earlier while times are owed, and never too many in a second."""
        if not self._second:
            return self._limiter.reserve()
        full = len(self._taken) >= self._second
        earliest = self._taken[-self._second] + 1.0 if full else float("-inf")
        times = _FASTER if self._owed > 0 else 1.0
        self._owed = max(0.0, self._owed - (1 - 1 / times))
        start = self._limiter.reserve(times=times, earliest=earliest)
        self._taken.append(start)
        return start

    def _take_back(self, unused: tuple[float, ...]) -> None:
        """Owe workers the times that they let pass, a second's worth at most."""
        for slot in unused:
            with suppress(ValueError):  # too long ago
                self._taken.remove(slot)
                self._owed = min(self._owed + 1, float(self._second))

    def _see(self, request: SlotRequest) -> None:
        if request.answered:
            self._failed, self._pauses, self._waited = 0, 0, 0.0
        self._failed += request.failed
        paused = self._limiter.paused_until > self._clock()
        if self._failed < OUT_OF_REACH or paused or self._waited >= LONGEST_OUTAGE:
            return
        # After the pause one more failure is enough: what was under way at its beginning counts in it.
        seconds = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0**self._pauses)
        self._failed, self._pauses = OUT_OF_REACH - 1, self._pauses + 1
        self._waited += seconds
        self._limiter.pause(seconds)
