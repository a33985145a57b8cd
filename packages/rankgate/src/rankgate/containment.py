"""Code that is not ours, run in this process: it may fail, but not end the process or pass by a handler.

`contained` makes an ordinary exception of whatever such code raises, but for Ctrl-C, and of a call of
``os._exit``, which would end the process with any exit code and no word. What native code does is out of
reach: a system that may crash is asked in a process of its own.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from threading import get_ident
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from rankgate.errors import EscapedError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

T = TypeVar("T")

_A_WHILE = 0.2


class ProcessExit(SystemExit):
    """Raised in place of ``os._exit``."""

    def __str__(self) -> str:
        return f"os._exit({self.code})"


class _Guard:
    """Stands in for ``os._exit`` as long as code that is not ours is run by any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads: dict[int, int] = {}
        self._called: list[tuple[int, int]] = []
        self._process = 0
        self._real = os._exit

    def enter(self) -> None:
        here = get_ident()
        if deep := self._threads.get(here):
            # Nobody else writes what a thread has here.
            self._threads[here] = deep + 1
            return
        with self._lock:
            if not self._threads:
                self._real, self._process = os._exit, os.getpid()
                os._exit = self._intercept
            self._threads[here] = 1

    def leave(self) -> int | None:
        """Take back the place of this thread; return the code it called ``os._exit`` with, if it did.

        What a thread calls that nobody is known to have started is told to the first that leaves.
        """
        here = threading.get_ident()
        deep = self._threads[here]
        if deep > 1 and not self._called:
            self._threads[here] = deep - 1
            return None
        with self._lock:
            mine = []
            if self._called:
                mine = [one for one in self._called if one[0] == here or one[0] not in self._threads]
                self._called = [one for one in self._called if one not in mine]
            if deep > 1:
                self._threads[here] = deep - 1
            else:
                del self._threads[here]
            if not self._threads:
                os._exit = self._real
            return mine[0][1] if mine else None

    def leave_quietly(self) -> bool:
        """Take back the place of this thread, where others of its calls stay and nothing is to be told."""
        here = get_ident()
        deep = self._threads[here]
        if deep > 1 and not self._called and os.getpid() == self._process:
            self._threads[here] = deep - 1
            return True
        return False

    def came_back_forked(self) -> bool:
        return os.getpid() != self._process

    def end(self, code: int) -> NoReturn:
        self._real(code)

    def _intercept(self, status: int) -> NoReturn:
        here = threading.get_ident()
        ours = here in self._threads
        # A process that was forked ends so by right, and so may a watchdog, but not as if all were well.
        watchdog = not ours and status != 0
        if self.came_back_forked() or not self._threads or watchdog:
            self.end(status)
        self._called.append((here, status))
        # Of SystemExit itself, and of nothing else, a thread that ends by it prints nothing.
        raise ProcessExit(status) if ours else SystemExit(status)


_GUARD = _Guard()


class contained:  # noqa: N801 - reads as a verb where it is used
    """Runs code that is not ours.

    >>> with contained():
    ...     os._exit(0)
    Traceback (most recent call last):
    rankgate.errors.EscapedError: ProcessExit: os._exit(0)

    Raises:
        EscapedError: for what is raised and is no Exception, and for ``os._exit``.
    """

    def __enter__(self) -> None:
        _GUARD.enter()

    def __exit__(self, _kind: object, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is None and _GUARD.leave_quietly():
            return
        if _GUARD.came_back_forked():
            # Otherwise there were two of us from here on.
            _GUARD.end(0 if error is None else 1)
        code = _GUARD.leave()
        if isinstance(error, KeyboardInterrupt):
            return
        if code is not None and not isinstance(error, ProcessExit):
            # The exception was swallowed, or raised in another thread.
            error = ProcessExit(code)
        if error is not None and not isinstance(error, Exception):
            raise EscapedError(error).with_traceback(trace) from None


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
