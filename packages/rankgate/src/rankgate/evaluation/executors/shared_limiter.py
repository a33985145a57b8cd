"""The side of a worker: times that the throttle handed out, kept ahead of need, each used when it comes."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import TYPE_CHECKING, TypeVar

from rankgate.errors import RetriableError
from rankgate.evaluation.executors.throttle import Grant, SlotRequest
from rankgate.runs.asking.pace import A_WHILE, Turns
from rankgate.runs.asking.wrapped import WrappedSystem

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rankgate.runs.asking.deadline import RunDeadline

T = TypeVar("T")

LATEST = 0.025
"""How many seconds after its time a slot may still be used. Any second of a run then holds at most the slots
of 1.025 seconds; the other half of 5 % is left to the way to the server."""
LOOK = 0.25
"""How often a worker looks for pauses, in seconds, where it wants nothing."""
_AHEAD = 0.1
"""For how many seconds slots are held, by what was used of late."""
_NEVER = float("-inf")


class ClockOffset:
    """How far the throttle's clock is ahead of the one here, by bounds that get closer with every call.

    The time in an answer was read after the call was sent and before the answer came, so that each call
    bounds the difference from both sides, and the quickest one best. Bounds are widened by what two clocks
    may drift apart.
    """

    _DRIFT = 1e-4

    def __init__(self) -> None:
        self._least, self._most, self._at = _NEVER, float("inf"), 0.0
        self._clock = ""

    def learn(self, grant: Grant, sent: float, received: float) -> bool:
        """Take one more call; True where it was the first of this clock."""
        new = grant.clock != self._clock
        if new:
            self._least, self._most, self._clock = _NEVER, float("inf"), grant.clock
        drifted = self._DRIFT * (received - self._at)
        self._least = max(self._least - drifted, grant.now - received)
        self._most = min(self._most + drifted, grant.now - sent)
        self._at = received
        return new

    def here(self, there: float) -> float:
        """Return when a time of the throttle is here, at the latest: nothing begins too early."""
        return there - self._least


class SharedLimiter(Turns):
    """Lets questions of one worker begin when the throttle says; threads of the worker share one.

    Args:
        fetch: Calls the throttle; raises whatever where it cannot be reached, and is called again.
        limited: False where there is no rate: then questions begin at once, but for pauses.
        deadline: When nothing is worth waiting for any more.
        clock: The time, for tests.
    """

    def __init__(
        self,
        fetch: Callable[[SlotRequest], Grant],
        *,
        limited: bool,
        deadline: RunDeadline | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(clock, deadline)
        self._fetch, self._limited = fetch, limited
        self._changed = threading.Condition()
        self._offset = ClockOffset()
        # The time here, and the same by the throttle's clock.
        self._slots: deque[tuple[float, float]] = deque()
        self._unused: list[float] = []
        self._used: deque[float] = deque()
        self._waiting = 0
        self._paused_until = _NEVER
        self._pause, self._failed, self._answered = 0.0, 0, False
        self._asked = _NEVER
        threading.Thread(target=self._keep_fetching, daemon=True).start()

    def wait(self) -> bool:
        """Wait for a slot; False where the run was stopped meanwhile."""
        begins = self._begins_in_slot if self._limited else self._begins_after_pause
        while not self._stopped.is_set() and not self._over and not begins():
            pass
        return not self._stopped.is_set()

    def _begins_after_pause(self) -> bool:
        start = max(self._clock(), self._paused_until)
        return self._sleep_until(start) and start >= self._paused_until

    def _begins_in_slot(self) -> bool:
        slot = self._slot()
        if slot is None or not self._sleep_until(slot[0]):
            return False
        with self._changed:
            # A pause may have come over this slot, or the thread woken too late for it: then the next one.
            now = self._clock()
            good = self._is_good(slot, now)
            if good:
                self._used.append(now)
            return good

    def pause(self, seconds: float) -> None:
        """Let nothing begin for a while, here and by every other worker."""
        with self._changed:
            self._paused_until = max(self._paused_until, self._clock() + seconds)
            self._pause = max(self._pause, seconds)
            self._changed.notify_all()

    def stop(self) -> None:
        """Wake everybody who waits; nothing begins any more."""
        super().stop()
        with self._changed:
            self._changed.notify_all()

    def watching(self, system: Any) -> WatchedSystem:
        """Return the system, whose failures by nobody being there are told to the throttle."""
        return WatchedSystem(system, self)

    def saw(self, *, answered: bool) -> None:
        """Note that the system answered, or that nobody was there."""
        if answered:
            # Nearly always, so without a lock: what is lost by a race is one of many.
            self._answered, self._failed = True, 0
            return
        with self._changed:
            self._failed += 1

    def _is_good(self, slot: tuple[float, float], now: float) -> bool:
        """Check whether a slot can still be used; one that cannot is told to the throttle."""
        good = slot[0] + LATEST > now and slot[0] >= self._paused_until
        if not good:
            self._unused.append(slot[1])
        return good

    def _slot(self) -> tuple[float, float] | None:
        """Take the next slot that is not too late, or wait a while for one."""
        with self._changed:
            self._waiting += 1
            try:
                if not self._slots:
                    self._changed.notify_all()
                    self._changed.wait(A_WHILE)
                now = self._clock()
                while self._slots:
                    if self._is_good(slot := self._slots.popleft(), now):
                        return slot
                return None
            finally:
                self._waiting -= 1

    def _wanted(self) -> int:
        """Return how many slots to fetch: for those who wait, and for a while by what was used of late."""
        if not self._limited:
            return 0
        now = self._clock()
        while self._used and self._used[0] < now - _AHEAD:
            self._used.popleft()
        wanted = self._waiting + len(self._used)
        return wanted - len(self._slots) if 2 * len(self._slots) < wanted else 0

    def _keep_fetching(self) -> None:
        while not self._stopped.is_set():
            with self._changed:
                if not self._due():
                    # Woken by a thread that finds no slot, or to look. With a rate, what is held may run low
                    # without anybody waiting.
                    self._changed.wait(_AHEAD / 4 if self._used else LOOK)
                if not self._due():
                    continue
                unused = tuple(self._unused)
                request = SlotRequest(self._wanted(), self._pause, self._failed, self._answered, unused)
                self._pause, self._failed, self._answered = 0.0, 0, False
                self._unused.clear()
            self._exchange(request)

    def _due(self) -> bool:
        return bool(self._wanted() or self._pause) or self._clock() - self._asked >= LOOK

    def _exchange(self, request: SlotRequest) -> None:
        sent = self._clock()
        try:
            grant = self._fetch(request)
        except Exception:  # noqa: BLE001 - whatever it is, it may pass: the throttle is started again
            with self._changed:
                self._pause = max(self._pause, request.pause)
            self._stopped.wait(LOOK)
            return
        self._asked = received = self._clock()
        with self._changed:
            if self._offset.learn(grant, sent, received):
                self._slots.clear()
                self._unused.clear()
            self._paused_until = max(self._paused_until, self._offset.here(grant.paused_until))
            self._slots.extend((self._offset.here(slot), slot) for slot in grant.slots)
            self._changed.notify_all()


class WatchedSystem(WrappedSystem):
    """A system whose answers are counted, and its failures by nobody being there; all else is as it was."""

    def __init__(self, system: Any, limiter: SharedLimiter) -> None:
        super().__init__(system)
        self._limiter = limiter

    def _call(self, work: Callable[[], T]) -> T:
        try:
            answer = work()
        except RetriableError as error:
            # A server that says when to come back is there.
            self._limiter.saw(answered=error.retry_after is not None)
            raise
        self._limiter.saw(answered=True)
        return answer
