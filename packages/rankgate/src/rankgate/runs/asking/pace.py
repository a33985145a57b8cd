"""How hard a system is asked: how many questions at once, how many a second, how often again.

[systems.docs]
concurrency = 16    # threads
rate = 50           # questions a second, over all of them
burst = 1           # how many may come at once after a rest
retries = 2         # how often a question is asked again where the system is busy; 0 switches it off
warmup = 5          # questions that each thread asks before those that count
deadline = "20m"    # when the run ends, whatever the system does
"""

from __future__ import annotations

import threading
import time
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, InputError
from rankgate.runs.asking.deadline import parse_length

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankgate.runs.asking.deadline import RunDeadline

A_WHILE = 0.2
"""How many seconds anything waits before it looks up. Libraries that handle signals themselves, as Polars
does, leave an endless wait deaf to Ctrl-C."""

MOST_THREADS = 1024
_ENDLESS = float("inf")
_NEVER = float("-inf")


@dataclass(frozen=True, slots=True)
class Pace:
    """How hard a system is asked.

    >>> Pace(concurrency=4, rate=20).described()
    {'concurrency': 4, 'rate': 20}
    """

    concurrency: int = 1
    """How many questions are under way at once, each in a thread."""
    rate: float | None = None
    """How many questions begin in a second at most, those asked again included; None for no limit."""
    burst: int = 1
    """How many may begin at once after a rest, where there is a rate."""
    retries: int = 2
    """How often a question is asked again where the system was busy or out of reach; 0 for never."""
    warmup: int = 0
    """How many questions each thread asks, and forgets, before those that count."""
    deadline: str | None = None
    """When a run ends, whatever the system does, such as ``20m``; None for never."""

    def __post_init__(self) -> None:
        checks = (
            (1 <= self.concurrency <= MOST_THREADS, "concurrency", f"a number from 1 to {MOST_THREADS}"),
            (self.rate is None or 0 < self.rate < _ENDLESS, "rate", "more than 0 a second"),
            (self.burst >= 1, "burst", "1 or more"),
            (self.retries >= 0, "retries", "0 or more"),
            (self.warmup >= 0, "warmup", "0 or more"),
        )
        problems = [
            Code.WRONG_VALUE(name, str(getattr(self, name)), expected)
            for good, name, expected in checks
            if not good
        ]
        if problems:
            raise InputError(problems)
        if self.deadline is not None:
            parse_length(self.deadline)

    def described(self) -> dict[str, object]:
        """Return what differs from the defaults, for the manifest of a run."""
        defaults = {item.name: item.default for item in fields(self)}
        return {name: value for name, value in asdict(self).items() if value != defaults[name]}

    def __str__(self) -> str:
        """Format what is not as usual.

        >>> str(Pace(concurrency=4, rate=20)), str(Pace())
        ('4 at once, at most 20 a second', '')
        """
        words = {
            "concurrency": f"{self.concurrency} at once",
            "rate": f"at most {self.rate:g} a second" if self.rate else "",
            "retries": f"asked again {self.retries} times at most" if self.retries else "never asked again",
            "warmup": f"after {self.warmup} to warm up",
            "deadline": f"for {self.deadline} at most",
        }
        return ", ".join(said for name, said in words.items() if name in self.described())

    def but(self, **given: Any) -> Pace:
        """Change what is given and not None.

        >>> Pace(concurrency=4).but(concurrency=None, retries=0)
        Pace(concurrency=4, rate=None, burst=1, retries=0, warmup=0, deadline=None)
        """
        return replace(self, **{name: value for name, value in given.items() if value is not None})


class Limiter:
    """Lets questions begin at a rate: a bucket of `burst` tokens, filled at `rate` a second.

    Threads share one. A system that asks to be left alone is left alone by all of them.
    """

    def __init__(
        self,
        rate: float | None,
        burst: int = 1,
        *,
        clock: Callable[[], float] = time.monotonic,
        deadline: RunDeadline | None = None,
    ) -> None:
        self._clock, self._deadline = clock, deadline
        self._stopped = threading.Event()
        self._interval = 0.0 if rate is None else 1 / rate
        self._slack = (burst - 1) * self._interval
        self._lock = threading.Lock()
        # When the bucket is full again; there is a token as long as that is at most `_slack` ahead.
        self._full = _NEVER
        self._paused_until = _NEVER

    def reserve(self) -> float:
        """Take a token, and say at which time it may be used."""
        with self._lock:
            now = self._clock()
            start = max(now, self._paused_until, self._full - self._slack)
            self._full = max(self._full, start) + self._interval
            return start

    def wait(self) -> bool:
        """Wait for a token; False where the run was stopped meanwhile."""
        if not self._interval and self._paused_until == _NEVER:
            # No rate, and nobody has asked for a pause so far.
            return not self._stopped.is_set()
        start = self.reserve()
        while True:
            if not self._sleep_until(start):
                return False
            if start >= self._paused_until or self._over:
                return not self._stopped.is_set()
            # A pause has come over this token; all that were under way would begin together at its end.
            start = self.reserve()

    def pause(self, seconds: float) -> None:
        """Let nothing begin for a while."""
        with self._lock:
            self._paused_until = max(self._paused_until, self._clock() + seconds)

    def rest(self, seconds: float) -> bool:
        """Sleep in one thread alone; False where the run was stopped meanwhile."""
        return self._sleep_until(self._clock() + seconds)

    def stop(self) -> None:
        """Wake everybody who waits; nothing begins any more."""
        self._stopped.set()

    @property
    def _over(self) -> bool:
        """Whether nothing is worth waiting for: what begins after the deadline fails at once."""
        return self._deadline is not None and not self._deadline.left

    def _sleep_until(self, end: float) -> bool:
        """Sleep until a time or the deadline; False where the run was stopped meanwhile."""
        while (left := end - self._clock()) > 0 and not self._over:
            if self._stopped.wait(min(left, A_WHILE)):
                return False
        return True
