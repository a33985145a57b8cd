"""Calls of code that is not ours with a time limit, each in a thread that is left behind when it is late."""

from __future__ import annotations

import queue
import threading
import time
from typing import TYPE_CHECKING, Any, TypeVar

from rankgate.errors import contained

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

_A_WHILE = 0.2


class LeftBehindError(TimeoutError):
    """What was called did not return in time."""


class LimitedCalls:
    """Calls code that is not ours in a thread of its own, which is left behind where it takes too long.

    Each thread that calls has one, and a new one after that; so what minds its thread is called from the same
    as long as it returns.
    """

    def __init__(self) -> None:
        self.left_behind = 0
        """How many threads were left behind."""
        self._own = threading.local()
        self._lock = threading.Lock()

    def call(self, work: Callable[[], T], seconds: float) -> T:
        """Call it.

        Raises:
            LeftBehindError: where it does not return in time; besides, what it raises.
        """
        worker: _Worker | None = getattr(self._own, "worker", None)
        if worker is None:
            worker = self._own.worker = _Worker()
        ended = worker.call(work, seconds)
        if ended is None:
            self._own.worker = None
            with self._lock:
                self.left_behind += 1
            raise LeftBehindError(f"no answer after {seconds:g} s")
        found, error = ended
        if error is not None:
            raise error
        result: T = found
        return result


class _Worker:
    """One thread; a daemon, so that what never returns cannot keep the process from ending."""

    def __init__(self) -> None:
        self._work: queue.SimpleQueue[Callable[[], Any] | None] = queue.SimpleQueue()
        self._ended: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()
        threading.Thread(target=self._serve, args=(self._work, self._ended), daemon=True).start()

    def __del__(self) -> None:
        self._work.put(None)

    def call(self, work: Callable[[], Any], seconds: float) -> tuple[Any, BaseException | None] | None:
        """Return what it returned or raised; None where it did neither in time."""
        end = time.monotonic() + seconds
        self._work.put(work)
        while (left := end - time.monotonic()) > 0:
            try:
                # In slices, because an endless wait may be deaf to Ctrl-C.
                return self._ended.get(timeout=min(left, _A_WHILE))
            except queue.Empty:
                continue
        return None

    @staticmethod
    def _serve(
        given: queue.SimpleQueue[Callable[[], Any] | None],
        ended: queue.SimpleQueue[tuple[Any, BaseException | None]],
    ) -> None:
        while (work := given.get()) is not None:
            try:
                with contained():
                    found = work()
            except BaseException as error:  # noqa: BLE001 - raised where it is waited for
                ended.put((None, error))
            else:
                ended.put((found, None))
            del work
