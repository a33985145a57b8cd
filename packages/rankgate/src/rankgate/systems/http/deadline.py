"""A time by which a request has ended, whatever the server does.

A socket's own time-out starts anew with every byte, so a server that drips one a second is never late. Here a
watchman ends the connection itself, one for all requests: a timer each would be a thread each, which costs as
much as a fast server takes to answer. Looking up the host, connecting and the TLS handshake are waited for in
a thread, because nothing can interrupt a look-up.
"""

from __future__ import annotations

import contextlib
import http.client
import logging
import os
import socket
import ssl
import threading
import time
from http import HTTPStatus
from typing import TYPE_CHECKING

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import ConnectTimeoutError

from rankgate.systems.http.replies import Reply, has_unread

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self

    from urllib3 import HTTPResponse

_CURRENT = threading.local()
_NEVER = float("inf")
_LONGEST_SLEEP = 3600.0

# What these log has whole URLs in it, and who shows logs would show the secrets of a query string.
_LOGGERS = (
    "urllib3.connection urllib3.connectionpool urllib3.response urllib3.util.retry elastic_transport.node "
    "elastic_transport.transport elasticsearch elasticsearch.trace opensearch opensearchpy.trace"
)
for _name in _LOGGERS.split():
    logging.getLogger(_name).addFilter(lambda _: getattr(_CURRENT, "deadline", None) is None)


class Deadline:
    """The time that one request of this thread has; used with ``with``."""

    __slots__ = ("_socket", "end", "expired")

    def __init__(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds
        """When the time is over, by the monotonic clock."""
        self._socket: Any = None
        self.expired = False
        """True once the time is over; what was read by then may lack its end."""

    def __enter__(self) -> Self:
        _WATCHMAN.watch(self)
        _CURRENT.deadline = self
        return self

    def __exit__(self, *_: object) -> None:
        self.finish()
        _CURRENT.deadline = None

    def finish(self) -> bool:
        """Let the connection be used for something else; False where the time was over before."""
        _WATCHMAN.leave(self)
        return self.let_go()

    def let_go(self) -> bool:
        """Let a connection be used for something else before the request ends; False where it was ended."""
        self._socket = None
        if self.expired:
            _WATCHMAN.leave(self)
        return not self.expired

    @property
    def over(self) -> bool:
        """True once the time is over, whether the connection was ended for it or its own limit was sooner."""
        return self.expired or time.monotonic() >= self.end

    @property
    def remaining(self) -> float:
        """How many seconds are left; never 0, which would mean no limit."""
        return max(0.001, self.end - time.monotonic())

    def watch(self, connected: Any) -> None:
        """End this connection when the time is over."""
        self._socket = connected
        # Whoever says that it is over looks for the connection after that: one of both sees the other.
        if self.expired:
            self.expire()

    def expire(self) -> None:
        """End the request."""
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
    """A thread that sleeps until the first request may be late, and ends those that are.

    A request comes and goes without a lock, since one operation of a dict is whole by itself: whoever takes a
    request out of `_under_way`, it or the watchman, says how it ended.
    """

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Watch nothing yet; a process that was forked begins anew: its threads and locks are not its own."""
        self._changed = threading.Condition()
        self._under_way: dict[Deadline, float] = {}
        self._wakes = _NEVER
        self._thread: threading.Thread | None = None

    def watch(self, deadline: Deadline) -> None:
        self._under_way[deadline] = deadline.end
        if deadline.end < self._wakes:
            with self._changed:
                if self._thread is None:
                    thread = threading.Thread(target=self._run, name="deadlines", daemon=True)
                    thread.start()
                    self._thread = thread
                self._changed.notify()

    def leave(self, deadline: Deadline) -> None:
        if self._under_way.pop(deadline, None) is None and deadline.expired:
            # Its connection may be about to be ended; nobody may have another under that number yet.
            with self._changed:
                pass

    def _run(self) -> None:
        with self._changed:
            try:
                while True:
                    self._changed.wait(self._end_the_late())
            finally:
                # Whoever comes next starts another.
                self._wakes, self._thread = _NEVER, None

    def _end_the_late(self) -> float:
        """End the requests that are late, and return for how many seconds no other will be."""
        # Before the look: who comes after it sees that nobody wakes in time, and waits to say so.
        self._wakes = _NEVER
        now = time.monotonic()
        under_way = self._under_way.copy()
        for deadline, end in under_way.items():
            if end <= now and self._under_way.pop(deadline, None) is not None:
                # It is the only watchman of the process, whatever a connection is made of.
                with contextlib.suppress(Exception):
                    deadline.expire()
        # Most have ended long before; then it wakes once for all of them.
        self._wakes = min((end for end in under_way.values() if end > now), default=_NEVER)
        return min(max(0.0, self._wakes - now), _LONGEST_SLEEP)


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
    surplus = False
    """True once more came than the answer; what follows would be taken for the answer to the next request."""

    def connect(self) -> None:
        _connect(self, super().connect)
        self.surplus = False

    def response_class(self, _: object, *args: Any, **kwargs: Any) -> http.client.HTTPResponse:  # type: ignore[override]
        """Read an answer."""
        reply: Any = Reply(b"", self)
        return http.client.HTTPResponse(reply, *args, **kwargs)

    def request(self, *args: Any, **kwargs: Any) -> None:
        _watch(self)
        # As urllib3 does without TLS: what refuses a long body by its head has answered.
        with contextlib.suppress(ssl.SSLEOFError):
            super().request(*args, **kwargs)

    def getresponse(self) -> HTTPResponse:  # type: ignore[override] # as that of urllib3
        response = super().getresponse()
        if response.status < HTTPStatus.OK:
            # What follows an interim answer, such as 103, would be taken for the answer to the next request.
            self.close()
        return response


class _WatchedSecure(_Watched, HTTPSConnection):
    pass


class _PlainPool(HTTPConnectionPool):
    ConnectionCls = _Watched

    def _put_conn(self, conn: Any) -> None:
        put_back(super()._put_conn, conn)


class _SecurePool(_PlainPool, HTTPSConnectionPool):
    ConnectionCls = _WatchedSecure


def put_back(put: Callable[[Any], None], connection: Any) -> None:
    """Put a connection into its pool; one that must not be used again is closed, and then opened anew.

    The pool gets it with the last byte of a body, before the request ends, which would end it when late.
    """
    deadline: Deadline | None = getattr(_CURRENT, "deadline", None)
    free = deadline is None or deadline.let_go()
    if connection is not None and (connection.surplus or not free or has_unread(connection.sock)):
        connection.close()
    put(connection)


POOLS = {"http": _PlainPool, "https": _SecurePool}
"""Pools, by scheme, whose connections keep to the deadline of the thread that uses them."""
