"""A time by which a request has ended, whatever the server does.

A socket's own time-out starts anew with every byte, so a server that drips one a second is never late. Here a
watchman ends the connection itself, one for all requests: a timer each would be a thread each, which costs as
much as a fast server takes to answer. Looking up the host, connecting and the TLS handshake are waited for in
a thread, because nothing can interrupt a look-up.
"""

from __future__ import annotations

import contextlib
import heapq
import os
import socket
import threading
import time
from typing import TYPE_CHECKING

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import ConnectTimeoutError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self

_CURRENT = threading.local()
_ROOM = 1000


class Deadline:
    """The time that one request of this thread has; used with ``with``."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self._lock = threading.Lock()
        self._socket: Any = None
        self.done = False
        """True once the request has ended."""
        self.expired = False
        """True once the time is over; what was read by then may lack its end."""

    def __enter__(self) -> Self:
        _CURRENT.deadline = self
        _WATCHMAN.watch(self, self._end)
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self.done, self._socket = True, None
        _CURRENT.deadline = None

    @property
    def remaining(self) -> float:
        """How many seconds are left; never 0, which would mean no limit."""
        return max(0.001, self._end - time.monotonic())

    def watch(self, connected: Any) -> None:
        """End this connection when the time is over."""
        with self._lock:
            self._socket = connected
        if self.expired:
            self.expire()

    def expire(self) -> None:
        """End the request, where it has not ended."""
        with self._lock:
            if self.done:
                return
            self.expired = True
            below = _innermost(self._socket)
            if below is not None:
                # Below TLS: what waits for a byte gets the end of the stream.
                with contextlib.suppress(OSError):
                    socket.socket.shutdown(below, socket.SHUT_RDWR)


def _innermost(connected: Any) -> socket.socket | None:
    """Find the socket below a connection: TLS to a server inside TLS to a proxy is no socket itself."""
    while connected is not None and not isinstance(connected, socket.socket):
        connected = getattr(connected, "socket", None)
    return connected


class _Watchman:
    """A thread that sleeps until the first request is late, and ends it."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Watch nothing yet; a process that was forked begins anew: its threads and locks are not its own."""
        self._changed = threading.Condition()
        self._watched: list[tuple[float, int, Deadline]] = []
        self._room = _ROOM
        self._thread: threading.Thread | None = None

    def watch(self, deadline: Deadline, end: float) -> None:
        with self._changed:
            if len(self._watched) >= self._room:
                # Requests that ended long before their time would pile up behind one that has not.
                self._watched = [one for one in self._watched if not one[2].done]
                heapq.heapify(self._watched)
                self._room = 2 * len(self._watched) + _ROOM
            heapq.heappush(self._watched, (end, id(deadline), deadline))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="deadlines", daemon=True)
                self._thread.start()
            elif self._watched[0][2] is deadline:
                self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                # Those that ended in time are passed over at once, so that it wakes for late ones alone.
                while self._watched and self._watched[0][2].done:
                    heapq.heappop(self._watched)
                if not self._watched:
                    self._changed.wait()
                    continue
                left = self._watched[0][0] - time.monotonic()
                if left > 0:
                    self._changed.wait(left)
                    continue
                late = heapq.heappop(self._watched)[2]
            # All requests of the process have this one watchman, whatever a connection is made of.
            with contextlib.suppress(Exception):
                late.expire()


_WATCHMAN = _Watchman()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_WATCHMAN.begin)


def _watch(connection: HTTPConnection) -> None:
    deadline: Deadline | None = getattr(_CURRENT, "deadline", None)
    if deadline is not None:
        deadline.watch(connection.sock)


class _Connecting:
    """Connects in a thread; where that takes too long, the thread closes what it gets in the end."""

    def __init__(self, connection: HTTPConnection, connect: Callable[[], None]) -> None:
        self._connection = connection
        self._connect = connect
        self._lock = threading.Lock()
        self._given_up = False
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def within(self, seconds: float) -> None:
        self._thread.start()
        self._thread.join(seconds)
        with self._lock:
            self._given_up = self._thread.is_alive()
        if self._given_up:
            raise ConnectTimeoutError(self._connection, "no connection in time")
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        try:
            self._connect()
        except BaseException as error:  # noqa: BLE001 - raised again by the thread that waits
            self._error = error
        with self._lock:
            if self._given_up:
                self._connection.close()


def _connect(connection: HTTPConnection, connect: Callable[[], None]) -> None:
    deadline: Deadline | None = getattr(_CURRENT, "deadline", None)
    if deadline is None:
        connect()
        return
    _Connecting(connection, connect).within(deadline.remaining)
    _watch(connection)


class _Watched(HTTPConnection):
    def connect(self) -> None:
        _connect(self, super().connect)

    def request(self, *args: Any, **kwargs: Any) -> None:
        _watch(self)
        super().request(*args, **kwargs)


class _WatchedSecure(_Watched, HTTPSConnection):
    pass


class _PlainPool(HTTPConnectionPool):
    ConnectionCls = _Watched


class _SecurePool(HTTPSConnectionPool):
    ConnectionCls = _WatchedSecure


POOLS = {"http": _PlainPool, "https": _SecurePool}
"""Pools, by scheme, whose connections keep to the deadline of the thread that uses them."""
