"""Connections that are kept open, and plain requests on them.

A request on a connection that is open, answered with a status of 200 and a body whose length is said, needs
little: the bytes are sent, those that come are taken apart. The general way of urllib3 takes several times as
long as a fast server does to answer. Connecting, TLS and proxies stay with urllib3, and so does every answer
that is not plain, of which it is given what was read.
"""

from __future__ import annotations

import contextlib
import http.client
import re
import select
import ssl
import weakref
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import urllib3
from urllib3.connection import port_by_scheme
from urllib3.exceptions import ProtocolError, ReadTimeoutError

from rankgate.systems.http.replies import Reply, has_unread

if TYPE_CHECKING:
    from collections.abc import Mapping

    from urllib3 import HTTPConnectionPool, PoolManager
    from urllib3.connection import HTTPConnection

    from rankgate.systems.http.deadline import Deadline

_CHUNK = 1 << 16
_END = b"\r\n\r\n"
_ORIGIN = re.compile(r"(https?://[a-z0-9.-]+(?::\d+)?)/")
# What urllib3 sends as it is: it normalises everything else.
_TARGET = re.compile(r"/(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9A-F]{2})*", re.ASCII)
_HEADER_NAME = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_NEEDED = {"accept-encoding", "user-agent"}
_FRAMING = {"host", "connection", "content-length", "transfer-encoding", "expect", "te", "trailer", "upgrade"}
_NOT_PLAIN = (b"\r\ntransfer-encoding", b"\r\nconnection:", b"\r\n ", b"\r\n\t", b" :", b"\t:")
_KEPT_ALIVE = b"\r\nconnection: keep-alive\r\n"
_LENGTH, _PACKING = b"\r\ncontent-length:", b"\r\ncontent-encoding:"
_LONGEST_NUMBER = 18
_MOST_LINES = 100
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


class PlainBody(NamedTuple):
    """The body of a plain answer."""

    data: bytes
    """As it came."""
    packing: str
    """What ``Content-Encoding`` says, in lower case; nothing where it is not there."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """A connection that nobody uses."""

    connection: HTTPConnection
    socket: Any
    """What bytes are sent to; plain or TLS."""
    poll: select.poll
    """Tells whether the server has closed it."""

    @property
    def used_up(self) -> bool:
        """Whether the server has closed it, or said something that nobody has asked for."""
        return bool(self.poll.poll(0)) or has_unread(self.socket)


@dataclass(frozen=True, slots=True)
class _Origin:
    """A server, by how its URLs begin."""

    prefix: str
    """Scheme, host and port; a path follows."""
    host: str
    """What requests say of it: the port too, unless it is the usual one."""
    pool: HTTPConnectionPool
    """Opens connections to it."""


class KeptConnections:
    """Sends plain requests over connections that urllib3 has opened; from any number of threads."""

    def __init__(self, manager: PoolManager, max_body: int) -> None:
        """Take connections of a pool; bodies of more than `max_body` bytes are left to urllib3's way."""
        self._manager = manager
        self._max_body = max_body
        self._origin: _Origin | None = None
        # Open and not in use; the last one used is the next.
        self._idle: deque[_Kept] = deque()
        weakref.finalize(self, _close_all, self._idle)
        self._headers: tuple[Mapping[str, str], bytes | None] = ({}, None)
        self._able = manager.proxy is None and hasattr(select, "poll")

    def ask(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, deadline: Deadline
    ) -> PlainBody | urllib3.HTTPResponse | None:
        """Send a request; None where it was not sent, since it or the state of things is not plain.

        Returns:
            The body of a plain answer. Of any other, a response of urllib3 of which nothing is read yet.

        Raises:
            ProtocolError: where the connection is lost.
            ReadTimeoutError: where nothing comes in time.
        """
        origin = self._origin
        if origin is None or not url.startswith(origin.prefix):
            origin = self._opened(url)
            if origin is None:
                return None
        target = url[len(origin.prefix) :]
        known, lines = self._headers
        if known is not headers:
            lines = _header_lines(headers)
            self._headers = headers, lines
        if lines is None or "/." in target or _TARGET.fullmatch(target) is None:
            return None
        kept = self._taken(origin)
        if kept is None:
            return None
        message = _message(method, target, origin.host, lines, body)
        return self._exchange(message, method, origin.pool, kept, deadline)

    def close(self) -> None:
        """Close every connection that is not in use."""
        self._origin = None
        _close_all(self._idle)

    def _opened(self, url: str) -> _Origin | None:
        """Return the server of a URL; there is one at a time."""
        found = _ORIGIN.match(url)
        if found is None or not self._able:
            return None
        self.close()
        pool = self._manager.connection_from_url(found[1])
        # As urllib3 writes it: without the dot that ends a name.
        host = pool.host.rstrip(".")
        usual = pool.port == port_by_scheme[pool.scheme or "http"]
        self._origin = _Origin(found[1], host if usual else f"{host}:{pool.port}", pool)
        return self._origin

    def _taken(self, origin: _Origin) -> _Kept | None:
        """Take an open connection; None where there is none yet."""
        while True:
            try:
                kept = self._idle.pop()
            except IndexError:
                return _adopted(origin.pool)
            if not kept.used_up:
                return kept
            kept.connection.close()

    def _exchange(
        self, message: bytes, method: str, pool: HTTPConnectionPool, kept: _Kept, deadline: Deadline
    ) -> PlainBody | urllib3.HTTPResponse:
        socket, data = kept.socket, b""
        try:
            deadline.watch(socket)
            # What refuses a long body by its head answers before all of it is sent.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError, ssl.SSLEOFError):
                socket.sendall(message)
            data = socket.recv(_CHUNK)
            head = _read_head(data)
            if head is not None and head.length <= self._max_body:
                data = _read_to(head.end, data, socket)
                if len(data) == head.end:
                    if deadline.finish():
                        self._idle.append(kept)
                    else:
                        kept.connection.close()
                    return PlainBody(data[head.end - head.length :], head.packing)
            return _replayed(data, method, pool, kept.connection)
        except BaseException as error:
            kept.connection.close()
            if isinstance(error, TimeoutError):
                raise ReadTimeoutError(pool, "", "no answer in time") from error
            if isinstance(error, (OSError, http.client.HTTPException)):
                raise ProtocolError("Connection aborted.", error) from error
            raise


def _close_all(idle: deque[_Kept]) -> None:
    while True:
        try:
            idle.pop().connection.close()
        except IndexError:
            return


def _adopted(pool: HTTPConnectionPool) -> _Kept | None:
    """Take a connection that urllib3 has opened; None where it has none, which it then opens."""
    connection: Any = pool._get_conn()  # noqa: SLF001 - what is open is to be had in no other way
    if connection.sock is not None:
        poll = select.poll()
        poll.register(connection.sock, select.POLLIN)
        kept = _Kept(connection, connection.sock, poll)
        if not kept.used_up:
            # The deadline of a request ends its connection; a limit beside it is one more call of the system.
            connection.sock.settimeout(None)
            return kept
        connection.close()
    pool._put_conn(connection)  # noqa: SLF001 - as above
    return None


def _header_lines(headers: Mapping[str, str]) -> bytes | None:
    """Return headers as they are sent; None for those that http.client has to see."""
    names = {name.lower() for name in headers}
    if not names >= _NEEDED or names & _FRAMING:
        return None
    for name, value in headers.items():
        if _HEADER_NAME.fullmatch(name) is None or _HEADER_VALUE.fullmatch(value) is None:
            return None
    return "".join(f"{name}: {value}\r\n" for name, value in headers.items()).encode("latin-1")


def _message(method: str, target: str, host: str, lines: bytes, body: bytes | None) -> bytes:
    start = f"{method} {target} HTTP/1.1\r\nHost: {host}\r\n"
    if body is None and method == "GET":
        return b"%b%b\r\n" % (start.encode(), lines)
    sent = body or b""
    return b"%bContent-Length: %d\r\n%b\r\n%b" % (start.encode(), len(sent), lines, sent)


class _Head(NamedTuple):
    """What the start of a plain answer says."""

    end: int
    """Where the answer ends, from its first byte."""
    length: int
    """How many bytes its body has."""
    packing: str
    """What ``Content-Encoding`` says."""


def _read_head(data: bytes) -> _Head | None:
    r"""Read the start of an answer; None for one that is not plain.

    >>> _read_head(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]")
    _Head(end=40, length=2, packing='')
    """
    at = data.find(_END)
    if at < 0 or not data.startswith(b"HTTP/1.1 200 "):
        return None
    head = data[: at + 2].lower()
    lines = head.count(b"\r\n")
    if not head.count(b"\n") == head.count(b"\r") == lines <= _MOST_LINES or _CONTROL.search(head):
        return None
    if any(map(head.replace(_KEPT_ALIVE, b"\r\n").__contains__, _NOT_PLAIN)) or head.count(_LENGTH) != 1:
        return None
    length = _value(head, _LENGTH)
    if not length.isdigit() or len(length) > _LONGEST_NUMBER or head.count(_PACKING) > 1:
        return None
    size = int(length)
    packing = _value(head, _PACKING).decode("latin-1") if _PACKING in head else ""
    return _Head(at + len(_END) + size, size, packing)


def _value(head: bytes, name: bytes) -> bytes:
    start = head.index(name) + len(name)
    return head[start : head.index(b"\r\n", start)].strip(b" \t")


def _read_to(end: int, data: bytes, socket: Any) -> bytes:
    """Read on; less where the connection ends before."""
    if len(data) >= end:
        return data
    pieces, size = [data], len(data)
    while size < end and (piece := socket.recv(min(_CHUNK, end - size))):
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)


def _replayed(
    data: bytes, method: str, pool: HTTPConnectionPool, connection: HTTPConnection
) -> urllib3.HTTPResponse:
    """Return a response as urllib3 makes it; its connection goes to the pool when it was read to its end."""
    reply: Any = Reply(data, connection)
    response = http.client.HTTPResponse(reply, method=method)
    try:
        response.begin()
        return urllib3.HTTPResponse(
            body=response,
            headers=urllib3.HTTPHeaderDict(response.msg.items()),
            status=response.status,
            version=response.version,
            reason=response.reason,
            preload_content=False,
            decode_content=False,
            original_response=response,
            # What follows an interim answer, such as 103, would be taken for the next one's.
            pool=None if response.will_close or response.status < 200 else pool,
            connection=connection,
            request_method=method,
        )
    except BaseException:
        # Whoever keeps the error would keep the connection open.
        response.close()
        raise
