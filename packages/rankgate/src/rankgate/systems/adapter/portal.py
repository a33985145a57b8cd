"""One event loop in one thread, through which synchronous code asks asynchronous code."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from concurrent import futures
from typing import TYPE_CHECKING, Any, TypeVar

from rankgate.errors import EscapedError, contained

if TYPE_CHECKING:
    from collections.abc import Coroutine

T = TypeVar("T")

_A_WHILE = 0.2


class Portal:
    """A running event loop; started by the first call, ended by `close`.

    A system over an asynchronous library owns one, so that connections stay on the loop that opened them.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: asyncio.Event | None = None

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the loop and wait for it; from any thread."""
        future = asyncio.run_coroutine_threadsafe(_contained(work), self._started())
        try:
            # In slices, because an endless wait may be deaf to Ctrl-C.
            while True:
                with contextlib.suppress(futures.TimeoutError):
                    return future.result(_A_WHILE)
                if future.done():
                    return future.result()
        finally:
            future.cancel()

    def close(self) -> None:
        """Cancel what still runs and end the loop. The next call starts another."""
        with self._lock:
            thread, self._thread = self._thread, None
            if thread is None or self._loop is None or self._end is None:
                return
            self._loop.call_soon_threadsafe(self._end.set)
            while thread.is_alive():
                thread.join(_A_WHILE)

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._thread is None:
                ready = threading.Event()
                self._thread = threading.Thread(
                    target=self._serve, args=(ready,), name="rankgate-portal", daemon=True
                )
                self._thread.start()
                ready.wait()
            if self._loop is None:
                raise RuntimeError("the event loop did not start")
            return self._loop

    def _serve(self, ready: threading.Event) -> None:
        async def until_the_end() -> None:
            self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
            ready.set()
            await self._end.wait()

        try:
            with asyncio.Runner() as runner:
                runner.run(until_the_end())
        finally:
            ready.set()


async def _contained(work: Coroutine[Any, Any, T]) -> T:
    # What is no Exception would end the loop itself and leave the caller waiting for ever.
    try:
        with contained():
            return await work
    except EscapedError as error:
        if isinstance(error.error, asyncio.CancelledError):
            raise error.error from None
        raise
    except KeyboardInterrupt as error:
        raise EscapedError(error) from error
